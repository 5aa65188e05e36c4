import StoreFormat

/// A deletion of history: its steps, and what the store must hold for each step to be taken.
///
/// It is planned from a snapshot and carried out later by ``HistoryEraser``, which compares the counts
/// to find out whether the rows are still those that were planned for.
package struct HistoryDeletion: Hashable, Sendable {
  /// Rows that are deleted together.
  package enum Step: Hashable, Sendable {
    /// All transactions up to and including a number that earlier steps have left, with their
    /// changes.
    case transactions(through: Int64, count: Int, changeCount: Int)
    /// The changes of one entity in a range of rows; their transactions stay.
    case changes(rows: ClosedRange<Int64>, count: Int)
  }

  package let storeIdentifier: String?
  /// The first transaction that stays; `nil` if there is none, or if all transactions stay.
  package let anchor: TransactionPosition?
  /// The number of the entity whose changes are deleted; `nil` if whole transactions are.
  package let entityNumber: Int64?
  /// The name of that entity in the store; `nil` if it has none.
  package let entityName: String?
  /// The number of the first transaction that is deleted; `nil` if all transactions stay.
  package let firstNumber: Int64?
  package let steps: [Step]
  package let transactionCount: Int
  package let changeCount: Int
  /// The digests that the rows of each part of each step must have, computed from another source;
  /// `nil` if only the counts are compared.
  private(set) var digests: [[RowDigest]]?

  package var isEmpty: Bool { steps.isEmpty }

  /// Whether a step takes only changes before the first transaction: what an interrupted insertion has left.
  package func precedesTransactions(_ step: Step) -> Bool {
    guard case .transactions(let last, _, _) = step else { return false }
    return firstNumber.map { last < $0 } ?? true
  }

  /// Returns the deletion with digests that the deleted rows must have.
  ///
  /// - Parameter digests: One for each step, or one for each of its ``partCount(of:)`` parts. Those of
  ///   steps that precede the transactions are not compared.
  package func requiring(_ digests: [[RowDigest]]) -> HistoryDeletion {
    var deletion = self
    deletion.digests = digests
    return deletion
  }

  /// Returns the number of parts in which a step is carried out: one, unless it is a transaction with
  /// more than ``stepSize`` changes. Each part but the last then has exactly ``stepSize`` of them, lowest
  /// numbers first, and the last part has the transaction too.
  package static func partCount(of step: Step) -> Int {
    guard case .transactions(_, let count, let changeCount) = step, count <= 1 else { return 1 }
    return max(1, changeCount / stepSize + (changeCount % stepSize == 0 ? 0 : 1))
  }

  /// The maximum number of changes in a step that has more than one transaction.
  package static let stepSize = 512
  /// The same if each step has to read the whole table.
  static let stepSizeWithoutIndex = 20_000
  /// The maximum number of transactions in a step.
  static let maxTransactions = 128

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
  /// Plans the deletion of all transactions up to and including a number, with their changes; of none if
  /// there is no number.
  ///
  /// Changes without a transaction, which no framework leaves, are deleted with their neighbours; those before
  /// the first transaction, which an interrupted insertion leaves, have steps of their own. Memory grows by a
  /// few bytes for every hundred transactions.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables, and
  ///   ``StoreError/damaged(path:place:detail:)`` if rows are out of order.
  package func deletion(ofTransactionsThrough last: Int64?) throws -> HistoryDeletion {
    let tables = try historyTables()
    // No number means none: a store can have a transaction of the lowest number.
    guard let last else {
      return HistoryDeletion(storeIdentifier: metadata.storeIdentifier, steps: [])
    }
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
    // Grouped by the column itself, SQLite walks its index and reads nothing else.
    let changes = try StatementCursor(
      database,
      sql: """
        SELECT ZTRANSACTIONID, count(*) FROM ACHANGE WHERE ZTRANSACTIONID <= ?1
        GROUP BY ZTRANSACTIONID ORDER BY ZTRANSACTIONID
        """)
    try changes.bind(last)
    var lastOwner = Int64.min
    func nextOwner() throws -> Int64? {
      guard try changes.step() else { return nil }
      let owner = Self.owner(changes)
      guard owner >= lastOwner else {
        throw StoreError.damaged(
          path: location.path, place: "the index of ACHANGE",
          detail: "changes of transaction \(owner) are stored after those of \(lastOwner)")
      }
      lastOwner = owner
      return owner
    }
    var steps = StepCollector(
      stepSize: tables.indexesChangesByTransaction
        ? HistoryDeletion.stepSize : HistoryDeletion.stepSizeWithoutIndex)
    var number = try nextTransaction()
    let firstNumber = number
    var owner = try nextOwner()
    while let next = number.map({ min($0, owner ?? $0) }) ?? owner {
      var (count, changeCount) = (0, 0)
      if number == next {
        count = 1
        number = try nextTransaction()
      }
      while owner == next {
        changeCount += Int(clamping: changes.integer(at: 1))
        owner = try nextOwner()
      }
      if next == firstNumber { steps.close() }
      steps.add(next, count: count, changeCount: changeCount)
    }
    return HistoryDeletion(
      storeIdentifier: metadata.storeIdentifier,
      anchor: try firstTransaction(after: last), firstNumber: firstNumber, steps: steps.finish())
  }

  /// The number of the transaction that the changes of a row belong to.
  ///
  /// Every framework writes an integer; a fraction is rounded up to the next number, so that no step leaves it
  /// out.
  private static func owner(_ changes: StatementCursor) -> Int64 {
    if let number = changes.integerIfAny(at: 0) { return number }
    return Int64(exactly: changes.real(at: 0).rounded(.up)) ?? changes.integer(at: 0)
  }

  /// Plans the deletion of all changes of an entity; their transactions stay.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables, and
  ///   ``StoreError/damaged(path:place:detail:)`` if rows are out of order.
  package func deletion(ofChangesOfEntity number: Int64) throws -> HistoryDeletion {
    _ = try historyTables()
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ACHANGE NOT INDEXED WHERE ZENTITY = ?1 ORDER BY Z_PK")
    try cursor.bind(number)
    var order = RowOrder(path: location.path, table: "ACHANGE")
    var steps: [HistoryDeletion.Step] = []
    var rows: ClosedRange<Int64>?
    var count = 0
    while try cursor.step() {
      let row = cursor.integer(at: 0)
      try order.take(row)
      if let range = rows {
        // Each step reads all rows between its first and its last.
        let (span, overflows) = row.subtractingReportingOverflow(range.lowerBound)
        if count >= HistoryDeletion.stepSize || overflows
          || span >= HistoryDeletion.stepSizeWithoutIndex
        {
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

private struct StepCollector {
  let stepSize: Int
  var steps: [HistoryDeletion.Step] = []
  var last: Int64?
  var count = 0
  var changeCount = 0

  mutating func add(_ number: Int64, count: Int, changeCount: Int) {
    if self.count + count > HistoryDeletion.maxTransactions
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

  mutating func close() {
    guard let last else { return }
    steps.append(.transactions(through: last, count: count, changeCount: changeCount))
    self.last = nil
    count = 0
    changeCount = 0
  }
}
