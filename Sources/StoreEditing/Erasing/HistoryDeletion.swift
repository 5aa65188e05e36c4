import GRDB
import GRDBSQLite
import StoreFormat

/// What is to be deleted from a history: the steps, and what must be found for them to be taken.
///
/// It is worked out from a snapshot and carried out later by ``HistoryEraser``, which finds by the
/// counts whether what it deletes is what was seen here.
package struct HistoryDeletion: Hashable, Sendable {
  /// Rows that are deleted together.
  package enum Step: Hashable, Sendable {
    /// All transactions up to and including a number that earlier steps have left, with their
    /// changes.
    case transactions(through: Int64, count: Int, changeCount: Int)
    /// The changes of one entity among some rows; their transactions stay.
    case changes(rows: ClosedRange<Int64>, count: Int)
  }

  /// The identifier of the store.
  package let storeIdentifier: String?
  /// The first transaction that stays; nil where none was there, or where transactions stay anyway.
  package let anchor: TransactionPosition?
  /// The number of the entity whose changes go; nil where whole transactions go.
  package let entityNumber: Int64?
  /// The name that the number has in the store; nil where it has none.
  package let entityName: String?
  /// The number of the first transaction that goes; nil where transactions stay.
  package let firstNumber: Int64?
  /// The steps, in the order in which they are taken.
  package let steps: [Step]
  /// How many transactions go.
  package let transactionCount: Int
  /// How many changes go.
  package let changeCount: Int
  /// What the rows of each part of each step must be, as another source has them; `nil` where only
  /// their number is checked.
  private(set) var digests: [[RowDigest]]?

  /// Whether there is nothing to delete.
  package var isEmpty: Bool { steps.isEmpty }

  /// Returns the deletion with digests that the deleted rows must have.
  ///
  /// - Parameter digests: One for each step, or one for each of its ``partCount(of:)`` parts.
  package func requiring(_ digests: [[RowDigest]]) -> HistoryDeletion {
    var deletion = self
    deletion.digests = digests
    return deletion
  }

  /// Returns in how many parts a step is carried out: one, unless it is a transaction with more than
  /// ``stepSize`` changes. Each part but the last then has exactly ``stepSize`` of them, lowest numbers
  /// first, and the last has the transaction too.
  package static func partCount(of step: Step) -> Int {
    guard case .transactions(_, let count, let changeCount) = step, count <= 1 else { return 1 }
    return max(1, (changeCount + stepSize - 1) / stepSize)
  }

  /// The most changes that a step deletes, unless they are all of one transaction.
  package static let stepSize = 512
  /// The same where each step has to read the whole table.
  static let stepSizeWithoutIndex = 20_000
  /// The most transactions that a step deletes.
  static let mostTransactions = 128

  init(
    storeIdentifier: String?, anchor: TransactionPosition? = nil, entityNumber: Int64? = nil,
    entityName: String? = nil, firstNumber: Int64? = nil, steps: [Step]
  ) {
    self.firstNumber = firstNumber
    self.storeIdentifier = storeIdentifier
    self.anchor = anchor
    self.entityNumber = entityNumber
    self.entityName = entityName
    self.steps = steps
    var (transactions, changes) = (0, 0)
    for step in steps {
      switch step {
      case .transactions(_, let count, let changeCount):
        transactions += count
        changes += changeCount
      case .changes(_, let count): changes += count
      }
    }
    transactionCount = transactions
    changeCount = changes
  }
}

