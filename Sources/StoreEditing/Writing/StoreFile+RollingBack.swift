import GRDB
import StoreFormat

extension StoreFile {
  /// Undoes a save that was broken off, as every program does that opens the store to write to it.
  ///
  /// Reading changes nothing and ends with ``StoreError/unfinishedSave(path:journal:)`` where a journal
  /// waits to be rolled back. Who is about to write can call this and read again. Nothing happens to a
  /// store without such a journal.
  ///
  /// - Parameters:
  ///   - path: The store file; links are followed.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  /// - Throws: ``StoreError``, ``StoreWriteError``.
  package static func rollBackUnfinishedSave(at path: String, busyTimeout: Double = 5) throws {
    let location = try StoreLocation(path: path)
    do {
      let queue = try StoreConnection.openForBatches(location, busyTimeout: busyTimeout)
      defer { try? queue.close() }
      // Whoever may write rolls back before the first page is read.
      _ = try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }
}
