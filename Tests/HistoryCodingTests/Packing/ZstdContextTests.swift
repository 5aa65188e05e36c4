import HistoryCoding
import TestSupport
import Testing

/// What is packed, `zstd` unpacks to the same bytes, whatever they are.
@Suite("Packed text", .enabled(if: Tool("zstd") != nil))
struct ZstdContextTests {
  /// Lengths at and around which the search does something else.
  private static let lengths = [
    0, 1, 5, 6, 7, 8, 15, 16, 17, 63, 64, 65, 80, 511, 512, 513, 600, 131_071, 131_072, 131_073,
    131_088, 131_135, 131_136, 262_143, 262_144, 262_145, 400_000,
  ]

  @Test("is the same again, of every length and kind")
  func lengthsAndKinds() async throws {
    var generator = SeededGenerator(seed: 11)
    let kinds: [(Int) -> [UInt8]] = [
      { Array(repeating: UInt8(ascii: "7"), count: $0) },
      { Array(repeating: UInt8(ascii: "x"), count: $0) },
      { count in (0..<count).map { UInt8(ascii: "0") + UInt8($0 % 10) } },
      { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) } },
      { Array(RecordText.records($0).utf8.prefix($0)) },
    ]
    var texts = kinds.flatMap { kind in Self.lengths.map(kind) }
    for length in Self.lengths {
      texts.append((0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
      texts.append(
        (0..<length).map { _ in UInt8.random(in: 47...58, using: &generator) })
    }
    try await expectSame(texts)
  }

  @Test("is the same again where pieces and numbers follow each other in any way")
  func anyPieces() async throws {
    var generator = SeededGenerator(seed: 12)
    let texts = (0..<400).map { _ in RecordText.anyPieces(using: &generator) }
    try await expectSame(texts)
  }

  @Test("is the same again where it is longer than matches can reach back")
  func longText() async throws {
    try await expectSame([Array(RecordText.records(9 << 20).utf8)])
  }

  @Test("of a real store is the same again", arguments: RealStores.paths)
  func realStores(_ path: String) async throws {
    // A store without a history has no lines.
    let lines = try? StoreLines(path: path).lines
    try await expectSame([Array((lines ?? []).joined())])
  }

  @Test("of records is smaller than zstd makes it")
  func sizes() async throws {
    let folder = try TemporaryFolder()
    let text = Array(RecordText.records(1 << 20).utf8)
    try FileBytes.write(text, to: folder.file("records"))
    let zstd = try #require(Tool("zstd"))
    let usual = try await zstd.run(["-3", "--stdout", folder.file("records")]).output
    let packed = try text.withUnsafeBytes { try ZstdContext().pack($0) }
    #expect(packed.count < usual.count)
  }

  /// Packs texts, one behind the other with one context, and has `zstd` unpack all of them.
  private func expectSame(_ texts: [[UInt8]]) async throws {
    let folder = try TemporaryFolder()
    let context = try ZstdContext()
    var packed: [UInt8] = []
    for text in texts { packed += try text.withUnsafeBytes { try context.pack($0) } }
    try FileBytes.write(packed, to: folder.file("texts.zst"))
    let zstd = try #require(Tool("zstd"))
    let result = try await zstd.run(["--decompress", "--stdout", folder.file("texts.zst")])
    #expect(result.errors == "")
    #expect(result.output == Array(texts.joined()))
  }
}
