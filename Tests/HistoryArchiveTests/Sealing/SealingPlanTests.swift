import PersistentHistory
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// What sealing would add, before anything is written.
@Suite(.bounded) struct SealingPlanTests {
  private let folder: TemporaryFolder
  private let path: String
  private let archive: String

  init() throws {
    folder = try TemporaryFolder()
    path = try SampleStore.write(to: folder.file("sample.store"))
    archive = folder.file("archive")
  }

  private func plan(
    before cut: HistoryCut? = nil, allowsGap: Bool = false
  ) throws -> SealingPlan {
    try StoreFile(path: path).read {
      try SealingPlan(archivePath: archive, snapshot: $0, before: cut, allowsGap: allowsGap)
    }
  }

  private func prune(before number: Int64) throws {
    try StoreQuery(path: path).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(number);
      DELETE FROM ATRANSACTION WHERE Z_PK < \(number)
      """)
  }

  /// A plan in the fewest words.
  private func summary(_ plan: SealingPlan) -> String {
    func text(_ number: Int64?) -> String { number.map(String.init) ?? "-" }
    return "\(plan.isNew ? "new" : "after \(text(plan.sealed?.number))"): "
      + "\(text(plan.first?.number)) to \(text(plan.last?.number)), \(plan.transactionCount)"
      + (plan.after == nil ? "" : ", joined") + (plan.leavesGap ? ", gap" : "")
  }

  @Test func `a plan continues the archive`() throws {
    #expect(try summary(plan()) == "new: 1 to 11, 11")
    #expect(try summary(plan(before: .end)) == "new: 1 to 12, 12")
    #expect(try summary(plan(before: HistoryCut(before: 2))) == "new: 1 to 1, 1")
    #expect(try summary(plan(before: HistoryCut(before: 1))) == "new: - to -, 0")
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 5))
    #expect(try summary(plan()) == "after 4: 5 to 11, 7, joined")
    #expect(try summary(plan(before: HistoryCut(before: 5))) == "after 4: - to -, 0")
    #expect(try summary(plan(before: HistoryCut(before: 3))) == "after 4: - to -, 0")
  }

  @Test func `a plan counts segments left by a crash`() throws {
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 5))
    let catalog = try FileBytes.read(archive + "/catalog.jsonl")
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 9))
    try FileBytes.write(catalog, to: archive + "/catalog.jsonl")
    #expect(try summary(plan()) == "after 8: 9 to 11, 3, joined")
    try prune(before: 10)
    #expect(throws: ArchiveError.gap(path: path, archive: archive, after: 8, oldest: 10)) {
      try plan()
    }
    #expect(try FileBytes.read(archive + "/catalog.jsonl") == catalog)
  }

  @Test func `a gap is planned only if history follows it`() throws {
    try ArchiveSealerTests.seal(path, in: archive, before: HistoryCut(before: 5))
    try prune(before: 8)
    #expect(try summary(plan(allowsGap: true)) == "after 4: 8 to 11, 4, gap")
    #expect(
      try summary(plan(before: HistoryCut(before: 8), allowsGap: true)) == "after 4: - to -, 0")
  }

  @Test(arguments: [0, -7]) func `transactions without a positive number are refused`(
    _ number: Int64
  ) throws {
    try StoreQuery(path: path).run(
      """
      UPDATE ATRANSACTION SET Z_PK = \(number) WHERE Z_PK = 1;
      UPDATE ACHANGE SET ZTRANSACTIONID = \(number) WHERE ZTRANSACTIONID = 1
      """)
    let error = try #require(throws: StoreError.self) { try plan() }
    guard case .damaged = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(error.message.contains("\(number)"), "\(error.message)")
  }

  /// Makes an archive whose catalog lists the first four transactions at most, and segments that it does not list.
  private func leave(
    _ ranges: [ClosedRange<Int64>], after: Int64?, listed: ClosedRange<Int64>? = 1...4
  ) throws {
    let history = try StoreHistory(path: path)
    var handmade = try HandmadeArchive(in: archive)
    var after = after
    func add(_ range: ClosedRange<Int64>, after: Int64?) throws {
      try handmade.add(
        history.transactions.filter { range.contains($0.number) }, store: history.identifier,
        after: after, schema: history.schema)
    }
    if let listed { try add(listed, after: nil) }
    let lines = handmade.entries.flatMap(\.line)
    for range in ranges {
      try add(range, after: after)
      after = range.upperBound
    }
    try FileBytes.write(lines, to: archive + "/catalog.jsonl")
  }

  @Test(
    arguments: [
      (5...8, nil, false, 8), (5...8, 4, false, 8), (7...8, 4, false, 8),
      // What is missing before it may be missing only if that is allowed, and was when it was sealed.
      (7...8, nil, false, 4), (7...8, nil, true, 8), (7...8, 6, true, 4),
      (3...6, nil, true, 4), (4...6, nil, true, 4),
    ] as [(ClosedRange<Int64>, Int64?, Bool, Int64)])
  func `an unlisted segment counts if it continues the listed ones`(
    _ range: ClosedRange<Int64>, _ after: Int64?, _ allowsGap: Bool, _ sealed: Int64
  ) throws {
    try leave([range], after: after)
    #expect(try plan(allowsGap: allowsGap).sealed?.number == sealed)
  }

  @Test
  func `an unlisted first segment counts if nothing is known to precede it`() throws {
    try leave([3...5], after: 2, listed: nil)
    #expect(try plan().sealed == nil)
    try leave([3...6], after: nil, listed: nil)
    #expect(try plan().sealed?.number == 6)
  }

  @Test
  func `unlisted segments continue each other`() throws {
    try leave([5...6, 7...8], after: 4)
    #expect(try plan().sealed?.number == 8)
    let sealed = try ArchiveSealerTests.seal(path, in: archive)
    #expect(sealed.segments.map(\.isAdopted) == [true, true, false])
    #expect(try Archive(path: archive).store().runs.map(\.last) == [11])
  }

  @Test
  func `an unlisted segment of another copy stays an error`() throws {
    try leave([5...8], after: 4)
    try StoreQuery(path: path).run("UPDATE ATRANSACTION SET ZTIMESTAMP = 5.5 WHERE Z_PK = 8")
    let diverged = ArchiveError.diverged(path: path, archive: archive, transaction: 8)
    #expect(throws: diverged) { try plan() }
    // Where they parted is not looked for among numbers that no framework gives.
    let original = try FileBytes.read(path)
    try StoreQuery(path: path).run(
      "UPDATE ATRANSACTION SET Z_PK = -9223372036854775808 WHERE Z_PK = 1")
    #expect(throws: diverged) { try plan() }
    try FileBytes.write(original, to: path)
    #expect(throws: diverged) { try ArchiveSealerTests.seal(path, in: archive) }
    #expect(try Archive(path: archive).store().last == 4)
  }
}
