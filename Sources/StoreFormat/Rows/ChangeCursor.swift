import GRDB
import GRDBSQLite

/// Steps through the rows of `ACHANGE`, transaction by transaction, in recorded order.
///
/// The properties describe the row that the last ``next()`` went to. They are read straight from
/// SQLite's statement; nothing is allocated for an ordinary insert or update.
public final class ChangeCursor {
  private let cursor: StatementCursor
  private let columns: Columns
  private let readsByTransaction: Bool
  private let isAscending: Bool
  /// The highest transaction number among rows that are read as they lie; nil for reading in order.
  private let highestScanned: Int64?
  @exclusivity(unchecked) private var current: Int64?
  /// A row that was stepped to but belongs to a transaction not asked for yet.
  @exclusivity(unchecked) private var isRowPending = false
  @exclusivity(unchecked) private var isAtEnd = false

  /// - Parameters:
  ///   - range: The transaction numbers whose changes will be asked for.
  ///   - isAscending: Whether they will be asked for in ascending order.
  ///   - isSparse: Whether only some of the transactions in the range will be asked for; their
  ///     changes are then looked up one transaction at a time.
  ///   - detail: What is to be read of each row.
  ///   - rows: The rows among which all those changes are, to be read as they lie in the file; nil
  ///     to look them up in order.
  init(
    _ database: Database, tables: HistoryTables, range: ClosedRange<Int64>, isAscending: Bool,
    isSparse: Bool, detail: ChangeDetail, rows: ClosedRange<Int64>? = nil
  ) throws {
    columns = Columns(tables, detail: detail)
    self.isAscending = isAscending
    highestScanned = rows == nil ? nil : range.upperBound
    readsByTransaction = rows == nil && isSparse && tables.indexesChangesByTransaction
    let list = columns.expressions.joined(separator: ", ")
    if let rows {
      cursor = try StatementCursor(
        database,
        sql: "SELECT \(list) FROM ACHANGE NOT INDEXED WHERE Z_PK BETWEEN ?1 AND ?2 ORDER BY Z_PK")
      try cursor.bind([.integer(rows.lowerBound), .integer(rows.upperBound)])
    } else if readsByTransaction {
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
  public func start(transaction: Int64) throws {
    current = transaction
    if readsByTransaction { try cursor.bind(transaction) }
  }

  /// Goes to the next change of the current transaction; false behind the last one.
  public func next() throws -> Bool {
    guard let current else { return false }
    if readsByTransaction {
      guard try cursor.step() else { return false }
      load()
      return true
    }
    while !isAtEnd {
      if !isRowPending, try !cursor.step() {
        isAtEnd = true
        break
      }
      guard let owner = cursor.integerIfAny(at: Columns.transaction) else { continue }
      if owner == current {
        isRowPending = false
        load()
        return true
      }
      let isBehind = isAscending ? owner < current : owner > current
      if let highestScanned, isBehind || owner > highestScanned { throw RowsOutOfOrder() }
      isRowPending = !isBehind
      if isRowPending { break }
    }
    return false
  }

  /// Ends the reading behind the last transaction.
  ///
  /// - Throws: ``RowsOutOfOrder`` where rows that were read as they lie are left over: they may be
  ///   changes of transactions that are long past.
  public func finish() throws {
    guard highestScanned != nil, !isAtEnd else { return }
    guard !isRowPending, try !cursor.step() else { throw RowsOutOfOrder() }
    isAtEnd = true
  }

  // MARK: - The current row

  /// The change number, `Z_PK`.
  @exclusivity(unchecked) public private(set) var number: Int64 = 0
  /// What happened; nil for a kind that no framework writes.
  @exclusivity(unchecked) public private(set) var kind: ChangeKind?
  /// The number of the object's own entity; nil where the row holds none.
  @exclusivity(unchecked) public private(set) var entityNumber: Int64?
  /// The object's primary key; nil where the row holds none.
  @exclusivity(unchecked) public private(set) var primaryKey: Int64?
  /// Which slots an update touched; nil for inserts and deletes.
  @exclusivity(unchecked) public private(set) var mask: ColumnMask?
  /// Whether the row holds nothing but the properties above: no ``tombstone`` and no ``extra``.
  @exclusivity(unchecked) public private(set) var isPlain = true

  /// Takes over what nearly every row has.
  private func load() {
    if columns.detail == .kinds {
      kind = cursor.integerIfAny(at: Columns.kind).flatMap(ChangeKind.init(rawValue:))
      entityNumber = cursor.integerIfAny(at: Columns.entity)
      return
    }
    number = cursor.integer(at: Columns.number)
    let kind = cursor.integerIfAny(at: Columns.kind).flatMap(ChangeKind.init(rawValue:))
    let entityNumber = cursor.integerIfAny(at: Columns.entity)
    let primaryKey = cursor.integerIfAny(at: Columns.primaryKey)
    self.kind = kind
    self.entityNumber = entityNumber
    self.primaryKey = primaryKey
    var isPlain =
      kind != nil && entityNumber != nil && primaryKey != nil && cursor.isNull(at: Columns.rest)
      && cursor.integerIfAny(at: Columns.own) == columns.ownNumber
    switch cursor.type(at: Columns.mask) {
    case SQLITE_NULL: mask = nil
    case SQLITE_BLOB: mask = ColumnMask(bytes: cursor.bytes(at: Columns.mask))
    default:
      mask = nil
      isPlain = false
    }
    self.isPlain = isPlain
  }

  /// What a deleted object left behind, by slot and without nulls at the end; mostly empty.
  public var tombstone: [StoredValue] {
    guard !isPlain else { return [] }
    var values: [StoredValue] = []
    for (slot, column) in columns.tombstone where !cursor.isNull(at: column) {
      values += Array(repeating: .null, count: slot - values.count)
      values.append(cursor.value(at: column))
    }
    return values
  }

  /// What else the row holds; mostly empty.
  public var extra: [ExtraColumn] {
    guard !isPlain else { return [] }
    var extra: [ExtraColumn] = []
    func keep(_ column: Int) {
      extra.append(ExtraColumn(column: columns.names[column], value: cursor.value(at: column)))
    }
    if kind == nil { keep(Columns.kind) }
    if entityNumber == nil { keep(Columns.entity) }
    if primaryKey == nil { keep(Columns.primaryKey) }
    let maskType = cursor.type(at: Columns.mask)
    if maskType != SQLITE_BLOB && maskType != SQLITE_NULL { keep(Columns.mask) }
    if columns.hasOwn,
      cursor.type(at: Columns.own) != SQLITE_INTEGER
        || cursor.integer(at: Columns.own) != columns.ownNumber
    {
      keep(Columns.own)
    }
    for column in columns.unexpected where !cursor.isNull(at: column) { keep(column) }
    return extra
  }

  /// Where the columns of the layout stand in the statement.
  private struct Columns {
    static let number = 0
    static let kind = 1
    static let entity = 2
    static let primaryKey = 3
    static let transaction = 4
    static let mask = 5

    /// The number of ACHANGE itself among the entities.
    static let own = 6
    /// The first value among the columns that are mostly null, which SQLite finds several times
    /// sooner than it is asked for each.
    static let rest = 7

    let detail: ChangeDetail
    /// The columns' names; empty for what is not a column.
    let names: [String]
    /// What the statement selects.
    let expressions: [String]
    /// Slots with their columns; a slot without a column stays null.
    let tombstone: [(slot: Int, column: Int)]
    /// Whether the layout has the column at all.
    let hasOwn: Bool
    let ownNumber = EntityNumbering.HistoryEntity.change.rawValue
    /// Columns that hold null in every store that a framework wrote.
    let unexpected: [Int]

    init(_ tables: HistoryTables, detail: ChangeDetail) {
      self.detail = detail
      if detail == .kinds {
        // The same places, so that one cursor reads both; what is left out is null or 0.
        names = []
        expressions = [
          "0", "ZCHANGETYPE", "ZENTITY", "NULL", "ZTRANSACTIONID", "NULL", "0", "NULL",
        ]
        tombstone = []
        hasOwn = false
        unexpected = []
        return
      }
      hasOwn = tables.changeColumns.contains("Z_ENT")
      var names = [
        "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
        hasOwn ? "Z_ENT" : "", "",
      ]
      func position(of name: String) -> Int? {
        guard tables.changeColumns.contains(name) else { return nil }
        names.append(name)
        return names.count - 1
      }
      let tombstone = zip(tables.tombstoneSlots, tables.tombstoneColumns).compactMap { slot, name in
        position(of: name).map { (slot: slot, column: $0) }
      }
      unexpected = (["Z_OPT"] + tables.unknownColumns(of: .change)).compactMap { position(of: $0) }
      let rest = (unexpected + tombstone.map(\.column)).map { [names] in quoted(names[$0]) }
      expressions = names.enumerated().map { [ownNumber, hasOwn] index, name in
        switch index {
        case Self.own where !hasOwn: "\(ownNumber)"
        case Self.rest: firstValue(of: rest)
        default: quoted(name)
        }
      }
      self.names = names
      self.tombstone = tombstone
    }
  }
}
