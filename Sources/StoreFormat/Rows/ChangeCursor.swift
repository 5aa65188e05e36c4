import GRDB
import GRDBSQLite

/// Steps through changes in the order of their transactions, and within one in recorded order.
///
/// The properties describe the row that the last ``next()`` went to. For an ordinary insert or
/// update nothing is allocated.
///
/// How rows are read is chosen once, when the cursor is made. Where their numbers rise along the
/// index by transaction, as in every store that a framework wrote, they are read as they are
/// stored: from the pages of the file if ``ChangePages`` knows the layout, or else by a statement
/// over their numbers. Rows of any other order are looked up by transaction, as are all rows if the
/// selection demands it. A row that contradicts the choice later on is damage.
package final class ChangeCursor {
  private enum Way {
    /// By number, where all rows of the transactions are in order.
    case stored
    /// In the order of the index by transaction.
    case indexed(isAscending: Bool)
    /// One transaction at a time.
    case lookup
    /// By number, in any order of the transactions.
    case numbered
  }

  let detail: ChangeDetail
  /// The number of changes, counting those without a transaction; `nil` if it is not known.
  package let expectedCount: Int64?

  private let path: String
  private let database: Database
  /// `nil` where rows are read outside of a snapshot.
  private let snapshot: StoreSnapshot?
  private let columns: ChangeColumns
  private let way: Way
  /// The transactions.
  private let range: ClosedRange<Int64>
  private let pages: ChangePages?
  @exclusivity(unchecked) private var pageRows: ChangePageCursor?
  /// Reads all rows, or with ``pages`` those that pages do not describe.
  private let statement: StatementCursor
  /// The place of a change's number in it.
  private var numberPlace: Int {
    detail == .everything ? ChangeColumns.number : ChangeColumns.numberBesideSize
  }
  @exclusivity(unchecked) private var restStatement: StatementCursor?

  /// The transaction whose changes are read; `nil` before the first.
  @exclusivity(unchecked) private var current: Int64?
  /// Whether the next row was stepped to already, but belongs to a later transaction.
  @exclusivity(unchecked) private var isRowPending = false
  @exclusivity(unchecked) private var isAtEnd = false
  /// Checks the change numbers that the statement returns; `nil` if it does not select them.
  @exclusivity(unchecked) private var order: RowOrder?
  /// The transaction of the row before.
  @exclusivity(unchecked) private var lastOwner: Int64?
  /// The rows of the range that were stepped to.
  @exclusivity(unchecked) private var storedDigest = ChangeDigest()
  /// The rows that the index by transaction lists; `nil` unless they are read as they are stored.
  private let listedDigest: ChangeDigest?

  /// The number of changes of the transactions so far.
  @exclusivity(unchecked) package private(set) var count: Int64 = 0
  /// Whether all changes of the current transaction were read.
  @exclusivity(unchecked) private var isTransactionRead = true
  /// Whether changes were left unread, so that counts cannot be checked.
  @exclusivity(unchecked) private var hasSkipped: Bool
  /// Whether the changes of any transaction were read.
  @exclusivity(unchecked) private var hasRead = false
  private let checksCompleteness: Bool
  private let checkCount: ((Int64) throws -> Void)?

  /// Prepares to read the changes of the selected transactions, each after ``start(transaction:)``.
  ///
  /// - Parameter isPart: Whether the selection is only the rest of what is being read.
  init(
    _ snapshot: StoreSnapshot, _ selection: TransactionSelection, detail: ChangeDetail,
    isPart: Bool = false
  ) throws {
    let tables = try snapshot.historyTables()
    self.snapshot = snapshot
    database = snapshot.database
    path = snapshot.location.path
    range = selection.range
    hasSkipped = isPart
    let looksUp = selection.isSparse || selection.looksUpChanges
    let stored = looksUp ? nil : try snapshot.storedChangeRows(ofTransactions: range)
    checkCount = snapshot.countCheck(of: selection, listed: stored?.count)
    pages = detail == .sizes || stored == nil ? nil : snapshot.changePages
    // Pages give every column, and rows that they do not describe need the same.
    let detail = pages == nil ? detail : .everything
    self.detail = detail
    columns = ChangeColumns(tables, detail: detail)
    order = detail == .everything && pages == nil ? RowOrder(path: path, table: "ACHANGE") : nil
    expectedCount = stored?.count
    listedDigest = stored?.digest
    checksCompleteness = selection.checksCompleteness
    if let rows = stored?.rows {
      way = .stored
      pageRows = try pages.map { try ChangePageCursor($0, rows: rows) }
      statement = try columns.statement(database, forRows: pages == nil ? rows : nil)
      return
    }
    let select = "SELECT \(columns.selection) FROM ACHANGE WHERE ZTRANSACTIONID"
    if looksUp, tables.indexesChangesByTransaction {
      way = .lookup
      statement = try StatementCursor(database, sql: "\(select) = ?1 ORDER BY Z_PK")
    } else {
      let isAscending = selection.order == .ascending
      way = .indexed(isAscending: isAscending)
      statement = try StatementCursor(
        database,
        sql: """
          \(select) BETWEEN ?1 AND ?2
          ORDER BY ZTRANSACTIONID \(isAscending ? "ASC" : "DESC"), Z_PK
          """)
      try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    }
  }

  /// Prepares to read every row by its number, those without a transaction too.
  convenience init(everyRowOf snapshot: StoreSnapshot) throws {
    try self.init(
      snapshot.database, try snapshot.historyTables(), path: snapshot.location.path, where: "TRUE")
  }

  /// Prepares to read the rows that meet a condition, by their numbers; ``start(_:)`` gives its parameters.
  ///
  /// - Parameters:
  ///   - condition: SQL after `WHERE`.
  ///   - limit: SQL after `LIMIT`.
  package init(
    _ database: Database, _ tables: HistoryTables, path: String, where condition: String,
    limit: String = "-1"
  ) throws {
    detail = .everything
    expectedCount = nil
    self.path = path
    self.database = database
    columns = ChangeColumns(tables, detail: detail)
    snapshot = nil
    way = .numbered
    range = .min ... .max
    pages = nil
    statement = try StatementCursor(
      database,
      sql: """
        SELECT \(columns.selection) FROM ACHANGE NOT INDEXED WHERE \(condition)
        ORDER BY Z_PK LIMIT \(limit)
        """)
    order = RowOrder(path: path, table: "ACHANGE")
    hasSkipped = true
    checkCount = nil
    listedDigest = nil
    checksCompleteness = false
  }

  /// Whether changes were found by the index by transaction.
  var hasLookedUp: Bool {
    switch way {
    case .lookup, .indexed: hasRead
    case .stored, .numbered: false
    }
  }

  /// Binds the parameters of the condition, and starts with its first row.
  package func start(_ parameters: [StoredValue]) throws {
    order?.restart()
    try statement.bind(parameters)
  }

  /// Ends the reading, so that the transaction of the connection can end.
  package func stop() { statement.reset() }

  // MARK: - Going on

  /// Turns to the changes of a transaction; those of the one before need not have been read.
  func start(transaction: Int64) throws {
    current = transaction
    if !isTransactionRead { hasSkipped = true }
    isTransactionRead = false
    guard case .lookup = way else { return }
    order?.restart()
    try statement.bind(transaction)
  }

  /// Goes to the next change; returns `false` after the last one.
  ///
  /// A cursor of a ``TransactionCursor`` ends with the last change of the current transaction.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func next() throws -> Bool {
    if case .numbered = way {
      guard try step() else { return false }
      try load()
      return true
    }
    hasRead = true
    guard let current, try next(of: current) else {
      isTransactionRead = true
      return false
    }
    count += 1
    return true
  }

  private func next(of current: Int64) throws -> Bool {
    if case .lookup = way {
      guard try step() else { return false }
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
      var isPast = owner < current
      if case .indexed(isAscending: false) = way { isPast = owner > current }
      // A change of a transaction that is missing is left out.
      isRowPending = !isPast
      if isRowPending { break }
    }
    return false
  }

  /// Ends the reading after the last transaction.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` if the table has other changes than the index by
  ///   transaction lists, or if all were read, and some without their transaction.
  func finish() throws {
    if !isTransactionRead { hasSkipped = true }
    guard checksCompleteness, hasRead else { return }
    if case .stored = way, let listedDigest {
      while try step() {}
      guard storedDigest == listedDigest else {
        throw ChangeComparison.difference(listedDigest, storedDigest, range, path: path)
      }
    }
    if !hasSkipped { try checkCount?(count) }
  }

  private func damage(_ detail: String) -> StoreError {
    .damaged(path: path, place: "ACHANGE", detail: detail)
  }

  @inline(__always)
  private func step() throws -> Bool {
    while try stepToRow() {
      switch way {
      case .lookup, .numbered: return true
      case .stored:
        // Between the rows of the transactions may be rows of others.
        guard let owner = rowOwner, range.contains(owner) else { continue }
        storedDigest.add(
          change: row.record != nil ? row.number : statement.integer(at: numberPlace), of: owner)
        if owner == lastOwner { return true }
        if let lastOwner, owner < lastOwner {
          throw damage("a change of transaction \(owner) is stored after one of \(lastOwner)")
        }
        lastOwner = owner
        return true
      case .indexed(let isAscending):
        guard let owner = rowOwner else { return true }
        if owner == lastOwner { return true }
        if let lastOwner, isAscending ? owner < lastOwner : owner > lastOwner {
          throw damage("its index lists transaction \(owner) after transaction \(lastOwner)")
        }
        lastOwner = owner
        return true
      }
    }
    return false
  }

  @inline(__always)
  private func stepToRow() throws -> Bool {
    if let hasRow = try pageRows?.next(&row) {
      guard hasRow else { return false }
      if row.record == nil { try ask(row.number) }
      return true
    }
    guard try statement.step() else { return false }
    if order != nil {
      if case .indexed = way, rowOwner != lastOwner { order?.restart() }
      try order?.take(statement.integer(at: ChangeColumns.number))
    }
    return true
  }

  /// Moves the statement to a row that a page holds.
  private func ask(_ number: Int64) throws {
    row.record = nil
    try statement.bind(number)
    guard try statement.step() else {
      throw damage("row \(number) is in a page, and cannot be found by its number")
    }
  }

  /// The transaction of the row that was stepped to; `nil` if it names none.
  @inline(__always)
  private var rowOwner: Int64? {
    if row.record != nil { return row.transaction }
    return statement.integerIfAny(at: ChangeColumns.transaction)
  }

  // MARK: - The current row

  // A property that reads private storage is a function for other modules, which costs less than a
  // check of exclusive access to the storage there.
  @exclusivity(unchecked) private var row = ChangeRow()

  /// The change number, `Z_PK`.
  package var number: Int64 { row.number }
  /// The number of the transaction; `nil` if the row names none.
  package var transaction: Int64? { row.transaction }
  /// What happened; `nil` for a kind that no framework writes.
  package var kind: ChangeKind? { row.kind }
  /// The number of the object's own entity; `nil` if the row has none.
  package var entityNumber: Int64? { row.entityNumber }
  /// The object's primary key; `nil` if the row has none.
  package var primaryKey: Int64? { row.primaryKey }
  /// Which slots an update touched; `nil` for inserts and deletes.
  package var mask: ColumnMask? { row.mask }
  /// Whether ``mask`` has a value.
  package var hasMask: Bool { row.mask != nil }
  /// The ``ColumnMask/shortKey`` of ``mask``, without a copy of the mask.
  package var maskKey: UInt64? { row.mask?.shortKey }
  /// Whether the row holds nothing but the properties above: no ``tombstone`` and no ``extra``.
  package var isPlain: Bool { row.isPlain }
  /// About how many bytes the row takes, with ``ChangeDetail/sizes``.
  package var byteCount: Int64 { row.byteCount }
  /// Whether ``tombstone`` has a value.
  package var hasTombstone: Bool { row.lendsTombstone || !row.tombstone.isEmpty }
  /// The values that a deleted object left, by slot and without nulls at the end; mostly empty.
  package var tombstone: [StoredValue] {
    guard row.lendsTombstone else { return row.tombstone }
    var values: [StoredValue] = []
    _ = forEachTombstoneValue { slot, value in
      while values.count <= slot { values.append(.null) }
      values[slot] = value.stored
      return true
    }
    return values
  }

  /// Whether the row holds nothing but a ``tombstone`` beside the properties above, and
  /// ``forEachTombstoneValue(_:)`` lends it.
  package var lendsTombstone: Bool { row.lendsTombstone }

  /// Lends the values of the tombstone, slot by slot and without nulls, while the call lasts.
  ///
  /// - Parameter body: Takes a slot and its value, and returns whether to go on.
  /// - Returns: Whether all values were lent and wanted; `false` for a row that does not lend them.
  package func forEachTombstoneValue(_ body: (Int, LentValue) -> Bool) -> Bool {
    guard row.lendsTombstone, let record = row.record, let pages else { return false }
    return pages.forEachTombstoneValue(of: record, body)
  }

  @inline(__always)
  private func load() throws {
    guard let record = row.record else { return try loadFromStatement() }
    let isKnown = row.kind != nil && !row.recordHasUnexpected
    let isPlain = isKnown && !row.recordHasTombstone
    guard isPlain || isKnown && pages?.forEachTombstoneValue(of: record, { _, _ in true }) ?? false
    else {
      try ask(row.number)
      return try loadFromStatement()
    }
    row.clearRest()
    row.isPlain = isPlain
    row.lendsTombstone = !isPlain
  }

  private func loadFromStatement() throws {
    row.kind = statement.integerIfAny(at: ChangeColumns.kind).flatMap(ChangeKind.init(rawValue:))
    row.entityNumber = statement.integerIfAny(at: ChangeColumns.entity)
    row.transaction = statement.integerIfAny(at: ChangeColumns.transaction)
    guard detail == .everything else {
      row.byteCount = statement.integer(at: ChangeColumns.number)
      if detail == .sizes {
        row.primaryKey = statement.integerIfAny(at: ChangeColumns.primaryKeyBesideSize)
        _ = try loadMask()
      }
      return
    }
    row.number = statement.integer(at: ChangeColumns.number)
    row.primaryKey = statement.integerIfAny(at: ChangeColumns.primaryKey)
    var isPlain =
      row.kind != nil && row.entityNumber != nil && row.primaryKey != nil
      && statement.integerIfAny(at: ChangeColumns.own) == columns.ownNumber
    if try !loadMask() { isPlain = false }
    row.clearRest()
    if !statement.isNull(at: ChangeColumns.rest) {
      isPlain = false
      try loadRest()
    }
    row.isPlain = isPlain
    // Of rows in pages the statement reads one at a time. It releases its copy of a large mask, if there is no ``extra``.
    if isPlain, pages != nil, row.mask?.byteCount ?? 0 > StoreSnapshot.largeValue {
      statement.reset()
    }
  }

  /// Reads the mask; returns `false` for a value that is not a mask.
  private func loadMask() throws -> Bool {
    switch statement.type(at: ChangeColumns.mask) {
    case SQLITE_BLOB:
      row.mask = nil
      // A statement that reads one row starts again after it has waited.
      if pages != nil, let wait = snapshot?.beforeLargeValue,
        statement.bytes(at: ChangeColumns.mask).count > StoreSnapshot.largeValue
      {
        statement.reset()
        try wait()
        guard try statement.step() else { throw damage("row \(row.number) is gone") }
      }
      row.mask = ColumnMask(bytes: statement.bytes(at: ChangeColumns.mask))
    case SQLITE_NULL: row.mask = nil
    default:
      row.mask = nil
      return false
    }
    return true
  }

  /// Reads the columns that few rows fill by another statement: to select them for every row costs
  /// as much as everything else.
  private func loadRest() throws {
    let rest = try restStatement ?? StatementCursor(database, sql: columns.restQuery)
    restStatement = rest
    defer { rest.reset() }
    try rest.bind(row.number)
    guard try rest.step() else { return }
    if let wait = snapshot?.beforeLargeValue, rest.hasLargeValue {
      rest.reset()
      try wait()
      guard try rest.step() else { return }
    }
    for (index, slot) in columns.tombstoneSlots.enumerated() where !rest.isNull(at: index) {
      row.tombstone += Array(repeating: .null, count: slot - row.tombstone.count)
      row.tombstone.append(rest.value(at: index))
    }
    for (index, name) in columns.unexpected.enumerated() {
      let column = columns.tombstoneSlots.count + index
      guard !rest.isNull(at: column) else { continue }
      row.unexpected.append(ExtraColumn(column: name, value: rest.value(at: column)))
    }
  }

  /// What else the row holds; mostly empty.
  package var extra: [ExtraColumn] {
    guard !isPlain, !row.lendsTombstone else { return [] }
    var extra: [ExtraColumn] = []
    func keep(_ column: Int) {
      extra.append(ExtraColumn(column: columns.names[column], value: statement.value(at: column)))
    }
    if kind == nil { keep(ChangeColumns.kind) }
    if entityNumber == nil { keep(ChangeColumns.entity) }
    if primaryKey == nil { keep(ChangeColumns.primaryKey) }
    let maskType = statement.type(at: ChangeColumns.mask)
    if maskType != SQLITE_BLOB && maskType != SQLITE_NULL { keep(ChangeColumns.mask) }
    if columns.hasOwn, statement.integerIfAny(at: ChangeColumns.own) != columns.ownNumber {
      keep(ChangeColumns.own)
    }
    return extra + row.unexpected
  }
}
