import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct StoreComparisonTests {
  /// A history by its transactions, as numbers and seconds.
  private static func store(
    _ transactions: [(Int64, Double?)], in folder: TemporaryFolder, _ name: String,
    identifier: String? = StoreWriter.identifier, highestIssued: Int64? = nil
  ) throws -> StoreFile {
    let writer = try StoreWriter(path: folder.file(name))
    for (number, seconds) in transactions {
      try writer.transaction(number, at: seconds ?? 0)
      if seconds == nil {
        try writer.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = \(number)")
      }
    }
    if let highestIssued {
      try writer.sql(
        "INSERT INTO Z_PRIMARYKEY VALUES (16002, 'TRANSACTION', 0, \(highestIssued)) "
          + "ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX")
    }
    try writer.sql("UPDATE Z_METADATA SET Z_UUID = ?", [identifier])
    try writer.close()
    return try StoreFile(path: folder.file(name))
  }

  private static func compare(_ first: StoreFile, _ second: StoreFile) throws -> StoreComparison {
    try first.read { first in try second.read { try StoreComparison(first, $0) } }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: [(Int64, Double?)]
    let second: [(Int64, Double?)]
    let relation: StoreComparison.Relation
    let common: Int64
    let since: (Int64, Int64)

    init(
      _ name: String, _ first: [(Int64, Double?)], _ second: [(Int64, Double?)],
      _ relation: StoreComparison.Relation, common: Int64, since: (Int64, Int64)
    ) {
      testDescription = name
      self.first = first
      self.second = second
      self.relation = relation
      self.common = common
      self.since = since
    }
  }

  private static func saves(_ numbers: ClosedRange<Int64>, shift: Double = 0) -> [(Int64, Double?)]
  {
    numbers.map { ($0, Double($0) * 60 + shift) }
  }

  static let cases = [
    Case("the same", saves(1...5), saves(1...5), .same, common: 5, since: (0, 0)),
    Case("both empty", [], [], .same, common: 0, since: (0, 0)),
    Case("one not begun", [], saves(1...4), .secondAhead, common: 0, since: (0, 4)),
    Case("ahead", saves(1...9), saves(1...5), .firstAhead, common: 5, since: (4, 0)),
    Case("behind", saves(1...5), saves(1...6), .secondAhead, common: 5, since: (0, 1)),
    Case(
      "diverged", saves(1...5) + saves(6...7, shift: 1), saves(1...9), .diverged, common: 5,
      since: (2, 4)),
    Case(
      "diverged at the beginning", saves(1...3), saves(1...4, shift: 0.5), .diverged, common: 0,
      since: (3, 4)),
    Case(
      "by the last bit of a time", saves(1...2) + [(3, 180)], saves(1...2) + [(3, 180.0.nextUp)],
      .diverged, common: 2, since: (1, 1)),
    Case("one pruned", saves(4...9), saves(1...7), .firstAhead, common: 7, since: (2, 0)),
    Case(
      "one pruned up to its last", saves(7...7), saves(1...9), .secondAhead, common: 7,
      since: (0, 2)),
    Case(
      "both pruned, and diverged", saves(3...6) + saves(7...9, shift: 2), saves(5...8), .diverged,
      common: 6, since: (3, 2)),
    Case(
      "holes are no divergence", saves(1...2) + saves(4...6), saves(1...3) + saves(6...6), .same,
      common: 6, since: (0, 0)),
    // A hole right behind the common end leaves no number to compare by.
    Case(
      "each with other numbers", saves(1...3) + [(5, 7)], saves(1...3) + [(6, 7)], .diverged,
      common: 3, since: (1, 1)),
    Case(
      "later agreement is chance", saves(1...2) + [(3, 1), (4, 9)],
      saves(1...2) + [(3, 2), (4, 9)],
      .diverged, common: 2, since: (2, 2)),
    Case(
      "without times", [(1, nil), (2, nil)], [(1, nil), (2, 5)], .diverged, common: 1,
      since: (1, 1)),
    Case(
      "from the lowest number there can be", [(.min, 1), (5, 2)], [(.min, 1), (5, 3)], .diverged,
      common: .min, since: (1, 1)),
  ]

  @Test(arguments: cases) func `histories of two copies are equal, ahead or diverged`(
    _ item: Case
  ) throws {
    let folder = try TemporaryFolder()
    let first = try Self.store(item.first, in: folder, "first.store")
    let second = try Self.store(item.second, in: folder, "second.store")
    let comparison = try Self.compare(first, second)
    #expect(comparison.relation == item.relation)
    #expect(comparison.common.number == item.common)
    #expect(comparison.first.transactionCount == item.since.0)
    #expect(comparison.second.transactionCount == item.since.1)
    #expect(comparison.first.newest?.number == item.first.last?.0)
    #expect(comparison.first.path == first.location.path)
    #expect(comparison.storeIdentifier == StoreWriter.identifier)
    // From the other side it is the same.
    let mirrored = try Self.compare(second, first)
    let opposite: [StoreComparison.Relation: StoreComparison.Relation] = [
      .firstAhead: .secondAhead, .secondAhead: .firstAhead,
    ]
    #expect(mirrored.relation == opposite[item.relation] ?? item.relation)
    #expect(mirrored.common == comparison.common)
  }

  @Test
  func `different stores are not compared, whatever their histories are`() throws {
    let folder = try TemporaryFolder()
    let first = try Self.store(Self.saves(1...3), in: folder, "first.store")
    let second = try Self.store(
      Self.saves(1...3), in: folder, "second.store",
      identifier: "AAAAAAAA-8F4B-4E3A-9C61-0A5B7C9D2E3F")
    let error = #expect(throws: HistoryError.self) { try Self.compare(first, second) }
    guard case .differentStores? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(error?.message.contains(StoreWriter.identifier) == true)
    // An identifier in lower case is the same one; one that is missing says nothing.
    for identifier in [StoreWriter.identifier.lowercased(), nil] {
      let third = try Self.store(
        Self.saves(1...3), in: folder, "\(identifier ?? "none").store", identifier: identifier)
      #expect(try Self.compare(first, third).relation == .same)
    }
  }

  @Test(
    arguments: [
      (saves(1...3), saves(5...9), nil, nil), (saves(5...9), saves(5...9, shift: 1), nil, nil),
      (saves(2...3), saves(1...3, shift: 1), nil, nil), ([], saves(2...3), nil, nil),
      // An emptied history has no transaction left to compare by.
      ([], saves(1...3), 7, nil), ([], [], 7, 7),
    ] as [([(Int64, Double?)], [(Int64, Double?)], Int64?, Int64?)])
  func `pruned history cannot be compared`(
    first: [(Int64, Double?)], second: [(Int64, Double?)], firstIssued: Int64?,
    secondIssued: Int64?
  ) throws {
    let folder = try TemporaryFolder()
    let one = try Self.store(first, in: folder, "first.store", highestIssued: firstIssued)
    let other = try Self.store(second, in: folder, "second.store", highestIssued: secondIssued)
    let error = #expect(throws: HistoryError.self) { try Self.compare(one, other) }
    guard case .withoutCommonTransaction? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(error?.message.contains("first.store") == true)
  }

  @Test
  func `a store without history tables is not compared`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("none.store"), shape: shape).close()
    let none = try StoreFile(path: folder.file("none.store"))
    let store = try Self.store(Self.saves(1...3), in: folder, "first.store")
    for (first, second) in [(none, store), (store, none)] {
      #expect(throws: StoreError.withoutHistory(path: folder.file("none.store"))) {
        try Self.compare(first, second)
      }
    }
  }

  /// Two copies that were taken from one device at two times, and copies of one library that went
  /// separate ways.
  @Test(
    .enabled(if: RealStores.path("photos-27.0beta.sqlite") != nil),
    arguments: [
      ("swiftdata-rm-1wal.store", "swiftdata-rm-4wal.store", StoreComparison.Relation.secondAhead),
      ("swiftdata-rm-4wal.store", "swiftdata-rm-0empty.store", .firstAhead),
      ("photos-14.6.sqlite", "photos-27.0beta.sqlite", .diverged),
      ("photos-10.15.7.sqlite", "photos-14.6.sqlite", .diverged),
    ])
  func `the relation of real copies agrees with plain SQL`(
    first: String, second: String, relation: StoreComparison.Relation
  ) throws {
    let folder = try TemporaryFolder()
    let paths = try [first, second].map { name in
      try folder.copy(store: try #require(RealStores.path(name)))
    }
    let comparison = try Self.compare(StoreFile(path: paths[0]), StoreFile(path: paths[1]))
    #expect(comparison.relation == relation)
    // The same in plain SQL: the first number whose times differ.
    let query = try StoreQuery(path: paths[0])
    try query.run("ATTACH '\(paths[1])' AS other")
    let parted = try query.lines(
      """
      SELECT coalesce(
        (SELECT max(a.Z_PK) FROM ATRANSACTION a JOIN other.ATRANSACTION b USING (Z_PK)
         WHERE a.ZTIMESTAMP = b.ZTIMESTAMP AND a.Z_PK < coalesce(
           (SELECT min(c.Z_PK) FROM ATRANSACTION c JOIN other.ATRANSACTION d USING (Z_PK)
            WHERE c.ZTIMESTAMP <> d.ZTIMESTAMP), 9e9)), 0)
      """)
    #expect(parted == ["\(comparison.common.number)"])
  }
}
