import DurableFiles
import GRDB

/// How a store is read without changing it.
package enum AccessMode: String, Hashable, Sendable {
  /// SQLite's read-only mode, beside whoever else has the store open.
  case shared
  /// Without locks: nobody can write the folder, and the write-ahead log is empty.
  case immutable
  /// From a private copy of the store and its write-ahead log.
  case privateCopy
}

extension AccessMode {
  /// Whether an error of opening can be that of a log that SQLite can neither index nor make.
  ///
  /// Which one it is differs between versions of SQLite; a journal to be rolled back is none of them.
  static func mayFallBack(from error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .SQLITE_CANTOPEN: true
    case .SQLITE_READONLY:
      error.extendedResultCode != .SQLITE_READONLY_ROLLBACK
        && error.extendedResultCode != .SQLITE_READONLY_RECOVERY
    default: false
    }
  }

  /// Chooses how to read a store that SQLite cannot read as it is.
  ///
  /// SQLite reads a write-ahead log with the help of a `-shm`. Where it can neither use nor make the
  /// two, in a folder that cannot be written, a filled log is read from a copy, and without one the
  /// main file says all. Nil where that is not the reason.
  static func fallback(for location: StoreLocation) throws(StoreError) -> AccessMode? {
    // A journal that waits to be rolled back is not to be read around.
    guard try location.size(of: location.journalPath) ?? 0 == 0 else { return nil }
    let logSize = try location.size(of: location.logPath)
    let hasSharedMemory = try location.size(of: location.sharedMemoryPath) != nil
    let isUsable =
      hasSharedMemory
      ? FileStatus.canRead(location.sharedMemoryPath) && logSize != nil
      : FileStatus.canCreateFiles(inFolder: location.folder)
    guard !isUsable else { return nil }
    return logSize ?? 0 == 0 ? .immutable : .privateCopy
  }
}
