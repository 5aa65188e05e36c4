/// What the statements of a ``ChangeCursor`` select from `ACHANGE`, and where each column stands.
struct ChangeColumns {
  package static let number = 0
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
  /// The names of the columns.
  package let names: [String]
  /// What the statement selects.
  let expressions: [String]
  /// Whether the layout has the column ``own`` at all.
  let hasOwn: Bool
  let ownNumber = EntityNumbering.HistoryEntity.change.rawValue
  /// The slots that the layout has columns for; a slot without one stays null.
  package let tombstoneSlots: [Int]
  /// Columns that hold null in every store that a framework wrote.
  let unexpected: [String]
  /// The statement that reads the columns of the slots and the unexpected ones of one row.
  let restQuery: String

  init(_ tables: HistoryTables, detail: ChangeDetail) {
    self.detail = detail
    hasOwn = tables.changeColumns.contains("Z_ENT")
    let present = zip(tables.tombstoneSlots, tables.tombstoneColumns).filter {
      tables.changeColumns.contains($0.1)
    }
    tombstoneSlots = present.map(\.0)
    unexpected = (["Z_OPT"] + tables.unknownColumns(of: .change)).filter {
      tables.changeColumns.contains($0)
    }
    let rest = (present.map(\.1) + unexpected).map(quoted)
    let list = rest.isEmpty ? "NULL" : rest.joined(separator: ", ")
    restQuery = "SELECT \(list) FROM ACHANGE WHERE Z_PK = ?1"
    names = [
      "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "Z_ENT",
    ]
    switch detail {
    case .everything:
      expressions =
        names.dropLast().map(quoted)
        + [hasOwn ? quoted("Z_ENT") : "\(ownNumber)", firstValue(of: rest)]
    case .kinds, .sizes:
      // The same places, so that one cursor reads all; what is left out is null or 0. Whoever asks
      // for sizes does not ask for numbers.
      let first = detail == .sizes ? RecordSize.ofChange(tables) : "0"
      expressions = [
        first, "ZCHANGETYPE", "ZENTITY", "NULL", "ZTRANSACTIONID", "NULL", "0", "NULL",
      ]
    }
  }
}
