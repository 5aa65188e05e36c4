import GRDB
import GRDBSQLite

/// What a change did to which object, and nothing else of its row.
package struct ChangeOutline: Sendable {
  /// The number of the transaction.
  package let transaction: Int64
  /// The change number, `Z_PK`.
  package let number: Int64
  /// What happened; nil for a kind that no framework writes.
  package let kind: ChangeKind?
  /// The number of the object's own entity; nil where the row holds none.
  package let entityNumber: Int64?
  /// The object's primary key; nil where the row holds none.
  package let primaryKey: Int64?
}

/// Steps through the outlines of changes, transaction by transaction and in recorded order.
///
/// Of a million changes only these few columns are needed to say what they come to. What a deleted
/// object left behind is asked for afterwards, where it matters, from ``TombstoneLookup``.
package final class ChangeOutlineCursor {
  /// How many changes there are at most; nil where it costs too much to know.
  package let expectedCount: Int?

  private let cursor: StatementCursor
  /// The transactions, for rows that are read as they lie; nil where SQLite joins the two.
  private let owners: Owners?
  /// Goes through such rows.
  private let scan: RowScan?
  private let object: ChangeSelection.Object?
  private let path: String
  @exclusivity(unchecked) private var order: RowOrder
  /// The transaction of the row before.
  @exclusivity(unchecked) private var lastOwner: Int64?
  /// Throws where a number of changes is not the one that there must be; nil where some are left out.
  private let checkCount: ((Int64) throws -> Void)?
  @exclusivity(unchecked) private var count: Int64 = 0

  /// Reads in the order of the transactions.
  ///
  /// - Parameters:
  ///   - database: The store.
  ///   - tables: The layout of its history.
  ///   - selection: Which changes: of the transactions that it names, in ascending order, and
  ///     themselves as its condition on changes says; its order and limits do not count.
  ///   - object: Changes of this object and of those before it are left out.
  ///   - path: The store, for errors.
  ///   - checkCount: Throws where a number of changes is not the one that there must be, called after
  ///     the last one; nil where some are left out.
  init(
    _ database: Database, tables: HistoryTables, selection: TransactionSelection,
    after object: ChangeSelection.Object?, path: String, checkCount: ((Int64) throws -> Void)?
  ) throws {
    self.path = path
    self.checkCount = checkCount
    order = RowOrder(path: path, table: "ACHANGE")
    var builder = selection.conditions(tables: tables)
    if let change = selection.change {
      let matching = builder.matches(change)
      builder.add(matching)
    }
    let conditions =
      builder.conditions.isEmpty ? "" : "WHERE " + builder.conditions.joined(separator: " AND ")
    // The cross join keeps SQLite from starting with the changes, in whose order it would have to
    // sort the transactions.
    cursor = try StatementCursor(
      database,
      sql: """
        SELECT t.Z_PK, \(Self.columns(tables))
        FROM ATRANSACTION AS t CROSS JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK
        \(conditions) ORDER BY t.Z_PK, c.Z_PK
        """)
    try cursor.bind(builder.arguments)
    owners = nil
    scan = nil
    self.object = object
    expectedCount = nil
  }

  /// Reads rows as they lie in the file.
  ///
  /// - Parameters:
  ///   - database: The store.
  ///   - tables: The layout of its history.
  ///   - selection: A range of transactions, without conditions.
  ///   - object: Changes of this object and of those before it are left out.
  ///   - rows: The rows among which all changes of the range are, and how many those are.
  ///   - pages: The pages to read those rows from; nil to ask SQLite for them.
  /// - Throws: ``RowsOutOfOrder`` where the pages are not as they should be.
  init(
    _ database: Database, tables: HistoryTables, selection: TransactionSelection,
    after object: ChangeSelection.Object?, rows: ChangeRowSpan, pages: ChangePages?, path: String,
    checkCount: ((Int64) throws -> Void)?
  ) throws {
    self.path = path
    self.checkCount = checkCount
    order = RowOrder(path: path, table: "ACHANGE")
    let scan = try RowScan(
      database, rows: rows.rows, pages: pages, path: path, numberColumn: Columns.number
    ) {
      """
      SELECT c.ZTRANSACTIONID, \(Self.columns(tables)) FROM ACHANGE AS c NOT INDEXED
      WHERE c.Z_PK \($0) ORDER BY c.Z_PK
      """
    }
    self.scan = scan
    cursor = scan.statement
    self.object = object
    owners = try Owners(database, tables, selection)
    expectedCount = Int(clamping: rows.count)
  }

  private static func columns(_ tables: HistoryTables) -> String {
    let tombstone = tables.tombstoneColumns.map { "c.\(quoted($0))" }
    return "c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS, "
      + "c.ZCHANGETYPE = \(ChangeKind.delete.rawValue) AND \(firstValue(of: tombstone)) IS NOT NULL"
  }

  /// Goes to the next change; `nil` after the last one.
  ///
  /// - Throws: ``RowsOutOfOrder`` where rows that are read as they lie do not lie in the order of their
  ///   transactions.
  package func next() throws -> ChangeOutline? {
    while try scan?.next() ?? cursor.step() {
      guard let owner, try owners?.contains(owner) ?? true else { continue }
      let outline = outline(of: owner)
      if scan == nil { try checkOrder(outline) }
      count += 1
      if isWanted(outline) { return outline }
    }
    try checkCount?(count)
    return nil
  }

  private func checkOrder(_ outline: ChangeOutline) throws {
    if outline.transaction != lastOwner {
      if let lastOwner, outline.transaction < lastOwner {
        throw StoreError.damaged(
          path: path, place: "ATRANSACTION",
          detail: "row \(outline.transaction) is stored after row \(lastOwner)")
      }
      lastOwner = outline.transaction
      order.restart()
    }
    try order.take(outline.number)
  }

  /// Whether a change is of an object behind the one to begin with; a change that names no object is
  /// of none.
  private func isWanted(_ outline: ChangeOutline) -> Bool {
    guard let object else { return true }
    guard let entityNumber = outline.entityNumber, let primaryKey = outline.primaryKey else {
      return false
    }
    return (entityNumber, primaryKey) > (object.entityNumber, object.primaryKey)
  }

  /// The transaction of the row that was stepped to; nil where the row names none.
  private var owner: Int64? {
    if let page = scan?.page { return page.transaction }
    return cursor.integerIfAny(at: Columns.transaction)
  }

  private func outline(of owner: Int64) -> ChangeOutline {
    if let page = scan?.page {
      return ChangeOutline(
        transaction: owner, number: page.number,
        kind: ChangeKind(rawValue: page.kind), entityNumber: page.entityNumber,
        primaryKey: page.primaryKey)
    }
    return ChangeOutline(
      transaction: owner, number: cursor.integer(at: Columns.number),
      kind: cursor.integerIfAny(at: Columns.kind).flatMap(ChangeKind.init(rawValue:)),
      entityNumber: cursor.integerIfAny(at: Columns.entity),
      primaryKey: cursor.integerIfAny(at: Columns.primaryKey))
  }

  /// Which slots the update touched that the cursor is at; nil for inserts and deletes.
  package var mask: ColumnMask? {
    if let page = scan?.page { return page.mask }
    return cursor.type(at: Columns.mask) == SQLITE_BLOB
      ? ColumnMask(bytes: cursor.bytes(at: Columns.mask)) : nil
  }

  /// Whether the object left anything behind whose delete the cursor is at.
  package var hasTombstone: Bool {
    if let page = scan?.page {
      return page.kind == ChangeKind.delete.rawValue && page.hasTombstone
    }
    return cursor.integer(at: Columns.hasTombstone) != 0
  }

  private enum Columns {
    static let transaction = 0
    static let number = 1
    static let kind = 2
    static let entity = 3
    static let primaryKey = 4
    static let mask = 5
    static let hasTombstone = 6
  }

  /// The transactions of a range, asked for in ascending order.
  private final class Owners {
    private let cursor: StatementCursor
    private let range: ClosedRange<Int64>
    @exclusivity(unchecked) private var last: Int64?
    /// The transaction that the cursor is at; `nil` after the last one.
    @exclusivity(unchecked) private var current: Int64?

    init(
      _ database: Database, _ tables: HistoryTables, _ selection: TransactionSelection
    ) throws {
      range = selection.range
      let query = selection.query(columns: ["t.Z_PK"], tables: tables)
      cursor = try StatementCursor(database, sql: query.sql)
      try cursor.bind(query.arguments)
      current = try cursor.step() ? cursor.integer(at: 0) : nil
    }

    /// Whether a transaction is there and in the range.
    func contains(_ number: Int64) throws -> Bool {
      guard range.contains(number) else { return false }
      if let last, number < last { throw RowsOutOfOrder() }
      last = number
      while let current, current < number {
        self.current = try cursor.step() ? cursor.integer(at: 0) : nil
      }
      return current == number
    }
  }
}

