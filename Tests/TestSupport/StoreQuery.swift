import StoreFormat

/// Runs plain SQL on a store, without code of histctl.
package final class StoreQuery {
  private let connection: PlainConnection

  /// Opens a store.
  package init(path: String) throws {
    connection = try PlainConnection(path: path, busyTimeout: 30_000)
  }

  /// Runs SQL.
  package func run(_ sql: String) throws { try connection.run(sql) }

  /// Returns the rows of a statement.
  package func rows(_ sql: String) throws -> [[StoredValue]] { try connection.rows(sql) }

  /// The rows as text, values divided by "|", blobs in hexadecimal.
  package func lines(_ sql: String) throws -> [String] {
    try rows(sql).map { row in
      row.map { value in
        switch value {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .malformedText(let bytes), .blob(let bytes):
          bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
      }.joined(separator: "|")
    }
  }

  /// All tables with all their rows, by name.
  package func contents() throws -> [String: [[StoredValue]]] {
    let names = try lines(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    return Dictionary(
      uniqueKeysWithValues: try names.map { name in
        let table = "SELECT * FROM \"\(name)\""
        // Some tables of full-text indexes have no row numbers.
        return (name, try (try? rows(table + " ORDER BY rowid")) ?? rows(table + " ORDER BY 1, 2"))
      })
  }
}
