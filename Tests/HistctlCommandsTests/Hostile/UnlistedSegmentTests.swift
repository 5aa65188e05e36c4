import Foundation
import TestSupport
import Testing

/// Segments that the catalog does not list: an answer without them is no answer.
@Suite(.bounded) struct UnlistedSegmentTests {
  private static let catalog = "sealed/catalog.jsonl"

  /// A store of which transactions 1 to 6 are in two segments, and the catalog after the first.
  private static func sample() async throws -> (sample: SampleFolder, older: [UInt8]) {
    let sample = try SampleFolder()
    try #require(try await sample.run("archive sample.store sealed --before 4 -q").status == 0)
    let older = try FileBytes.read(sample.folder.file(catalog))
    try #require(try await sample.run("archive sample.store sealed --before 7 -q").status == 0)
    return (sample, older)
  }

  private static let alone = [
    "log sealed", "log sealed -n 1 --json", "show sealed 2", "diff sealed 0", "export sealed",
    "stats sealed", "object sealed Trip/p1", "blame sealed Trip/p1", "info sealed",
    "info sealed --json", "info sealed --model", "report sealed -o -", "token check sealed 2",
  ]

  @Test
  func `unlisted history is complete as long as the store has it`()
    async throws
  {
    let (sample, older) = try await Self.sample()
    let whole = try await sample.run("log sample.store --json --archive sealed")
    try FileBytes.write(older, to: sample.folder.file(Self.catalog))
    for line in Self.alone {
      let result = try await sample.run(line)
      #expect(result.status == 5, "\(line): \(result.status) \(result.errors)")
      #expect(result.errors.contains("000000000004-000000000006.jsonl.zst"), "\(line)")
    }
    let joined = try await sample.run("log sample.store --json --archive sealed")
    #expect(joined.status == 0 && joined.text == whole.text)
    #expect(joined.errors.contains(#""kind":"unlistedSegment""#), "\(joined.errors)")
    // The next sealing lists the segment.
    for line in ["archive sample.store sealed --before 7", "log sealed"] {
      let result = try await sample.run(line)
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
  }

  @Test(arguments: [false, true])
  func `a first sealing interrupted before its line is completed`(isPruned: Bool) async throws {
    let (sample, _) = try await Self.sample()
    if isPruned {
      try #require(try await sample.run("prune sample.store --before 7 --yes -q").status == 0)
    }
    try FileBytes.write([], to: sample.folder.file(Self.catalog))
    #expect(try await sample.run("log sealed").status == 5)
    let joined = try await sample.run("log sample.store --archive sealed")
    #expect(joined.status == (isPruned ? 5 : 0), "\(joined.errors)")
    let restored = try await sample.run("restore sample.store sealed --yes")
    #expect(restored.status == (isPruned ? 5 : 0), "\(restored.errors)")
    #expect(try await sample.run("archive sample.store sealed -q").status == 0)
    #expect(try await sample.run("log sealed").status == 0)
  }

  @Test
  func `a catalog that lost its end is damage once the store was pruned`() async throws {
    let (sample, older) = try await Self.sample()
    try #require(try await sample.run("prune sample.store --before 7 --yes -q").status == 0)
    let path = sample.folder.file(Self.catalog)
    let whole = try FileBytes.read(path)
    let store = try FileBytes.read(sample.store)
    for catalog in [older, Array(whole.dropLast()), Array(whole.prefix(294)), []] {
      try FileBytes.write(catalog, to: path)
      for line in [
        "log sample.store --archive sealed", "diff sample.store 0 --archive sealed",
        "restore sample.store sealed --yes", "restore sample.store sealed --yes --json",
        "forget sealed --keep-last 1 --yes", "log sealed",
      ] {
        let result = try await sample.run(line)
        #expect(result.status == 5, "\(catalog.count), \(line): \(result.status) \(result.errors)")
        #expect(!result.text.contains("nothing to restore"))
      }
    }
    #expect(try FileBytes.read(sample.store) == store)
    try FileBytes.write(whole, to: path)
    #expect(try await sample.run("restore sample.store sealed --yes").status == 0)
  }

  @Test
  func `a folder that has lost its catalog is a damaged archive`() async throws {
    let (sample, _) = try await Self.sample()
    try FileBytes.remove(sample.folder.file(Self.catalog))
    for line in [
      "log sealed", "info sealed", "verify sealed", "export sealed", "archive sample.store sealed",
      "log sample.store --archive sealed", "restore sample.store sealed --yes",
      "forget sealed --keep-last 1 --yes",
    ] {
      let result = try await sample.run(line)
      #expect(result.status == 5, "\(line): \(result.status) \(result.errors)")
      #expect(result.errors.contains("catalog.jsonl is missing"), "\(line): \(result.errors)")
    }
  }

  @Test
  func `a store whose segments are in no line does not vanish beside another`() async throws {
    let (sample, _) = try await Self.sample()
    let other = "sealed/2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    try FileManager.default.copyItem(
      atPath: sample.folder.file("sealed/" + SampleFolder.identifier),
      toPath: sample.folder.file(other))
    for line in ["log sealed", "info sealed", "report sealed -o -"] {
      #expect(try await sample.run(line).status == 5, "\(line)")
    }
    // The answer about the first store is complete.
    let named = try await sample.run("log sealed --store-identifier \(SampleFolder.identifier)")
    #expect(named.status == 0, "\(named.errors)")
  }
}