extension StoreSnapshot {
  /// Steps through the outlines of changes, transaction by transaction and in recorded order.
  ///
  /// - Parameters:
  ///   - selection: Which transactions, and which of their changes; order and limits do not count.
  ///   - object: Changes of this object and of those before it, by the number of the entity and then
  ///     by the primary key, are left out; nil for none.
  ///   - asRowsLie: Whether rows may be read as they lie in the file, which is twice as fast. The
  ///     cursor then throws ``RowsOutOfOrder`` where they do not lie in order, and whoever asked for
  ///     it forgets what was read and asks again without.
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func changeOutlines(
    _ selection: TransactionSelection, after object: ChangeSelection.Object? = nil,
    asRowsLie: Bool = false
  ) throws -> ChangeOutlineCursor {
    let tables = try historyTables()
    var transactions = selection
    transactions.limit = nil
    if asRowsLie, transactions.isComplete, let rows = try closeChangeRows(of: selection) {
      return try ChangeOutlineCursor(
        database, tables: tables, selection: selection, after: object, rows: rows,
        pages: changePages, path: location.path,
        checkCount: countCheck(of: transactions, listed: rows.count))
    }
    return try ChangeOutlineCursor(
      database, tables: tables, selection: selection, after: object, path: location.path,
      checkCount: countCheck(of: transactions, listed: nil))
  }

  /// The rows among which the changes of a range are, and how many these are; nil where they are not
  /// close together.
  private func closeChangeRows(
    of selection: TransactionSelection
  ) throws -> ChangeRowSpan? {
    guard let span = try changeRows(ofTransactions: selection.range) else { return nil }
    let (length, isTooLong) =
      span.rows.upperBound.subtractingReportingOverflow(span.rows.lowerBound)
    guard !isTooLong, length / 2 <= span.count else { return nil }
    return span
  }
}
