import HistoryCoding
import TestSupport
import Testing

/// What is packed, `zstd` unpacks to the same bytes, whatever they are.
@Suite(.bounded, .enabled(if: Tool("zstd") != nil))
struct ZstdContextTests {
  @Test(arguments: [.quick, .small] as [ZstdContext.Level])
  func `packed text of every length and kind is unpacked to the same bytes`(
    _ level: ZstdContext.Level
  ) async throws {
    var generator = SeededGenerator(seed: 11)
    let lengths = [0, 1, 7, 63, 512, 131_071, 131_072, 131_073, 400_000]
    let texts = lengths.flatMap { length in
      [
        Array(repeating: UInt8(ascii: "x"), count: length),
        (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) },
        Array(RecordText.records(length).utf8.prefix(length)),
      ]
    }
    try await expectSame(texts, level)
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `the packed lines of a real store are unpacked to the same bytes`(
    _ path: String
  ) async throws {
    // A store without a history has no lines.
    let lines = try? StoreLines(path: path).lines
    try await expectSame([Array((lines ?? []).joined())], .small)
  }

  @Test
  func `the small level packs smaller than the quick one`() throws {
    let text = Array(RecordText.records(1 << 20).utf8)
    let sizes = try [ZstdContext.Level.small, .quick].map { level in
      try text.withUnsafeBytes { try ZstdContext(level).pack($0).count }
    }
    #expect(sizes[0] < sizes[1] && sizes[1] < text.count / 4)
  }

  /// Packs texts, one behind the other with one context, and has `zstd` unpack all of them.
  private func expectSame(_ texts: [[UInt8]], _ level: ZstdContext.Level) async throws {
    let folder = try TemporaryFolder()
    let context = try ZstdContext(level)
    var packed: [UInt8] = []
    for text in texts { packed += try text.withUnsafeBytes { try context.pack($0) } }
    try FileBytes.write(packed, to: folder.file("texts.zst"))
    let zstd = try #require(Tool("zstd"))
    let result = try await zstd.run(["--decompress", "--stdout", folder.file("texts.zst")])
    #expect(result.errors == "")
    #expect(result.output == Array(texts.joined()))
  }
}
