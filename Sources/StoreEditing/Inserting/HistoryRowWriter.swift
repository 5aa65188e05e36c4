import StoreFormat

/// Puts rows of a history back as they were: with their numbers, and every value in the storage class
/// that it had.
///
/// Nothing is numbered anew, so that `Z_PRIMARYKEY` stays as it is.
struct HistoryRowWriter {
  let statement: StatementRunner
  let columns: RecordedColumns
  /// Numbers that are no text's and must not become one's.
  let danglingTextNumbers: Set<Int64>
  private let tables: HistoryTables
  private let path: String

  init(
    statement: StatementRunner, tables: HistoryTables, danglingTextNumbers: Set<Int64>,
    path: String
  ) {
    self.statement = statement
    self.tables = tables
    self.path = path
    self.danglingTextNumbers = danglingTextNumbers
    columns = RecordedColumns(tables)
  }

  /// Inserts the row of a transaction, and of those of its texts that the store has lost.
  func insert(_ transaction: RecordedTransaction) throws {
    for number in transaction.danglingTextNumbers where tables.internsStrings {
      guard try !hasText(number) else {
        throw StoreWriteError.historyChanged(
          path: path, detail: "the text \(number), which was to stay unknown, is there by now")
      }
    }
    try statement.run(
      columns.transactionInsert, try columns.values(of: transaction, number: intern))
  }

  /// Inserts the row of a change.
  func insert(_ change: RecordedChange, of transaction: Int64) throws {
    try statement.run(
      columns.changeInsert, try columns.values(of: change, transaction: transaction))
  }

  /// Whether a change is there already; that of another transaction or object must not be.
  func isPresent(_ change: RecordedChange, of transaction: Int64) throws -> Bool {
    let rows = try statement.rows(
      "SELECT ZTRANSACTIONID, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK = ?1",
      [.integer(change.number)])
    guard let row = rows.first else { return false }
    let wanted: [StoredValue] = [
      .integer(transaction), change.entityNumber.map(StoredValue.integer) ?? row[1],
      change.primaryKey.map(StoredValue.integer) ?? row[2],
    ]
    guard row == wanted else {
      throw StoreWriteError.historyChanged(
        path: path, detail: "change \(change.number) is another one by now")
    }
    return true
  }

  private func hasText(_ number: Int64) throws -> Bool {
    try statement.integer(
      "SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1 AND typeof(ZNAME) = 'text'",
      [.integer(number)]) != nil
  }

  /// The number of a text; where the store has lost it, the lowest one that is free.
  private func intern(_ text: RecordedText) throws -> Int64 {
    let known = try statement.integer(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1 ORDER BY Z_PK", [text.storedValue])
    if let known { return known }
    let free = FreeTextNumbers(statement: statement, tables: tables)
    guard let number = try free.first(1, except: danglingTextNumbers).first else {
      throw StoreWriteError.numbersExhausted(table: "ATRANSACTIONSTRING")
    }
    try statement.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
      [
        .integer(number), .integer(EntityNumbering.HistoryEntity.string.rawValue), text.storedValue,
      ])
    return number
  }
}
