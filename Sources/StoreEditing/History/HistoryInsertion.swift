import StoreFormat
import StoreTransactions

/// The state that a store must have for older history to be inserted before its own.
///
/// It is taken from a snapshot; ``HistoryInserter`` checks under the lock whether it still holds.
package struct HistoryInsertion: Sendable {
  /// The store, its entities and its model.
  let shape: StoreShape
  package let tables: HistoryTables
  let oldest: TransactionPosition?
  /// Whether there may be changes without the transactions that they belong to.
  package let hasLooseChanges: Bool
  /// Text numbers that transactions to be inserted contain and that lead to no text.
  let danglingTextNumbers: Set<Int64>

  /// A part of a transaction that is to be inserted.
  package struct Piece: Sendable {
    /// The maximum number of changes in a piece.
    package static let size = 512
    /// The size of its rows and values at which a piece ends, in bytes. One piece is written while the store is
    /// locked; a larger row is a piece of its own.
    package static let maxByteCount = 1 << 20

    let transaction: Int64
    /// Some of its changes, in recorded order.
    let changes: [RecordedChange]
    /// The transaction's own row, with its last changes.
    let row: RecordedTransaction?
    /// The recorded old and new values of these changes.
    let values: [RecordedValueRow]
    /// The size of its rows and values.
    let byteCount: Int

    package init(
      transaction: Int64, changes: [RecordedChange], row: RecordedTransaction?,
      values: [RecordedValueRow] = [], byteCount: Int = 0
    ) {
      self.transaction = transaction
      self.changes = changes
      self.row = row
      self.values = values
      self.byteCount = byteCount
    }
  }

  /// Returns what a change adds to the size of a piece, in bytes.
  package func byteCount(of change: RecordedChange, _ values: [RecordedValueRow]) -> Int {
    // SQLite takes each column of the table, also those without a value.
    tables.changeColumns.count * Self.columnCost + change.byteCount
      + values.reduce(0) { $0 + $1.value.byteCount }
  }

  /// The bytes that take as long to write as a column without a value.
  private static let columnCost = 8
}

package struct InsertedHistory: Hashable, Sendable {
  package let transactionCount: Int
  package let changeCount: Int

  package init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}

package struct InsertionResult: Sendable {
  package static let nothing = InsertionResult()

  /// The history that was inserted and committed.
  package internal(set) var inserted = InsertedHistory(transactionCount: 0, changeCount: 0)
  package internal(set) var longestLock = 0.0
  package internal(set) var batchCount = 0
  /// The error that ended the insertion, usually a ``StoreWriteError``; `nil` if all is inserted.
  package internal(set) var problem: (any Error)?
}

extension StoreSnapshot {
  /// Returns the state of the store for ``HistoryInserter``.
  ///
  /// - Parameter danglingTextNumbers: Text numbers that transactions to be inserted contain and that lead
  ///   to no text.
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func insertion(danglingTextNumbers: Set<Int64> = []) throws -> HistoryInsertion {
    let tables = try historyTables()
    let oldest = try oldestTransaction()
    let condition = oldest == nil ? "" : "WHERE ZTRANSACTIONID < ?1"
    let loose = try StatementRunner(database).integer(
      "SELECT 1 FROM ACHANGE \(condition) LIMIT 1", oldest.map { [.integer($0.number)] } ?? [])
    return HistoryInsertion(
      shape: try shape(), tables: tables, oldest: oldest, hasLooseChanges: loose != nil,
      danglingTextNumbers: danglingTextNumbers)
  }

  /// Returns how many changes refer to a transaction, whether it is there or not.
  package func changeCount(ofTransaction number: Int64) throws -> Int {
    _ = try historyTables()
    let count = try StatementRunner(database).integer(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ?1", [.integer(number)])
    return Int(clamping: count ?? 0)
  }

  /// Returns the transaction, the kind and the object of the change with a number, whether its transaction is there or
  /// not.
  package func presentChange(
    numbered number: Int64
  ) throws -> (transaction: Int64?, change: RecordedChange)? {
    _ = try historyTables()
    let rows = try StatementRunner(database).rows(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK = ?1",
      [.integer(number)])
    guard let row = rows.first else { return nil }
    let values = row.map { if case .integer(let value) = $0 { value } else { nil as Int64? } }
    let change = RecordedChange(
      number: number, kind: values[1].flatMap(ChangeKind.init(rawValue:)),
      entityNumber: values[2], primaryKey: values[3])
    return (values[0], change)
  }

  /// Returns whether a change of any transaction has one of the numbers in a range.
  package func hasChange(numbered range: ClosedRange<Int64>) throws -> Bool {
    _ = try historyTables()
    return try StatementRunner(database).integer(
      "SELECT 1 FROM ACHANGE WHERE Z_PK BETWEEN ?1 AND ?2 LIMIT 1",
      [.integer(range.lowerBound), .integer(range.upperBound)]) != nil
  }

  /// Returns the highest change number that the store ever issued.
  ///
  /// In a copy that lost its log, `Z_MAX` can be lower than the numbers of the rows.
  package func highestIssuedChange() throws -> Int64 {
    max(entities.highestNumber(of: .change), try highestChangeNumber())
  }

  /// Returns how many of some texts the store has not interned; 0 if it interns none.
  package func missingTextCount(among texts: Set<RecordedText>) throws -> Int {
    guard try historyTables().internsStrings else { return 0 }
    let statement = StatementRunner(database)
    return try texts.count { text in
      try statement.integer(
        "SELECT 1 FROM ATRANSACTIONSTRING WHERE ZNAME = ?1", [text.storedValue]) == nil
    }
  }

  /// Returns whether there are numbers for a count of texts that the store has lost.
  package func hasFreeTextNumbers(
    _ count: Int, danglingTextNumbers: Set<Int64>
  ) throws -> Bool {
    try HistoryRowWriter(statement: StatementRunner(database), tables: historyTables())
      .freeTextNumbers(count, except: danglingTextNumbers).count == count
  }

  /// Returns the lowest of some numbers that an interned text has.
  package func firstText(among numbers: Set<Int64>) throws -> Int64? {
    guard try historyTables().internsStrings else { return nil }
    let statement = StatementRunner(database)
    return try numbers.sorted().first { try statement.hasText(numbered: $0) }
  }
}

extension StatementRunner {
  func hasText(numbered number: Int64) throws -> Bool {
    try integer(
      "SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1 AND typeof(ZNAME) = 'text'",
      [.integer(number)]) != nil
  }
}
