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
  private var current: Int64?
  /// A row that was stepped to but belongs to a transaction not asked for yet.
  private var isRowPending = false
  private var isAtEnd = false

  /// - Parameters:
  ///   - range: The transaction numbers whose changes will be asked for.
  ///   - isAscending: Whether they will be asked for in ascending order.
  ///   - isSparse: Whether only some of the transactions in the range will be asked for; their
  ///     changes are then looked up one transaction at a time.
  ///   - detail: What is to be read of each row.
  init(
    _ database: Database, tables: HistoryTables, range: ClosedRange<Int64>, isAscending: Bool,
    isSparse: Bool, detail: ChangeDetail
  ) throws {
    columns = Columns(tables, detail: detail)
    self.isAscending = isAscending
    readsByTransaction = isSparse && tables.indexesChangesByTransaction
    let list = columns.expressions.joined(separator: ", ")
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
      guard cursor.type(at: Columns.transaction) == SQLITE_INTEGER else { continue }
      let owner = cursor.integer(at: Columns.transaction)
      if owner == current {
        isRowPending = false
        load()
        return true
      }
      let isBehind = isAscending ? owner < current : owner > current
      isRowPending = !isBehind
      if isRowPending { break }
    }
    return false
  }

  // MARK: - The current row

  /// The change number, `Z_PK`.
  public private(set) var number: Int64 = 0
  /// What happened; nil for a kind that no framework writes.
  public private(set) var kind: ChangeKind?
  /// The number of the object's own entity; nil where the row holds none.
  public private(set) var entityNumber: Int64?
  /// The object's primary key; nil where the row holds none.
  public private(set) var primaryKey: Int64?
  /// Which slots an update touched; nil for inserts and deletes.
  public private(set) var mask: ColumnMask?
  private var isRegular = true

  /// Takes over what nearly every row has.
  private func load() {
    if columns.detail == .kinds {
      kind = integer(at: Columns.kind).flatMap(ChangeKind.init(rawValue:))
      entityNumber = integer(at: Columns.entity)
      return
    }
    number = cursor.integer(at: Columns.number)
    kind = integer(at: Columns.kind).flatMap(ChangeKind.init(rawValue:))
    entityNumber = integer(at: Columns.entity)
    primaryKey = integer(at: Columns.primaryKey)
    isRegular = kind != nil && entityNumber != nil && primaryKey != nil
    switch cursor.type(at: Columns.mask) {
    case SQLITE_NULL: mask = nil
    case SQLITE_BLOB: mask = ColumnMask(bytes: cursor.bytes(at: Columns.mask))
    default:
      mask = nil
      isRegular = false
    }
  }

  /// What a deleted object left behind, by slot and without nulls at the end; mostly empty.
  public var tombstone: [StoredValue] {
    guard cursor.integer(at: Columns.hasTombstone) != 0 else { return [] }
    var values: [StoredValue] = []
    for (slot, column) in columns.tombstone where !cursor.isNull(at: column) {
      values += Array(repeating: .null, count: slot - values.count)
      values.append(cursor.value(at: column))
    }
    return values
  }

  /// What else the row holds; mostly empty.
  public var extra: [ExtraColumn] {
    guard !isRegular || cursor.integer(at: Columns.isIrregular) != 0 else { return [] }
    var extra: [ExtraColumn] = []
    func keep(_ column: Int) {
      extra.append(ExtraColumn(column: columns.names[column], value: cursor.value(at: column)))
    }
    if kind == nil { keep(Columns.kind) }
    if entityNumber == nil { keep(Columns.entity) }
    if primaryKey == nil { keep(Columns.primaryKey) }
    let maskType = cursor.type(at: Columns.mask)
    if maskType != SQLITE_BLOB && maskType != SQLITE_NULL { keep(Columns.mask) }
    if let column = columns.ownEntity,
      cursor.type(at: column) != SQLITE_INTEGER
        || cursor.integer(at: column) != EntityNumbering.HistoryEntity.change.rawValue
    {
      keep(column)
    }
    for column in columns.unexpected where !cursor.isNull(at: column) { keep(column) }
    return extra
  }

  private func integer(at column: Int) -> Int64? {
    cursor.type(at: column) == SQLITE_INTEGER ? cursor.integer(at: column) : nil
  }

  /// Where the columns of the layout stand in the statement.
  private struct Columns {
    static let number = 0
    static let kind = 1
    static let entity = 2
    static let primaryKey = 3
    static let transaction = 4
    static let mask = 5

    /// SQLite looks at the columns that are mostly null and sums them up in two numbers, which is
    /// several times cheaper than asking it for each.
    static let hasTombstone = 6
    static let isIrregular = 7

    let detail: ChangeDetail
    /// The columns' names; empty for the two numbers.
    let names: [String]
    /// What the statement selects.
    let expressions: [String]
    /// Slots with their columns; a slot without a column stays null.
    let tombstone: [(slot: Int, column: Int)]
    let ownEntity: Int?
    /// Columns that hold null in every store that a framework wrote.
    let unexpected: [Int]

    init(_ tables: HistoryTables, detail: ChangeDetail) {
      self.detail = detail
      if detail == .kinds {
        // The same places, so that one cursor reads both; what is left out is null or 0.
        names = []
        expressions = ["0", "ZCHANGETYPE", "ZENTITY", "NULL", "ZTRANSACTIONID", "NULL", "0", "0"]
        tombstone = []
        ownEntity = nil
        unexpected = []
        return
      }
      var names = [
        "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "", "",
      ]
      func position(of name: String) -> Int? {
        guard tables.changeColumns.contains(name) else { return nil }
        names.append(name)
        return names.count - 1
      }
      let tombstone = zip(tables.tombstoneSlots, tables.tombstoneColumns).compactMap { slot, name in
        position(of: name).map { (slot: slot, column: $0) }
      }
      ownEntity = position(of: "Z_ENT")
      unexpected = (["Z_OPT"] + tables.unknownColumns(of: .change)).compactMap { position(of: $0) }

      var irregular: [String] = []
      if ownEntity != nil {
        irregular.append("Z_ENT IS NOT \(EntityNumbering.HistoryEntity.change.rawValue)")
      }
      irregular += unexpected.map { [names] in "\(quoted(names[$0])) IS NOT NULL" }
      expressions = names.enumerated().map { index, name in
        switch index {
        case Self.hasTombstone: anyOf(tombstone.map { "\(quoted(names[$0.column])) IS NOT NULL" })
        case Self.isIrregular: anyOf(irregular)
        default: quoted(name)
        }
      }
      self.names = names
      self.tombstone = tombstone
    }
  }
}
