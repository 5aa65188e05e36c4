import GRDB

/// The number of some changes, and a sum over their numbers and transactions in any order.
///
/// Unlike ``RowDigest`` it costs next to nothing for each change.
package struct ChangeDigest: Hashable, Sendable {
  package private(set) var count: Int64 = 0
  private var sum: UInt64 = 0

  package init() {}

  @inline(__always)
  package mutating func add(change row: Int64, of transaction: Int64) {
    count &+= 1
    // The finalizer of SplitMix64, of which the last step is not needed for a sum.
    var mixed =
      UInt64(bitPattern: row) &* 0x9e37_79b9_7f4a_7c15
      ^ UInt64(bitPattern: transaction) &* 0xc2b2_ae3d_27d4_eb4f
    mixed = (mixed ^ mixed >> 32) &* 0xd6e8_feb8_6659_fd93
    sum &+= mixed ^ mixed >> 29
  }
}

/// Compares the index of changes by transaction with the table.
///
/// SQLite trusts both. An entry that is missing hides a change from every search by transaction, and an entry
/// with another number finds a change of another transaction.
///
/// Both are read once, and of the table only the rows of the transactions: the frameworks write changes in the
/// order of their transactions. Where the table has them in another order, or the rows around those of the
/// transactions contradict the index, the whole table is read.
struct ChangeComparison {
  private let database: Database
  private let tables: HistoryTables
  private let path: String
  private let pages: ChangePages?

  /// - Parameters:
  ///   - statement: The connection, which may be in the middle of writing.
  ///   - tables: The layout of the history.
  ///   - path: The store, for errors.
  init(_ statement: StatementRunner, _ tables: HistoryTables, path: String) {
    self.init(statement.database, tables, path: path, pages: nil)
  }

  init(_ database: Database, _ tables: HistoryTables, path: String, pages: ChangePages?) {
    self.database = database
    self.tables = tables
    self.path = path
    self.pages = pages
  }

  /// Checks that the index lists exactly the changes that the table has of some transactions.
  ///
  /// It does nothing for a layout without such an index, in which every search reads the table.
  ///
  /// - Parameter range: The transactions; those that do not exist may be among them.
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  func check(ofTransactions range: ClosedRange<Int64>) throws {
    guard tables.indexesChangesByTransaction else { return }
    let listed = try listedChanges(of: range)
    if let rows = try rows(of: range, listed), try changes(of: range, in: rows) == listed.digest {
      return
    }
    let present = try changes(of: range, in: .min ... .max)
    guard present == listed.digest else {
      throw Self.difference(listed.digest, present, range, path: path)
    }
  }

  /// Returns the error for transactions of which the table has other changes than the index lists.
  static func difference(
    _ listed: ChangeDigest, _ present: ChangeDigest, _ range: ClosedRange<Int64>, path: String
  ) -> StoreError {
    let first = range.lowerBound == .min ? "" : " from \(range.lowerBound)"
    let last = range.upperBound == .max ? "" : " to \(range.upperBound)"
    let part =
      range.lowerBound == range.upperBound
      ? " of transaction \(range.lowerBound)"
      : first + last == "" ? "" : " of transactions\(first)\(last)"
    return .damaged(
      path: path, place: "ACHANGE",
      detail: listed.count == present.count
        ? "its index lists other changes\(part) than the table has"
        : "the table has \(present.count) changes\(part); its index lists \(listed.count)")
  }

  // MARK: - The index

  /// The changes that the index lists.
  private struct Listed {
    var digest = ChangeDigest()
    var lowest = Int64.max
    var highest = Int64.min
    private var last: (transaction: Int64, row: Int64)?

    /// Adds the next entry; returns `false` if it is out of order.
    mutating func add(_ transaction: Int64, _ row: Int64) -> Bool {
      if let last,
        transaction < last.transaction || transaction == last.transaction && row <= last.row
      {
        return false
      }
      last = (transaction, row)
      digest.add(change: row, of: transaction)
      lowest = min(lowest, row)
      highest = max(highest, row)
      return true
    }
  }

