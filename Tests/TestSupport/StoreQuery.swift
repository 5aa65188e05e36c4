import Foundation
import GRDB
import StoreFormat

/// Plain SQL on a store, by a connection that knows nothing of stores.
package final class StoreQuery {
  private let queue: DatabaseQueue

  /// Opens a store.
  package init(path: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(30)
    configuration.allowsUnsafeTransactions = true
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Runs SQL.
  package func run(_ sql: String) throws {
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// The rows that a statement gives.
  package func rows(_ sql: String) throws -> [[StoredValue]] {
    try queue.writeWithoutTransaction { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { value in
          switch value.storage {
          case .null: .null
          case .int64(let number): .integer(number)
          case .double(let number): .real(number)
          case .string(let text): .text(text)
          case .blob(let data): .blob(Array(data))
          }
        }
      }
    }
  }

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
