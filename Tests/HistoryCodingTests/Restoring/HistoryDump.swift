import TestSupport

/// All rows of a store's history, each value with its storage class, and the numbers that it has given.
struct HistoryDump: Equatable {
  private static let tables = ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"]
  private var lines: [String: [String]] = [:]

  /// Reads the rows, by python3 or, which is quicker and takes broken texts for others, in this process.
  init(_ path: String, usesPython: Bool = true) async throws {
    for table in Self.tables {
      if usesPython {
        lines[table] = try await TableDump.read(table, of: path).lines
      } else {
        let query = try StoreQuery(path: path)
        let exists = try query.lines("SELECT 1 FROM sqlite_master WHERE name = '\(table)'") != []
        guard exists else { continue }
        lines[table] = try query.rows("SELECT * FROM \(table) ORDER BY 1").map { row in
          row.map(TableDump.text).joined(separator: "|")
        }
      }
    }
  }

  subscript(table: String) -> [String] { lines[table] ?? [] }

  /// The tables that differ.
  func differences(from other: HistoryDump) -> [String] {
    Self.tables.filter { self[$0] != other[$0] }
  }
}