extension StoreSnapshot {
  /// Works out how to delete all transactions up to and including a number, with their changes.
  ///
  /// Changes without a transaction, which no framework leaves, go with those around them. Memory
  /// grows by a few bytes for every hundred transactions.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func deletion(ofTransactionsThrough last: Int64) throws -> HistoryDeletion {
    let tables = try historyTables()
    let transactions = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK <= ?1 ORDER BY Z_PK")
    try transactions.bind(last)
    var order = RowOrder(path: location.path, table: "ATRANSACTION")
    func nextTransaction() throws -> Int64? {
      guard try transactions.step() else { return nil }
      let number = transactions.integer(at: 0)
      try order.take(number)
      return number
    }
    // Grouped by the column itself, SQLite walks its index and looks at nothing else.
    let changes = try StatementCursor(
      database,
      sql: """
        SELECT ZTRANSACTIONID, count(*) FROM ACHANGE WHERE ZTRANSACTIONID <= ?1
        GROUP BY ZTRANSACTIONID ORDER BY ZTRANSACTIONID
        """)
    try changes.bind(last)
    var steps = StepCollector(
      stepSize: tables.indexesChangesByTransaction
        ? HistoryDeletion.stepSize : HistoryDeletion.stepSizeWithoutIndex)
    var number = try nextTransaction()
    let firstNumber = number
    var owner = try changes.step() ? Self.owner(changes) : nil
    while let next = number.map({ min($0, owner ?? $0) }) ?? owner {
      var (count, changeCount) = (0, 0)
      if number == next {
        count = 1
        number = try nextTransaction()
      }
      while owner == next {
        changeCount += Int(clamping: changes.integer(at: 1))
        owner = try changes.step() ? Self.owner(changes) : nil
      }
      steps.add(next, count: count, changeCount: changeCount)
    }
    return HistoryDeletion(
      storeIdentifier: metadata.storeIdentifier,
      anchor: try firstTransaction(after: last), firstNumber: firstNumber, steps: steps.finish())
  }

  /// The number of the transaction that the changes of a row belong to.
  ///
  /// No framework writes it as anything but an integer; a fraction goes with the next number, so that
  /// no step leaves it behind.
  private static func owner(_ changes: StatementCursor) -> Int64 {
    if let number = changes.integerIfAny(at: 0) { return number }
    return Int64(exactly: changes.real(at: 0).rounded(.up)) ?? changes.integer(at: 0)
  }

  /// Works out how to delete all changes of an entity; their transactions stay.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func deletion(ofChangesOfEntity number: Int64) throws -> HistoryDeletion {
    _ = try historyTables()
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ACHANGE NOT INDEXED WHERE ZENTITY = ?1 ORDER BY Z_PK")
    try cursor.bind(number)
    var steps: [HistoryDeletion.Step] = []
    var rows: ClosedRange<Int64>?
    var count = 0
    while try cursor.step() {
      let row = cursor.integer(at: 0)
      if let range = rows {
        // Each step reads all rows between its first and its last.
        let isFull =
          count >= HistoryDeletion.stepSize
          || row.subtractingReportingOverflow(range.lowerBound).partialValue.magnitude
            >= UInt64(HistoryDeletion.stepSizeWithoutIndex)
        if isFull {
          steps.append(.changes(rows: range, count: count))
          rows = nil
          count = 0
        }
      }
      rows = (rows?.lowerBound ?? row)...row
      count += 1
    }
    if let rows { steps.append(.changes(rows: rows, count: count)) }
    return HistoryDeletion(
      storeIdentifier: metadata.storeIdentifier, entityNumber: number,
      entityName: entities.entries.first { $0.number == number }?.name, steps: steps)
  }
}

/// Puts transactions together into steps.
private struct StepCollector {
  let stepSize: Int
  private var steps: [HistoryDeletion.Step] = []
  private var last: Int64?
  private var count = 0
  private var changeCount = 0

  init(stepSize: Int) { self.stepSize = stepSize }

  mutating func add(_ number: Int64, count: Int, changeCount: Int) {
    if self.count + count > HistoryDeletion.mostTransactions
      || self.changeCount + changeCount > stepSize
    {
      close()
    }
    last = number
    self.count += count
    self.changeCount += changeCount
  }

  mutating func finish() -> [HistoryDeletion.Step] {
    close()
    return steps
  }

  private mutating func close() {
    guard let last else { return }
    steps.append(.transactions(through: last, count: count, changeCount: changeCount))
    self.last = nil
    count = 0
    changeCount = 0
  }
}
