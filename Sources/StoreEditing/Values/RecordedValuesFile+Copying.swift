import GRDB
import StoreFormat

extension RecordedValuesFile {
  /// Copies the file as it is now, without the values of the oldest transactions.
  ///
  /// - Parameters:
  ///   - path: Where the copy will be.
  ///   - number: The oldest transaction whose values are copied; nil for all.
  ///   - overwrites: Whether a file that is there is replaced.
  /// - Throws: ``StoreWriteError``, ``StoreError/unusableValues(path:reason:)``; nothing is left of an
  ///   unfinished copy.
  package func copy(to path: String, from number: Int64?, overwrites: Bool) throws {
    let draft = try StoreDraft(path: path, overwrites: overwrites, busyTimeout: busyTimeout)
    try draft.write { temporary in
      try Self.reading(location.path) {
        try file.readDatabase { try $0.copyPages(to: temporary, permissionsOf: location) }
      }
      let queue = try WritingConnection.open(path: temporary, busyTimeout: 0)
      try queue.writeWithoutTransaction { database in
        guard let number else { return }
        try StatementRunner(database).run(
          "DELETE FROM recorded_value WHERE transaction_number < ?1", [.integer(number)])
      }
      try queue.close()
    }
  }
}
