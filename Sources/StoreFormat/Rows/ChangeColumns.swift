import GRDB

/// What a cursor reads of each change.
package enum ChangeDetail: Sendable {
  /// The whole row.
  case everything
  /// What happened, and to which entity: enough to count changes, at a third of the cost.
  case kinds
  /// What ``kinds`` reads, the object, which slots an update touched, and about how many bytes the row takes,
  /// which SQL computes.
  case sizes
}

/// The columns of `ACHANGE` that a ``ChangeCursor`` selects, and their places in its statements.
struct ChangeColumns {
  static let number = 0
  static let kind = 1
  static let entity = 2
  static let primaryKey = 3
  static let transaction = 4
  static let mask = 5
  /// The number of `ACHANGE` itself among the entities.
  static let own = 6
  /// Whether one of the columns that are mostly null has a value: to select one expression is several times
  /// faster than to select each.
  static let rest = 7
  /// The place of the number where a size takes ``number``, and that of the primary key then.
  static let numberBesideSize = primaryKey
  static let primaryKeyBesideSize = own

  /// The names of the columns.
  let names = [
    "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "Z_ENT",
  ]
  /// What the statement selects.
  let selection: String
  /// Whether the layout has the column ``own``.
  let hasOwn: Bool
  let ownNumber = EntityNumbering.HistoryEntity.change.rawValue
  /// The slots that the layout has columns for; a slot without one is null.
  let tombstoneSlots: [Int]
  /// Columns that hold null in every store that a framework wrote.
  let unexpected: [String]
  /// The statement that reads the columns of the slots and the unexpected ones of one row.
  let restQuery: String

  init(_ tables: HistoryTables, detail: ChangeDetail) {
    hasOwn = tables.changeColumns.contains("Z_ENT")
    let present = zip(tables.tombstoneSlots, tables.tombstoneColumns).filter {
      tables.changeColumns.contains($0.1)
    }
    tombstoneSlots = present.map(\.0)
    unexpected = (["Z_OPT"] + tables.unknownColumns(of: .change)).filter {
      tables.changeColumns.contains($0)
    }
    let rest = (present.map(\.1) + unexpected).map(quoted)
    restQuery =
      "SELECT \(rest.isEmpty ? "NULL" : rest.joined(separator: ", ")) FROM ACHANGE WHERE Z_PK = ?1"
    let expressions: [String]
    switch detail {
    case .everything:
      expressions =
        names.dropLast().map(quoted)
        + [hasOwn ? quoted("Z_ENT") : "\(ownNumber)", anyValue(of: rest)]
    case .kinds, .sizes:
      // The same positions, except that the size replaces the number, and the number the primary key.
      let hasSizes = detail == .sizes
      expressions = [
        hasSizes ? RecordSize.ofChange(tables) : "0", "ZCHANGETYPE", "ZENTITY", "Z_PK",
        "ZTRANSACTIONID", hasSizes ? "ZCOLUMNS" : "NULL", hasSizes ? "ZENTITYPK" : "0", "NULL",
      ]
    }
    selection = expressions.joined(separator: ", ")
  }

  /// Returns a statement for rows by their numbers.
  ///
  /// - Parameter rows: The numbers; `nil` for one number at a time.
  func statement(
    _ database: Database, forRows rows: ClosedRange<Int64>?
  ) throws -> StatementCursor {
    let select = "SELECT \(selection) FROM ACHANGE NOT INDEXED WHERE Z_PK"
    guard let rows else { return try StatementCursor(database, sql: "\(select) = ?1") }
    let statement = try StatementCursor(
      database, sql: "\(select) BETWEEN ?1 AND ?2 ORDER BY Z_PK")
    try statement.bind([.integer(rows.lowerBound), .integer(rows.upperBound)])
    return statement
  }
}

/// What a ``ChangeCursor`` keeps of the row that it is at.
struct ChangeRow {
  var number: Int64 = 0
  var transaction: Int64?
  var kind: ChangeKind?
  var entityNumber: Int64?
  var primaryKey: Int64?
  var mask: ColumnMask?
  var isPlain = true
  var byteCount: Int64 = 0
  /// The record in a page, if it describes the whole row; `nil` if the row is read by SQLite.
  var record: TreeRecord?
  /// Whether the record has values that only deleted objects leave.
  var recordHasTombstone = false
  /// Whether the record has a value where the frameworks leave null.
  var recordHasUnexpected = false
  /// Whether the tombstone is still in the page.
  var lendsTombstone = false
  /// The values of the columns that are mostly null.
  var tombstone: [StoredValue] = []
  var unexpected: [ExtraColumn] = []

  /// Forgets what few rows have.
  @inline(__always)
  mutating func clearRest() {
    guard !isPlain else { return }
    tombstone = []
    unexpected = []
    lendsTombstone = false
  }
}
