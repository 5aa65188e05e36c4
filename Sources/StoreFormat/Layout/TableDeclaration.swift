import GRDB

/// A table as SQLite has understood its declaration: its columns, its indexes, and where they are in the file.
///
/// Plain `PRAGMA` statements give the same as the functions of that name in a query, which take long to prepare:
/// a tenth of the time in which a small store is exported.
package struct TableDeclaration: Hashable, Sendable {
  package struct Column: Hashable, Sendable {
    package let name: String
    /// The type that the column is declared with; empty if there is none.
    package let type: String
    /// Whether the column is in the primary key.
    let isInKey: Bool
    /// Whether reading returns the stored value, because the column has no expression and no default value.
    let isStored: Bool
    /// Whether the column is left out where all columns are asked for.
    fileprivate let isHidden: Bool
  }

  struct Index: Hashable, Sendable {
    let name: String
    /// Whether SQLite made it for a primary key that is not the number of the row.
    let isOfKey: Bool
    let isPartial: Bool
    let fields: [Field]
  }

  struct Field: Hashable, Sendable {
    /// The place of the column in the table; -1 for the number of the row, -2 for an expression.
    let column: Int64
    let name: String?
    let isDescending: Bool
  }

  /// All columns, hidden ones as well, in the order of the record's fields.
  let columns: [Column]
  let indexes: [Index]
  /// The first pages of the table and its indexes, by name; 0 for what has none.
  private let rootPages: [String: Int64]
  private let name: String

  init(of name: String, in database: Database) throws {
    self.name = name
    columns = try Self.allColumns(of: name, in: database)
    indexes = try Self.rows("PRAGMA main.index_list(\(quoted(name)))", database).compactMap { row in
      guard row.count > 4, let index = Self.text(row[1]) else { return nil }
      return Index(
        name: index, isOfKey: row[3] == .text("pk"), isPartial: row[4] != .integer(0),
        fields: try Self.rows("PRAGMA main.index_xinfo(\(quoted(index)))", database).compactMap {
          row in
          guard row.count > 3, case .integer(let column) = row[1] else { return nil }
          return Field(column: column, name: Self.text(row[2]), isDescending: row[3] != .integer(0))
        })
    }
    var pages: [String: Int64] = [:]
    for row in try StatementRunner(database).rows(
      "SELECT name, rootpage FROM sqlite_master WHERE tbl_name = ?1 AND type IN ('table', 'index')",
      [.text(name)])
    {
      if case .integer(let page) = row[1], let name = Self.text(row[0]) { pages[name] = page }
    }
    rootPages = pages
  }

  /// Returns the columns that a query for all of them has; none if there is no such table.
  static func columns(of name: String, in database: Database) throws -> [Column] {
    try allColumns(of: name, in: database).filter { !$0.isHidden }
  }

  static func hasCalculatedColumns(_ name: String, in database: Database) throws -> Bool {
    try allColumns(of: name, in: database).contains(where: \.isHidden)
  }

  private static func allColumns(of name: String, in database: Database) throws -> [Column] {
    try rows("PRAGMA main.table_xinfo(\(quoted(name)))", database).compactMap { row in
      guard row.count > 6, let name = text(row[1]) else { return nil }
      return Column(
        name: name, type: text(row[2]) ?? "", isInKey: row[5] != .integer(0),
        isStored: row[4] == .null && row[6] == .integer(0), isHidden: row[6] != .integer(0))
    }
  }

  /// Each is asked for once, so the connection need not keep the statement.
  private static func rows(_ sql: String, _ database: Database) throws -> [[StoredValue]] {
    let cursor = try StatementCursor(database, sql: sql)
    var rows: [[StoredValue]] = []
    while try cursor.step() { rows.append(cursor.values) }
    return rows
  }

  private static func text(_ value: StoredValue) -> String? {
    switch value {
    case .text(let text): text
    case .malformedText(let bytes): String(decoding: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// What SQLite calculates whenever a row is added or deleted, in words; `nil` if there is nothing.
  var calculation: String? {
    if let column = calculatedColumns.first { return "the column \(column)" }
    return indexes.first { index in
      index.isPartial || index.fields.contains { $0.column == -2 }
    }.map { "the index \($0.name)" }
  }

  /// The names of the columns that SQLite calculates.
  var calculatedColumns: [String] { columns.filter(\.isHidden).map(\.name) }

  /// The names of the columns that a query for all of them has, in that order.
  var columnNames: [String] { columns.filter { !$0.isHidden }.map(\.name) }

  /// Whether a column is the number of the row, so that its values are integers, each there once.
  ///
  /// A primary key that is not the row number has an index of its own, also `INTEGER … DESC`.
  func isRowNumber(_ column: String) -> Bool {
    let key = columns.filter(\.isInKey)
    return rootPage(of: name) != nil && key.count == 1 && key.first?.name == column
      && key.first?.type.uppercased() == "INTEGER" && !indexes.contains(where: \.isOfKey)
  }

  /// Whether the rows with a value of a column can be found without reading the others.
  func isIndexed(by column: String) -> Bool {
    indexes.contains { !$0.isPartial && $0.fields.first?.name == column }
  }

  /// The names of the indexes that list every row.
  var fullIndexNames: [String] { indexes.filter { !$0.isPartial }.map(\.name) }

  /// Returns the clause by which a query reads the index that begins with a column; empty if there is none.
  func indexClause(by column: String) -> String {
    indexes.first { !$0.isPartial && $0.fields.first?.name == column }
      .map { "INDEXED BY \(quoted($0.name))" } ?? ""
  }

  /// The first page of the table.
  var rootPage: UInt32? { rootPage(of: name) }

  /// The first page of an index that has the value of a column and the number of the row, both ascending, for
  /// every row.
  func rootPage(ofIndexBy column: String) -> UInt32? {
    guard let place = columns.firstIndex(where: { $0.name == column }) else { return nil }
    let fields = [
      Field(column: Int64(place), name: column, isDescending: false),
      Field(column: -1, name: nil, isDescending: false),
    ]
    return indexes.first { !$0.isPartial && $0.fields == fields }.flatMap { rootPage(of: $0.name) }
  }

  private func rootPage(of name: String) -> UInt32? {
    rootPages[name].flatMap { $0 > 0 ? UInt32(exactly: $0) : nil }
  }
}

extension StatementRunner {
  /// Returns the columns that a query for all columns of a table has; none if there is no such table.
  package func columns(of table: String) throws -> [TableDeclaration.Column] {
    try TableDeclaration.columns(of: table, in: database)
  }

  /// Returns whether a table has columns that SQLite calculates.
  package func hasCalculatedColumns(_ table: String) throws -> Bool {
    try TableDeclaration.hasCalculatedColumns(table, in: database)
  }
}
