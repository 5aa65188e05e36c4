import StoreFormat

extension StoreSnapshot {
  /// Plans the deletion of all transactions up to and including a number, with their changes; of none if
  /// there is no number.
  ///
  /// The rows are listed by the index of `ACHANGE` by transaction. Memory grows by a few bytes for every hundred
  /// transactions.
  ///
  /// Changes whose transaction is not a whole number stay.
  ///
  /// - Parameters:
  ///   - last: The number.
  ///   - looseChanges: What to do with changes before the first transaction.
  ///   - checksRows: Whether to check that the index lists exactly the changes that the table has, which reads all of
  ///     them.
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables, and
  ///   ``StoreError/damaged(path:place:detail:)`` if rows are out of order.
  package func deletion(
    ofTransactionsThrough last: Int64?,
    looseChanges: HistoryDeletion.LooseChanges = .deletedIfUnfinished, checksRows: Bool = false
  ) throws -> HistoryDeletion {
    // No number means none: a store can have a transaction of the lowest number.
    guard let last else {
      return HistoryDeletion(
        storeIdentifier: metadata.storeIdentifier, tables: try historyTables(), steps: [])
    }
    let stored = try storedChanges(ofTransactionsThrough: last, isOrdered: true)
    let (deletion, listed) = try deletion(through: last, looseChanges, large: stored.large)
    guard listed != stored.digest else { return deletion }
    // The table has the rows in another order, or the index lists others.
    let all = try storedChanges(ofTransactionsThrough: last, isOrdered: false)
    guard listed == all.digest || !checksRows else {
      throw damage(listed: listed, stored: all.digest, ofTransactionsThrough: last)
    }
    return try self.deletion(through: last, looseChanges, large: all.large).deletion
  }

  /// Returns the deletion, and the digest of the changes that the index lists.
  private func deletion(
    through last: Int64, _ looseChanges: HistoryDeletion.LooseChanges, large: [LargeChange]
  ) throws -> (deletion: HistoryDeletion, listed: ChangeDigest) {
    let tables = try historyTables()
    let transactions = try transactionPositions(from: .min)
    func nextTransaction() throws -> Int64? {
      try transactions.next().flatMap { $0.number <= last ? $0.number : nil }
    }
    var number = try nextTransaction()
    let firstNumber = number
    let stepSize =
      tables.indexesChangesByTransaction
      ? HistoryDeletion.stepSize(tables) : HistoryDeletion.stepSizeWithoutIndex
    let groups = try ChangeGroups(self, through: last, first: firstNumber, large: large)
    var loose = StepCollector(stepSize: stepSize, lowest: groups.current?.number ?? last)
    let takesLoose = try collect(&loose, groups, before: firstNumber, looseChanges)
    var collector = StepCollector(stepSize: stepSize, lowest: firstNumber ?? last)
    var missing: Int64?
    while let next = number.map({ min($0, groups.current?.number ?? $0) })
      ?? groups.current?.number
    {
      let changes = groups.current?.number == next ? groups.current : nil
      if changes != nil { try groups.advance() }
      if number == next {
        collector.add(next, count: 1, changes)
        number = try nextTransaction()
      } else {
        collector.add(next, count: 0, changes)
        missing = missing ?? next
      }
    }
    let disorder =
      missing.map { "there are changes of transaction \($0), which is missing" }
      ?? groups.fraction.map { "a change names the transaction \($0)" }
    let deletion = HistoryDeletion(
      storeIdentifier: metadata.storeIdentifier, tables: tables,
      anchor: try firstTransaction(after: last), firstNumber: firstNumber,
      steps: (takesLoose ? loose.finish() : []) + collector.finish(),
      keptChangeCount: groups.fractionCount + (takesLoose ? 0 : loose.allChangeCount),
      disorder: disorder)
    return (deletion, groups.digest)
  }

  /// Collects the changes before the first transaction, and returns whether they are deleted.
  private func collect(
    _ loose: inout StepCollector, _ groups: ChangeGroups, before firstNumber: Int64?,
    _ looseChanges: HistoryDeletion.LooseChanges
  ) throws -> Bool {
    let first = groups.current
    var count = 0
    while let group = groups.current, firstNumber.map({ group.number < $0 }) ?? true {
      loose.add(group.number, count: 0, group)
      count += 1
      try groups.advance()
    }
    switch looseChanges {
    case .kept: return false
    case .deletedIfUnfinished:
      guard count == 1, let first else { return false }
      return try isUnfinished(first, before: groups.current)
    case .deleted: return true
    }
  }

