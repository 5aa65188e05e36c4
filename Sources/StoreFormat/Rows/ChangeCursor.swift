import GRDB
import GRDBSQLite

/// Steps through the rows of `ACHANGE`, transaction by transaction, in recorded order.
///
/// The properties describe the row that the last ``next()`` went to. They are read straight from
/// SQLite's statement; nothing is allocated for an ordinary insert or update.
package final class ChangeCursor {
  private let database: Database
  private let cursor: StatementCursor
  @exclusivity(unchecked) private var restCursor: StatementCursor?
  private let columns: ChangeColumns
  private let readsByTransaction: Bool
  private let isAscending: Bool
  /// The highest transaction number among rows that are read as they lie; nil for reading in order.
  private let highestScanned: Int64?
  /// Goes through such rows; nil for reading in order.
  private let scan: RowScan?
  @exclusivity(unchecked) private var current: Int64?
  /// A row that was stepped to but belongs to a transaction not asked for yet.
  @exclusivity(unchecked) private var isRowPending = false
  @exclusivity(unchecked) private var isAtEnd = false
  /// Checks the numbers within a transaction; nil where they are not read.
  @exclusivity(unchecked) private var order: RowOrder?
  /// The transaction of the row before, where rows are looked up in order.
  @exclusivity(unchecked) private var lastOwner: Int64?
  private let path: String
  /// Throws where a number of changes is not the one that there must be; nil where some are left out.
  private let checkCount: ((Int64) throws -> Void)?
  /// How many changes were read of the transactions that were asked for.
  @exclusivity(unchecked) package private(set) var count: Int64 = 0
  /// Whether all changes of the current transaction were read.
  @exclusivity(unchecked) private var isTransactionRead = true
  /// Whether changes were left unread, so that ``count`` says nothing.
  @exclusivity(unchecked) private var hasSkipped = false

  /// - Parameters:
  ///   - range: The transaction numbers whose changes will be asked for.
  ///   - isAscending: Whether they will be asked for in ascending order.
  ///   - isSparse: Whether only some of the transactions in the range will be asked for; their
  ///     changes are then looked up one transaction at a time.
  ///   - detail: What is to be read of each row.
  ///   - rows: The rows among which all those changes are, to be read as they lie in the file; nil
  ///     to look them up in order.
  ///   - pages: The pages to read those rows from; nil to ask SQLite for them.
  ///   - checkCount: Throws where a number of changes is not the one that there must be, called by
  ///     ``finish()``; nil where some are left out.
  /// - Throws: ``RowsOutOfOrder`` where the pages are not as they should be.
  init(
    _ database: Database, tables: HistoryTables, path: String, range: ClosedRange<Int64>,
    isAscending: Bool, isSparse: Bool, detail: ChangeDetail, rows: ClosedRange<Int64>? = nil,
    pages: ChangePages? = nil, checkCount: ((Int64) throws -> Void)? = nil
  ) throws {
    self.database = database
    self.path = path
    self.checkCount = checkCount
    order = detail == .everything && rows == nil ? RowOrder(path: path, table: "ACHANGE") : nil
    columns = ChangeColumns(tables, detail: detail)
    self.isAscending = isAscending
    highestScanned = rows == nil ? nil : range.upperBound
    readsByTransaction = rows == nil && isSparse && tables.indexesChangesByTransaction
    let list = columns.expressions.joined(separator: ", ")
    if let rows {
      let scan = try RowScan(
        database, rows: rows, pages: detail == .everything ? pages : nil, path: path,
        numberColumn: detail == .everything ? ChangeColumns.number : nil
      ) {
        "SELECT \(list) FROM ACHANGE NOT INDEXED WHERE Z_PK \($0) ORDER BY Z_PK"
      }
      self.scan = scan
      cursor = scan.statement
      return
    }
    scan = nil
    if readsByTransaction {
      cursor = try StatementCursor(
        database, sql: "SELECT \(list) FROM ACHANGE WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK")
    } else {
      cursor = try StatementCursor(
        database,
        sql: """
          SELECT \(list) FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ?1 AND ?2
          ORDER BY ZTRANSACTIONID \(isAscending ? "ASC" : "DESC"), Z_PK
          """)
      try cursor.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    }
  }

  /// Turns to the changes of one transaction; those of the one before need not have been read.
  package func start(transaction: Int64) throws {
    current = transaction
    if !isTransactionRead { hasSkipped = true }
    isTransactionRead = false
    guard readsByTransaction else { return }
    order?.restart()
    try cursor.bind(transaction)
  }

  /// Says that changes of earlier transactions were not read, so that their number cannot be checked.
  package func skipEarlierTransactions() { hasSkipped = true }

  /// Goes to the next change of the current transaction; false after the last one.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where a change is out of order, and
  ///   ``RowsOutOfOrder`` where rows are read as they lie and do not lie in the order of their
  ///   transactions.
  package func next() throws -> Bool {
    guard let current else { return false }
    guard try next(of: current) else {
      isTransactionRead = true
      return false
    }
    count += 1
    return true
  }

  private func next(of current: Int64) throws -> Bool {
    if readsByTransaction {
      guard try cursor.step() else { return false }
      try order?.take(cursor.integer(at: ChangeColumns.number))
      try load()
      return true
    }
    while !isAtEnd {
      if !isRowPending, try !step() {
        isAtEnd = true
        break
      }
      guard let owner = rowOwner else { continue }
      if owner == current {
        isRowPending = false
        try load()
        return true
      }
      let isBehind = isAscending ? owner < current : owner > current
      if let highestScanned, isBehind || owner > highestScanned { throw RowsOutOfOrder() }
      isRowPending = !isBehind
      if isRowPending { break }
    }
    return false
  }

  /// Goes to the next row of all that are read as they lie, whatever transaction it names; false behind
  /// the last one.
  package func nextOfAnyTransaction() throws -> Bool {
    guard try step() else { return false }
    try load()
    return true
  }

  /// The transaction that the row names; nil where it names none.
  package var transaction: Int64? { rowOwner }

  /// Ends the reading after the last transaction.
  ///
  /// - Throws: ``RowsOutOfOrder`` where rows that were read as they lie are left over: they may be
  ///   changes of transactions that are long past. ``StoreError/damaged(path:place:detail:)`` where all
  ///   changes were read, and the index by transaction lists another number of them.
  package func finish() throws {
    if !isTransactionRead { hasSkipped = true }
    if highestScanned != nil, !isAtEnd {
      guard !isRowPending, try !step() else { throw RowsOutOfOrder() }
      isAtEnd = true
    }
    if !hasSkipped { try checkCount?(count) }
  }

  @inline(__always)
  private func step() throws -> Bool {
    if let scan { return try scan.next() }
    guard try cursor.step() else { return false }
    guard let owner = rowOwner else { return true }
    if owner == lastOwner {
      try order?.take(cursor.integer(at: ChangeColumns.number))
      return true
    }
    if let lastOwner, isAscending ? owner < lastOwner : owner > lastOwner {
      throw StoreError.damaged(
        path: path, place: "ACHANGE",
        detail: "its index lists transaction \(owner) after transaction \(lastOwner)")
    }
    lastOwner = owner
    order?.restart()
    try order?.take(cursor.integer(at: ChangeColumns.number))
    return true
  }

  /// The transaction of the row that was stepped to; nil where the row names none.
  @inline(__always)
  private var rowOwner: Int64? {
    if let page = scan?.page { return page.transaction }
    return cursor.integerIfAny(at: ChangeColumns.transaction)
  }

  // MARK: - The current row

  // Private storage behind each property: who reads it from another module calls a function, which
  // costs less than the check of exclusive access that reading the storage there would bring along.
  @exclusivity(unchecked) private var row = Row()

  private struct Row {
    var number: Int64 = 0
    var kind: ChangeKind?
    var entityNumber: Int64?
    var primaryKey: Int64?
    var mask: ColumnMask?
    var isPlain = true
    /// Whether the statement does not stand at this row, for it was read without.
    var isFromPage = false
    var byteCount: Int64 = 0
    /// Whether the tombstone is still in the page.
    var lendsTombstone = false
    /// The values of the columns that are mostly null.
    var tombstone: [StoredValue] = []
    var unexpected: [ExtraColumn] = []
  }

  /// The change number, `Z_PK`.
  package var number: Int64 { row.number }
  /// What happened; nil for a kind that no framework writes.
  package var kind: ChangeKind? { row.kind }
  /// The number of the object's own entity; nil where the row holds none.
  package var entityNumber: Int64? { row.entityNumber }
  /// The object's primary key; nil where the row holds none.
  package var primaryKey: Int64? { row.primaryKey }
  /// Which slots an update touched; nil for inserts and deletes.
  package var mask: ColumnMask? { row.mask }
  /// Whether the row holds nothing but the properties above: no ``tombstone`` and no ``extra``.
  package var isPlain: Bool { row.isPlain }
  /// About how many bytes the row takes; only where they are asked for.
  package var byteCount: Int64 { row.byteCount }
  /// What a deleted object left behind, by slot and without nulls at the end; mostly empty.
  package var tombstone: [StoredValue] {
    guard row.lendsTombstone, let page = scan?.page else { return row.tombstone }
    var values: [StoredValue] = []
    _ = page.forEachTombstoneValue { slot, value in
      while values.count <= slot { values.append(.null) }
      values[slot] = value.stored
      return true
    }
    return values
  }

  /// Whether the row holds nothing but a ``tombstone`` beside the properties above, and lends it:
  /// ``forEachTombstoneValue(_:)``.
  package var lendsTombstone: Bool { row.lendsTombstone }

  /// Lends the values of the tombstone, slot by slot and without nulls, as long as the call lasts.
  ///
  /// - Parameter body: Takes a slot and its value, and answers whether it wants to have the next.
  /// - Returns: Whether all values were lent and wanted; false, without any, for a row that does not
  ///   lend them.
  package func forEachTombstoneValue(_ body: (Int, LentValue) -> Bool) -> Bool {
    guard row.lendsTombstone, let page = scan?.page else { return false }
    return page.forEachTombstoneValue(body)
  }

  /// Takes over what nearly every row has.
  private func load() throws {
    if let page = scan?.page {
      try load(page)
    } else {
      try loadFromStatement()
    }
  }

  private func loadFromStatement() throws {
    row.isFromPage = false
    row.lendsTombstone = false
    row.kind = cursor.integerIfAny(at: ChangeColumns.kind).flatMap(ChangeKind.init(rawValue:))
    row.entityNumber = cursor.integerIfAny(at: ChangeColumns.entity)
    guard columns.detail == .everything else {
      row.byteCount = cursor.integer(at: ChangeColumns.number)
      return
    }
    row.number = cursor.integer(at: ChangeColumns.number)
    row.primaryKey = cursor.integerIfAny(at: ChangeColumns.primaryKey)
    var isPlain =
      row.kind != nil && row.entityNumber != nil && row.primaryKey != nil
      && cursor.integerIfAny(at: ChangeColumns.own) == columns.ownNumber
    switch cursor.type(at: ChangeColumns.mask) {
    case SQLITE_NULL: row.mask = nil
    case SQLITE_BLOB: row.mask = ColumnMask(bytes: cursor.bytes(at: ChangeColumns.mask))
    default:
      row.mask = nil
      isPlain = false
    }
    if !cursor.isNull(at: ChangeColumns.rest) {
      isPlain = false
      try loadRest()
    } else if !row.isPlain {
      row.tombstone = []
      row.unexpected = []
    }
    row.isPlain = isPlain
  }

  /// Takes over a row that was read from its page.
  @inline(__always)
  private func load(_ page: ChangePageCursor) throws {
    row.number = page.number
    row.kind = ChangeKind(rawValue: page.kind)
    row.entityNumber = page.entityNumber
    row.primaryKey = page.primaryKey
    row.mask = page.mask
    if row.kind != nil, !page.hasTombstone, !page.hasUnexpected {
      if !row.isPlain {
        row.tombstone = []
        row.unexpected = []
      }
      row.isPlain = true
      row.isFromPage = true
      row.lendsTombstone = false
    } else if row.kind != nil, page.lendsTombstone() {
      row.tombstone = []
      row.unexpected = []
      row.isPlain = false
      row.isFromPage = true
      row.lendsTombstone = true
    } else {
      // What is unexpected is told of as SQLite shows it.
      try scan?.ask(page.number)
      try loadFromStatement()
    }
  }

  /// Takes over what few rows have, by another statement: columns that are read for every row cost
  /// as much as the rest of it.
  private func loadRest() throws {
    let rest = try restCursor ?? StatementCursor(database, sql: columns.restQuery)
    restCursor = rest
    try rest.bind(row.number)
    row.tombstone = []
    row.unexpected = []
    guard try rest.step() else { return }
    for (index, slot) in columns.tombstoneSlots.enumerated() where !rest.isNull(at: index) {
      row.tombstone += Array(repeating: .null, count: slot - row.tombstone.count)
      row.tombstone.append(rest.value(at: index))
    }
    for (index, name) in columns.unexpected.enumerated() {
      let column = columns.tombstoneSlots.count + index
      guard !rest.isNull(at: column) else { continue }
      row.unexpected.append(ExtraColumn(column: name, value: rest.value(at: column)))
    }
    rest.reset()
  }

  /// What else the row holds; mostly empty.
  package var extra: [ExtraColumn] {
    guard !isPlain, !row.isFromPage else { return [] }
    var extra: [ExtraColumn] = []
    func keep(_ column: Int) {
      extra.append(ExtraColumn(column: columns.names[column], value: cursor.value(at: column)))
    }
    if kind == nil { keep(ChangeColumns.kind) }
    if entityNumber == nil { keep(ChangeColumns.entity) }
    if primaryKey == nil { keep(ChangeColumns.primaryKey) }
    let maskType = cursor.type(at: ChangeColumns.mask)
    if maskType != SQLITE_BLOB && maskType != SQLITE_NULL { keep(ChangeColumns.mask) }
    if columns.hasOwn, cursor.integerIfAny(at: ChangeColumns.own) != columns.ownNumber {
      keep(ChangeColumns.own)
    }
    return extra + row.unexpected
  }
}
