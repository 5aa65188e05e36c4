import StoreFormat

/// Which history tables a new store gets.
package enum HistoryLayout: Hashable, Sendable {
  /// None: a store that is written without persistent history tracking.
  case none
  /// The tables of macOS 10.13 and iOS 11, which keep author, bundle, process and context as plain
  /// texts.
  case plain
  /// The tables since macOS 10.15, which intern these texts.
  case interned
}

/// The text of the history tables and their indexes, byte for byte that of the frameworks.
enum HistorySchema {
  /// The statements that create the tables.
  static func statements(layout: HistoryLayout, tombstoneColumns: Int) -> [String] {
    guard layout != .none else { return [] }
    let columns = (0..<tombstoneColumns).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    let change = """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB\(columns) )
      """
    let interned = StringRole.inColumnOrder.map { "\($0.identifierColumn) INTEGER, " }.joined()
    let plain = StringRole.inColumnOrder.map { ", \($0.plainColumn) VARCHAR" }.joined()
    let transaction = """
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      \(layout == .interned ? interned : "")ZTIMESTAMP FLOAT\(plain), ZQUERYGEN BLOB )
      """
    let string = """
      CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZNAME VARCHAR )
      """
    let changeIndex = "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)"
    let stringIndexes = StringRole.inColumnOrder.map { role in
      "CREATE INDEX ATRANSACTION_\(role.identifierColumn)_INDEX ON ATRANSACTION "
        + "(\(role.identifierColumn))"
    }
    let transactionIndexes = [
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        + "(ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        + "(ZTIMESTAMP COLLATE BINARY ASC)",
    ]
    let uniqueName =
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
      + "(ZNAME COLLATE BINARY ASC)"
    return layout == .interned
      ? [change, transaction, string, changeIndex] + stringIndexes + transactionIndexes
        + [uniqueName]
      : [change, transaction, changeIndex] + transactionIndexes
  }
}

extension StringRole {
  /// The roles in the order of their columns.
  fileprivate static let inColumnOrder: [StringRole] = [.author, .bundle, .context, .process]
}

extension EntityNumbering.HistoryEntity {
  /// The name that `Z_PRIMARYKEY` gives the table.
  var name: String {
    switch self {
    case .change: "CHANGE"
    case .transaction: "TRANSACTION"
    case .string: "TRANSACTIONSTRING"
    }
  }
}