  /// Returns the number of changes that name no number as their transaction.
  package func changeCountWithoutNumber() throws -> Int {
    let tables = try historyTables()
    // Null is before all numbers in an index, and texts and blobs are after them.
    let condition =
      tables.indexesChangesByTransaction
      ? """
      (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IS NULL)
        + (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID >= '')
      """
      : """
      (SELECT count(*) FROM ACHANGE WHERE typeof(ZTRANSACTIONID) NOT IN ('integer', 'real'))
      """
    return Int(clamping: try StatementRunner(database).integer("SELECT \(condition)") ?? 0)
  }

  /// Whether the changes of a transaction that is missing can be what an interrupted insertion has left.
  ///
  /// It inserts the changes of a transaction in their order and the last ones together with the
  /// transaction. If a transaction is lost instead, its changes are complete, and the numbers of the next
  /// transaction follow theirs.
  ///
  /// - Parameters:
  ///   - group: The changes.
  ///   - next: The changes of the next transaction; `nil` if there are none.
  private func isUnfinished(
    _ group: ChangeGroups.Group, before next: ChangeGroups.Group?
  ) throws -> Bool {
    guard group.number > 0 else { return false }
    let last = group.rows.upperBound
    if let next, next.rows.lowerBound < last { return false }
    let following = try StatementRunner(database).integer(
      "SELECT min(Z_PK) FROM ACHANGE NOT INDEXED WHERE Z_PK > ?1", [.integer(last)])
    // Without later changes there are the numbers up to the highest that was ever issued.
    guard let following else { return entities.highestNumber(of: .change) > last }
    return following - 1 > last
  }

  /// Plans the deletion of all changes of an entity; their transactions stay.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables, and
  ///   ``StoreError/damaged(path:place:detail:)`` if rows are out of order.
  package func deletion(ofChangesOfEntity number: Int64) throws -> HistoryDeletion {
    let tables = try historyTables()
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ACHANGE NOT INDEXED WHERE ZENTITY = ?1 ORDER BY Z_PK")
    try cursor.bind(number)
    var order = RowOrder(path: location.path, table: "ACHANGE")
    let stepSize = HistoryDeletion.stepSize(tables)
    var steps: [HistoryDeletion.Step] = []
    var rows: ClosedRange<Int64>?
    var count = 0
    while try cursor.step() {
      let row = cursor.integer(at: 0)
      try order.take(row)
      if let range = rows {
        // Each step reads all rows between its first and its last.
        let (span, overflows) = row.subtractingReportingOverflow(range.lowerBound)
        if count >= stepSize || overflows
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
      storeIdentifier: metadata.storeIdentifier, tables: tables, entityNumber: number,
      entityName: entities.entries.first { $0.number == number }?.name, steps: steps)
  }
}

/// Steps through the changes by the index by transaction, those of each transaction together.
private final class ChangeGroups {
  /// The changes that name one transaction.
  struct Group {
    let number: Int64
    let count: Int
    let rows: ClosedRange<Int64>
    /// The bytes of its large changes.
    let largeByteCount: Int
    /// The number of changes in each part, if they are deleted alone; see ``HistoryDeletion/Transactions/parts``.
    let parts: [Int]
  }

  /// The changes of the transaction at which it is; `nil` after the last one.
  private(set) var current: Group?
  /// The first number after the first transaction's that is not whole; `nil` without such.
  private(set) var fraction: Double?
  /// The number of changes whose number is not whole.
  private(set) var fractionCount = 0

  /// What the index lists.
  private(set) var digest = ChangeDigest()

  private let path: String
  private let stepSize: Int
  private let cursor: StatementCursor
  private let rows: StatementCursor
  private let first: Int64?
  /// The first change of the next transaction, at which the cursor is.
  private var next: (number: Int64, row: Int64)?
  /// The large changes of the transactions that follow.
  private var large: ArraySlice<LargeChange>

  init(
    _ snapshot: StoreSnapshot, through last: Int64, first: Int64?, large: [LargeChange]
  ) throws {
    self.first = first
    self.large = large[...]
    path = snapshot.location.path
    stepSize = HistoryDeletion.stepSize(try snapshot.historyTables())
    // SQLite walks the index and reads nothing else. It takes twice as long to count the changes itself.
    cursor = try StatementCursor(
      snapshot.database,
      sql: """
        SELECT ZTRANSACTIONID, Z_PK FROM ACHANGE
        WHERE ZTRANSACTIONID <= ?1 ORDER BY ZTRANSACTIONID, Z_PK
        """)
    try cursor.bind(last)
    rows = try StatementCursor(
      snapshot.database, sql: "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK")
    next = try step()
    try advance()
  }

