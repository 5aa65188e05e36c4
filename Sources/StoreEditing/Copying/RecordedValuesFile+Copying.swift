import GRDB
import StoreFormat
import StoreTransactions

extension RecordedValuesFile {
  /// Copies the file as it is now, without the values of transactions before a number, or with all.
  ///
  /// - Throws: ``StoreWriteError``, ``StoreError/unusableValues(path:reason:)``; no unfinished copy is
  ///   left.
  package func copy(to path: String, from number: Int64?, overwrites: Bool) throws {
    let draft = try StoreDraft(path: path, overwrites: overwrites, busyTimeout: busyTimeout)
    try draft.write { temporary in
      try Self.reading(location.path) {
        try file.readDatabase {
          try $0.copyPages(to: temporary, permissionsOf: location, usesLog: true)
        }
      }
      let queue = try WritingConnection.open(path: temporary, busyTimeout: 0)
      try queue.writeWithoutTransaction { database in
        guard let number else { return }
        try database.execute(sql: "PRAGMA synchronous = OFF")
        let statement = StatementRunner(database)
        try statement.run(
          "DELETE FROM recorded_value WHERE transaction_number < ?1", [.integer(number)])
        try statement.cutRanges(before: number)
      }
      try queue.close()
    }
  }
}

extension StatementRunner {
  /// Removes from a file of recorded values that transactions before a number are kept as a whole.
  func cutRanges(before number: Int64) throws {
    try run("DELETE FROM recorded_range WHERE last_transaction < ?1", [.integer(number)])
    try run(
      "UPDATE OR REPLACE recorded_range SET first_transaction = ?1 WHERE first_transaction < ?1",
      [.integer(number)])
  }
}
