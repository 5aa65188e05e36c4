import GRDB
import GRDBSQLite

extension StoreError {
  /// Says in terms of a store what SQLite reported.
  package static func translating(
    _ error: any Error, location: StoreLocation, busyTimeout: Double
  ) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let path = location.path
    let detail = error.message ?? "\(error.resultCode)"
    if location.lacksRoomForIndex(error) {
      return StoreError.withoutRoom(
        path: path, index: location.sharedMemoryPath,
        free: location.scarceSpace)
    }
    switch (error.extendedResultCode, error.resultCode) {
    case (.SQLITE_READONLY_ROLLBACK, _), (.SQLITE_READONLY_RECOVERY, _):
      return StoreError.unfinishedSave(path: path, journal: location.journalPath)
    case (_, .SQLITE_BUSY), (_, .SQLITE_LOCKED):
      return StoreError.busy(path: path, seconds: busyTimeout)
    case (_, .SQLITE_CORRUPT), (_, .SQLITE_FORMAT):
      return StoreError.damaged(path: path, place: "SQLite's pages", detail: detail)
    case (_, .SQLITE_NOTADB):
      do throws(StoreError) {
        // With the right first bytes it is the rest of the header that SQLite does not like.
        _ = try location.readHeader()
      } catch {
        return error
      }
      return StoreError.damaged(path: path, place: "SQLite's file header", detail: detail)
    case (_, .SQLITE_TOOBIG):
      return StoreError.damaged(
        path: path, place: "a row",
        detail: "a value is longer than \(StoreConnection.longestValue >> 20) MiB")
    case (.SQLITE_IOERR_SHORT_READ, _):
      return StoreError.damaged(
        path: path, place: "SQLite's pages", detail: "the file is cut short")
    case (_, .SQLITE_CANTOPEN), (_, .SQLITE_IOERR), (_, .SQLITE_PERM), (_, .SQLITE_READONLY),
      (_, .SQLITE_AUTH), (_, .SQLITE_NOMEM), (_, .SQLITE_FULL), (_, .SQLITE_NOLFS):
      return StoreError.unreadable(path: path, reason: detail)
    default:
      return StoreError.damaged(path: path, place: "its tables", detail: detail)
    }
  }
}

extension StoreLocation {
  /// Whether SQLite has failed to make the index of a log because the file system is full.
  fileprivate func lacksRoomForIndex(_ error: DatabaseError) -> Bool {
    switch (error.extendedResultCode, error.resultCode) {
    // Said of nothing but the index, of which no byte more can be written.
    case (.SQLITE_IOERR_SHMSIZE, _): return true
    // It cannot even be made, for which there are other reasons.
    case (_, .SQLITE_CANTOPEN), (.SQLITE_IOERR_SHMOPEN, _), (.SQLITE_IOERR_SHMMAP, _):
      guard let log = try? size(of: logPath), log > 0,
        let free = scarceSpace
      else { return false }
      return free < StoreError.indexLength
    default: return false
    }
  }

  /// How many bytes are free beside the store, where they are so few that it matters.
  fileprivate var scarceSpace: Int64? {
    guard let free = try? FreeSpace.byteCount(inFolder: folder), free < 1 << 20 else { return nil }
    return free
  }
}
