import GRDB

extension StoreSnapshot {
  /// The tables without which a history cannot be read, the largest first.
  package var tablesOfHistory: [String] {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
      .filter(layout.tableNames.contains)
  }

  /// What SQLite's own check finds wrong with the pages of a table and of its indexes; empty where
  /// all is well.
  ///
  /// It reads every page once, and compares every row with its entries in the indexes.
  ///
  /// - Parameter table: One of ``tablesOfHistory``; nil for the whole file, every table of the app
  ///   and the list of free pages included.
  /// - Returns: At most a hundred problems.
  package func pageProblems(inTable table: String?) throws -> [String] {
    let argument = table.map { "(\(quoted($0)))" } ?? ""
    let cursor = try StatementCursor(database, sql: "PRAGMA integrity_check\(argument)")
    var problems: [String] = []
    while try cursor.step() {
      guard case .text(let text) = cursor.value(at: 0), text != "ok" else { continue }
      problems += text.split(separator: "\n").filter { !$0.hasPrefix("***") }.map(String.init)
    }
    return problems
  }
}