  /// Reads the index as the searches do, by SQLite: where its upper pages contradict each other, another reader finds
  /// entries that no search finds.
  private func listedChanges(of range: ClosedRange<Int64>) throws -> Listed {
    var listed = Listed()
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT ZTRANSACTIONID, Z_PK FROM ACHANGE \(tables.changes.indexClause(by: "ZTRANSACTIONID"))
        WHERE ZTRANSACTIONID BETWEEN ?1 AND ?2 ORDER BY ZTRANSACTIONID, Z_PK
        """, isCached: true)
    defer { cursor.reset() }
    try cursor.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    while try cursor.step() {
      // A value between two integers is not the number of a transaction.
      guard let transaction = cursor.integerIfAny(at: 0) else { continue }
      try add(transaction, cursor.integer(at: 1), to: &listed)
    }
    return listed
  }

  @inline(__always)
  private func add(_ transaction: Int64, _ row: Int64, to listed: inout Listed) throws {
    guard listed.add(transaction, row) else { throw outOfOrder(transaction, row) }
  }

  private func outOfOrder(_ transaction: Int64, _ row: Int64) -> StoreError {
    .damaged(
      path: path, place: "ACHANGE",
      detail: "its index lists row \(row) of transaction \(transaction) out of order")
  }

  // MARK: - The table

  /// Returns the rows between which the table has all changes of the transactions, if it is in the order of the
  /// transactions; `nil` where rows next to them show that it is not.
  private func rows(of range: ClosedRange<Int64>, _ listed: Listed) throws -> ClosedRange<Int64>? {
    guard listed.digest.count == 0 else {
      let rows = listed.lowest...listed.highest
      return try isSurrounded(rows, of: range) ? rows : nil
    }
    let before = try entry("< ?1", range.lowerBound, "DESC")
    let after = try entry("> ?1", range.upperBound, "ASC")
    let (first, last) = (before ?? .min, after ?? .max)
    guard first <= last,
      try before.map({ try owner(ofRow: $0).map { $0 < range.lowerBound } ?? false }) ?? true,
      try after.map({ try owner(ofRow: $0).map { $0 > range.upperBound } ?? false }) ?? true
    else { return nil }
    return first...last
  }

  /// Returns whether the rows before and after some rows belong to transactions before and after a range.
  func isSurrounded(_ rows: ClosedRange<Int64>, of range: ClosedRange<Int64>) throws -> Bool {
    if let before = try integer(
      """
      SELECT ZTRANSACTIONID FROM ACHANGE NOT INDEXED
      WHERE Z_PK < ?1 AND typeof(ZTRANSACTIONID) = 'integer' ORDER BY Z_PK DESC LIMIT 1
      """, rows.lowerBound), before >= range.lowerBound
    {
      return false
    }
    if let after = try integer(
      """
      SELECT ZTRANSACTIONID FROM ACHANGE NOT INDEXED
      WHERE Z_PK > ?1 AND typeof(ZTRANSACTIONID) = 'integer' ORDER BY Z_PK LIMIT 1
      """, rows.upperBound), after <= range.upperBound
    {
      return false
    }
    return true
  }

  /// Returns the row of the entry next to a transaction.
  private func entry(
    _ comparison: String, _ transaction: Int64, _ order: String
  ) throws -> Int64? {
    try integer(
      """
      SELECT Z_PK FROM ACHANGE \(tables.changes.indexClause(by: "ZTRANSACTIONID"))
      WHERE ZTRANSACTIONID \(comparison) AND typeof(ZTRANSACTIONID) = 'integer'
      ORDER BY ZTRANSACTIONID \(order), Z_PK \(order) LIMIT 1
      """, transaction)
  }

  /// Returns the last row that the index lists of the transactions up to and including a number; `nil` if it lists none,
  /// or if the next row in the table is of one of them too.
  func lastRow(ofTransactionsThrough last: Int64) throws -> Int64? {
    guard tables.indexesChangesByTransaction, let row = try entry("<= ?1", last, "DESC"),
      try isSurrounded(.min...row, of: .min...last)
    else { return nil }
    return row
  }

  private func owner(ofRow row: Int64) throws -> Int64? {
    try integer("SELECT ZTRANSACTIONID FROM ACHANGE NOT INDEXED WHERE Z_PK = ?1", row)
  }

  private func integer(_ sql: String, _ value: Int64) throws -> Int64? {
    try StatementRunner(database).integer(sql, [.integer(value)])
  }

  /// Counts the changes of the transactions that the table has in some rows.
  private func changes(
    of range: ClosedRange<Int64>, in rows: ClosedRange<Int64>
  ) throws -> ChangeDigest {
    var large: [LargeChange]?
    return try changes(of: range, in: rows, findingLarge: &large)
  }

  /// Counts the changes of the transactions that the table has in some rows.
  ///
  /// - Parameter large: Receives the large ones among them; `nil` if nobody asks.
  func changes(
    of range: ClosedRange<Int64>, in rows: ClosedRange<Int64>,
    findingLarge large: inout [LargeChange]?
  ) throws -> ChangeDigest {
    var digest = ChangeDigest()
    if let pages {
      var cursor = try ChangePageCursor(pages, rows: rows)
      var row = ChangeRow()
      while try cursor.next(&row) {
        guard row.record == nil else {
          if let owner = row.transaction, range.contains(owner) {
            digest.add(change: row.number, of: owner)
          }
          continue
        }
        // Large rows are among those that do not fit into a page.
        try add(in: row.number...row.number, of: range, to: &digest, &large)
      }
    } else {
      try add(in: rows, of: range, to: &digest, &large)
    }
    return digest
  }

  /// Counts the changes that SQLite finds in some rows.
  private func add(
    in rows: ClosedRange<Int64>, of range: ClosedRange<Int64>, to digest: inout ChangeDigest,
    _ large: inout [LargeChange]?
  ) throws {
    let size = large == nil ? "0" : RecordSize.ofValues(tables)
    var order = RowOrder(path: path, table: "ACHANGE")
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT Z_PK, ZTRANSACTIONID, \(size) FROM ACHANGE NOT INDEXED
        WHERE Z_PK BETWEEN ?1 AND ?2 ORDER BY Z_PK
        """, isCached: true)
    defer { cursor.reset() }
    try cursor.bind([.integer(rows.lowerBound), .integer(rows.upperBound)])
    while try cursor.step() {
      let number = cursor.integer(at: 0)
      try order.take(number)
      guard let owner = cursor.integerIfAny(at: 1), range.contains(owner) else { continue }
      digest.add(change: number, of: owner)
      let byteCount = Int(clamping: cursor.integer(at: 2))
      if byteCount >= LargeChange.minByteCount {
        large?.append(LargeChange(transaction: owner, row: number, byteCount: byteCount))
      }
    }
  }
}

extension StoreSnapshot {
  /// Compares changes in the index by transaction with the table.
  func changeComparison() throws -> ChangeComparison {
    ChangeComparison(database, try historyTables(), path: location.path, pages: changePages)
  }

  /// Checks that the index by transaction lists exactly the changes that the table has of some transactions;
  /// see ``ChangeComparison``.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func checkChanges(ofTransactions range: ClosedRange<Int64>) throws {
    try changeComparison().check(ofTransactions: range)
  }
}
