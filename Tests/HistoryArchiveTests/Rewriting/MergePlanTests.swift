import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Which segments are merged, by their sizes and by what is between them.
@Suite(.bounded) struct MergePlanTests {
  /// Plans merging segments of nine transactions whose lines have the same length.
  ///
  /// - Parameters:
  ///   - starts: The first transactions of the segments after the first one.
  ///   - lines: The limit of a merged segment in lines.
  ///   - spare: The bytes that are added to the limit.
  private static func groups(
    _ starts: [Int64], lines: Int64 = 1000, spare: Int64 = 0
  ) throws -> [[ClosedRange<Int64>]] {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 9, changesEach: 2)
    try StoreQuery(path: path).run("UPDATE ACHANGE SET Z_PK = Z_PK + 100")
    for cut in starts.map({ HistoryCut(before: $0) }) + [.end] {
      try ArchiveSealerTests.seal(path, in: folder.file("archive"), before: cut)
    }
    let archive = try Archive(path: folder.file("archive"))
    let store = try archive.store()
    let sizes = try store.entries.map {
      try archive.manifest(of: $0).textByteCount / Int64($0.range.count)
    }
    #expect(Set(sizes).count == 1)
    let limit = lines * sizes[0] + spare
    return try groups(MergePlan(store, in: archive, sizeLimit: limit))
  }

  private static func groups(_ plan: MergePlan) -> [[ClosedRange<Int64>]] {
    plan.groups.map { $0.map(\.range) }
  }

  @Test
  func `a segment is merged once the next one has at least half its size`() throws {
    #expect(try Self.groups([7]) == [[1...6, 7...9]])
    #expect(try Self.groups([8]) == [])
    #expect(try Self.groups([2]) == [[1...1, 2...9]])
    // What the later ones become together counts.
    #expect(try Self.groups([6, 8]) == [[1...5, 6...7, 8...9]])
    #expect(try Self.groups([6, 7, 8]) == [[1...5, 6...6, 7...7, 8...9]])
  }

  @Test
  func `a merged segment has at most the allowed size`() throws {
    #expect(try Self.groups([5], lines: 9) == [[1...4, 5...9]])
    #expect(try Self.groups([5], lines: 9, spare: -1) == [])
    #expect(try Self.groups([5], lines: 3) == [])
    #expect(try Self.groups([2, 3, 4], lines: 3) == [[1...1, 2...2, 3...3]])
  }

  @Test
  func `segments beside a gap, overlapping ones and those of another model are not merged`() throws
  {
    for ranges in [[1...1, 3...3], [1...2, 2...3], [1...3, 2...2]] as [[ClosedRange<Int64>]] {
      let tiny = try TinyArchive(ranges)
      let plan = try MergePlan(tiny.archive.store(), in: tiny.archive, sizeLimit: 1 << 20)
      #expect(plan.groups.isEmpty, "\(ranges)")
    }
    let folder = try TemporaryFolder()
    let sample = try StoreHistory(path: SampleStore.write(to: folder.file("sample.store")))
    #expect(try Self.groups(after: 2, schema: sample.schema) == [])
  }

  @Test
  func `consecutive numbers suffice if a segment does not name its predecessor`()
    throws
  {
    for after in [2, nil] as [Int64?] {
      #expect(try Self.groups(after: after) == [[1...2, 3...4]])
    }
  }

  /// Plans merging two segments.
  ///
  /// - Parameters:
  ///   - after: The transaction that the second one names as the one before it.
  ///   - schema: The model of the second one; `nil` for that of the first one.
  private static func groups(
    after: Int64?, schema: SegmentSchema? = nil
  ) throws -> [[ClosedRange<Int64>]] {
    let tiny = try TinyArchive([1...2])
    var made = try HandmadeArchive(in: tiny.folder.file("other"))
    let (history, store) = (tiny.history, tiny.history.identifier)
    try made.add(Array(history.transactions[..<2]), store: store, schema: history.schema)
    try made.add(
      Array(history.transactions[2...]), store: store, after: after,
      schema: schema ?? history.schema)
    return try groups(MergePlan(made.archive.store(), in: made.archive, sizeLimit: 1 << 20))
  }

  @Test
  func `unused numbers are not a gap`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 4, changesEach: 2)
    try StoreQuery(path: path).run(
      """
      UPDATE ATRANSACTION SET Z_PK = Z_PK + 10 WHERE Z_PK > 2;
      UPDATE ACHANGE SET ZTRANSACTIONID = ZTRANSACTIONID + 10 WHERE ZTRANSACTIONID > 2
      """)
    for cut in [HistoryCut(before: 3), .end] {
      try ArchiveSealerTests.seal(path, in: folder.file("archive"), before: cut)
    }
    let archive = try Archive(path: folder.file("archive"))
    let plan = try MergePlan(archive.store(), in: archive, sizeLimit: 1 << 20)
    #expect(Self.groups(plan) == [[1...2, 13...14]])
  }
}
