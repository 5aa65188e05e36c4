import TestSupport
import Testing

@testable import StoreFormat

/// The cursors give the same rows however they are asked.
@Suite(.bounded) struct CursorTests {
  private static func read<Result>(
    sql: [String] = [], _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try StoreFile(path: writer.path).read(body)
  }

  private static let withoutIndex = ["DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX"]
  /// The change numbers of the sample's transactions.
  private static let changes: [[Int64]] = [
    [1, 2, 3], [4, 5], [6], [7, 8, 9], [10, 11, 12], [13, 14], [15], [16, 17, 18], [19, 20, 21],
    [22, 23], [24], [25, 26, 27],
  ]

  @Test(arguments: [true, false])
  func `a cursor stays at its end`(isIndexed: Bool) throws {
    try Self.read(sql: isIndexed ? [] : Self.withoutIndex) { snapshot in
      for selection in [
        TransactionSelection(), TransactionSelection(order: .descending),
        TransactionSelection(limit: 3),
      ] {
        let rows = try snapshot.transactions(selection)
        let changes = try snapshot.changes(selection)
        #expect(try !changes.next())
        while try rows.next() {
          try changes.start(transaction: rows.number)
          while try changes.next() {}
          for _ in 0..<3 { #expect(try !changes.next()) }
        }
        for _ in 0..<3 { #expect(try !rows.next()) }
      }
    }
  }

  @Test(arguments: [true, false])
  func `changes and transactions may be skipped`(isIndexed: Bool) throws {
    try Self.read(sql: isIndexed ? [] : Self.withoutIndex) { snapshot in
      for order in [TransactionSelection.Order.ascending, .descending] {
        for limit in [nil, 100] {
          var generator = SeededGenerator(seed: 5)
          for _ in 0..<40 {
            let changes = try snapshot.changes(TransactionSelection(order: order, limit: limit))
            let numbers = Array(1...12).filter { _ in Bool.random(using: &generator) }
            for number in order == .ascending ? numbers : numbers.reversed() {
              try changes.start(transaction: Int64(number))
              let expected = Self.changes[number - 1]
              let count = Int.random(in: 0...expected.count, using: &generator)
              var read: [Int64] = []
              while read.count < count, try changes.next() { read.append(changes.number) }
              #expect(read == Array(expected.prefix(count)))
            }
          }
        }
      }
    }
  }

  @Test
  func `cursors return every transaction with its changes, in both orders and with limits`() throws
  {
    try Self.read { snapshot in
      for (selection, numbers) in [
        (TransactionSelection(), Array(1...12)),
        (TransactionSelection(order: .descending), Array(1...12).reversed()),
        (TransactionSelection(limit: 3), [1, 2, 3]),
        (TransactionSelection(limit: 3, limitKeepsNewest: true), [10, 11, 12]),
        (TransactionSelection(order: .descending, limit: 3), [12, 11, 10]),
        (TransactionSelection(order: .descending, limit: 3, limitKeepsNewest: true), [12, 11, 10]),
        (TransactionSelection(after: 10), [11, 12]), (TransactionSelection(until: 2), [1, 2]),
        (TransactionSelection(after: 4, until: 6), [5, 6]),
        (TransactionSelection(after: 6, until: 4), []), (TransactionSelection(limit: 0), []),
        (TransactionSelection(limit: -5), []), (TransactionSelection(after: .min), Array(1...12)),
        (TransactionSelection(until: .max, limit: .max), Array(1...12)),
      ] {
        let rows = try ReadRows.transactions(of: snapshot, selection)
        #expect(rows.map(\.number) == numbers.map { Int64($0) })
        #expect(rows.map { $0.changes.map(\.number) } == numbers.map { Self.changes[$0 - 1] })
      }
    }
  }

  @Test
  func `positions of transactions are found`() throws {
    try Self.read(sql: ["DELETE FROM ATRANSACTION WHERE Z_PK = 6"]) {
      (snapshot: StoreSnapshot) throws in
      #expect(try snapshot.oldestTransaction()?.number == 1)
      #expect(try snapshot.oldestTransaction(offset: 6)?.number == 8)
      #expect(try snapshot.oldestTransaction(offset: 11) == nil)
      #expect(try snapshot.newestTransaction(offset: 1)?.number == 11)
      #expect(try snapshot.firstTransaction(after: 5)?.number == 7)
      #expect(try snapshot.firstTransaction(after: 12) == nil)
      #expect(try snapshot.firstTransaction(after: .min)?.number == 1)
      #expect(try snapshot.timestamp(ofTransaction: 6) == nil)
      let third = TransactionPosition(
        number: 3, timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_680))
      #expect(try snapshot.timestamp(ofTransaction: 3) == third)
    }
  }

  @Test
  func `a moment is found by the lowest number at or after it, and invalid times are skipped`()
    throws
  {
    let sql = [
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 1000.0 - Z_PK * 10",
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 'zzz' WHERE Z_PK = 1",
      "UPDATE ATRANSACTION SET ZTIMESTAMP = x'ff' WHERE Z_PK = 2",
      "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 3",
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 5000.5 WHERE Z_PK = 12",
    ]
    try Self.read(sql: sql) { (snapshot: StoreSnapshot) throws in
      for (seconds, number) in [
        (0, 4), (960, 4), (960.5, 12), (950, 4), (5000.5, 12), (5000.6, nil), (-.infinity, 4),
        (.infinity, nil), (.nan, nil),
      ] as [(Double, Int64?)] {
        let moment = StoreTimestamp(secondsSinceReferenceDate: seconds)
        #expect(try snapshot.firstTransaction(notBefore: moment)?.number == number, "\(seconds)")
      }
      #expect(try snapshot.timestamp(ofTransaction: 1)?.timestamp == nil)
      #expect(try snapshot.timestamp(ofTransaction: 4)?.timestamp?.secondsSinceReferenceDate == 960)
    }
  }
}