  /// Goes to the changes of the next transaction.
  func advance() throws {
    guard let (number, row) = next else {
      current = nil
      return
    }
    var (count, lowest, highest) = (1, row, row)
    next = try step()
    while let (following, row) = next, following == number {
      count += 1
      lowest = min(lowest, row)
      highest = max(highest, row)
      next = try step()
    }
    if let following = next?.number, following < number {
      throw StoreError.damaged(
        path: path, place: "the index of ACHANGE",
        detail: "changes of transaction \(following) are stored after those of \(number)")
    }
    large = large.drop { $0.transaction < number }
    let ownLarge = large.prefix { $0.transaction == number }
    current = Group(
      number: number, count: count, rows: lowest...highest,
      largeByteCount: ownLarge.reduce(0) { $0 + $1.byteCount },
      parts: try parts(of: number, count: count, ownLarge))
  }

  /// Returns the next change that names a whole number.
  private func step() throws -> (number: Int64, row: Int64)? {
    while try cursor.step() {
      let row = cursor.integer(at: 1)
      if let number = cursor.integerIfAny(at: 0) {
        digest.add(change: row, of: number)
        return (number, row)
      }
      if let first, fraction == nil, case let found = cursor.real(at: 0), found > Double(first) {
        fraction = found
      }
      fractionCount += 1
    }
    return nil
  }

  /// Divides the changes of a transaction.
  private func parts(
    of number: Int64, count: Int, _ large: ArraySlice<LargeChange>
  ) throws -> [Int] {
    guard !large.isEmpty else {
      let rest = count % stepSize
      return Array(repeating: stepSize, count: count / stepSize)
        + (rest > 0 || count == 0 ? [rest] : [])
    }
    var large = large
    var parts: [Int] = []
    var (partCount, partBytes) = (0, 0)
    try rows.bind(number)
    while try rows.step() {
      var byteCount = 0
      if let next = large.first, next.row == rows.integer(at: 0) {
        byteCount = next.byteCount
        large.removeFirst()
      }
      if partCount == stepSize
        || partBytes > 0 && partBytes + byteCount > HistoryDeletion.maxByteCount
      {
        parts.append(partCount)
        (partCount, partBytes) = (0, 0)
      }
      partCount += 1
      partBytes += byteCount
    }
    return parts + [partCount]
  }
}

private struct StepCollector {
  /// Up to how many numbers there may be for each row of a step whose rows are read by number.
  private static let maxNumbersPerRow: Int64 = 8

  let stepSize: Int
  /// The lowest number of a transaction of any step.
  let lowest: Int64
  private var steps: [HistoryDeletion.Step] = []
  private var last: Int64?
  private var count = 0
  private var changeCount = 0
  private var largeByteCount = 0
  /// The parts of the only changes; `nil` if they are of several transactions.
  private var parts: [Int]? = [0]
  private(set) var allChangeCount = 0
  private var rows: ClosedRange<Int64>?
  /// The highest row of earlier steps.
  private var highest: Int64?

  init(stepSize: Int, lowest: Int64) {
    self.stepSize = stepSize
    self.lowest = lowest
  }

  mutating func add(_ number: Int64, count: Int, _ changes: ChangeGroups.Group?) {
    let changeCount = changes?.count ?? 0
    let largeByteCount = changes?.largeByteCount ?? 0
    if self.count + count > HistoryDeletion.maxTransactions
      || self.changeCount + changeCount > stepSize
      || self.largeByteCount + largeByteCount > HistoryDeletion.maxByteCount
    {
      close()
    }
    parts = last == nil ? changes?.parts ?? [0] : nil
    last = number
    self.largeByteCount += largeByteCount
    self.count += count
    self.changeCount += changeCount
    allChangeCount += changeCount
    guard let changes else { return }
    rows =
      rows.map {
        min($0.lowerBound, changes.rows.lowerBound)...max($0.upperBound, changes.rows.upperBound)
      } ?? changes.rows
  }

  mutating func finish() -> [HistoryDeletion.Step] {
    close()
    return steps
  }

  private mutating func close() {
    guard let last else { return }
    var rows = rows
    var hasFewRows = true
    if let found = rows {
      let (span, overflows) = found.upperBound.subtractingReportingOverflow(found.lowerBound)
      if let highest, highest < found.lowerBound {
        // Rows between two steps belong to neither. One that names a transaction of them is found here.
        rows = highest + 1...found.upperBound
      } else {
        hasFewRows =
          !overflows
          && (span < HistoryDeletion.stepSizeWithoutIndex
            || span / Self.maxNumbersPerRow < changeCount)
      }
      highest = max(highest ?? found.upperBound, found.upperBound)
    }
    steps.append(
      .transactions(
        HistoryDeletion.Transactions(
          numbers: lowest...max(lowest, last), count: count, changeCount: changeCount, rows: rows,
          hasFewRows: hasFewRows, parts: parts ?? [changeCount])))
    self.last = nil
    count = 0
    changeCount = 0
    largeByteCount = 0
    self.rows = nil
  }
}
