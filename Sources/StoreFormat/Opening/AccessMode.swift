/// How a store is read without changing it.
public enum AccessMode: String, Hashable, Sendable {
  /// SQLite's read-only mode, beside whoever else has the store open.
  case shared
  /// Without locks: nobody can write the folder, and the write-ahead log is empty.
  case immutable
  /// From a private copy of the store and its write-ahead log.
  case privateCopy
}

extension AccessMode {
  /// Chooses how to read a store that SQLite cannot read as it is.
  ///
  /// SQLite reads a write-ahead log with the help of a `-shm`. Where it can neither find nor make one,
  /// in a folder that cannot be written, nobody has the store open either: without a filled log the
  /// main file says all, and with one the two are read from a copy. Nil where that is not the reason.
  static func fallback(for location: StoreLocation) throws(StoreError) -> AccessMode? {
    guard !FileStatus.canCreateFiles(inFolder: location.folder),
      try location.size(of: location.sharedMemoryPath) == nil
    else { return nil }
    return try location.size(of: location.logPath) ?? 0 == 0 ? .immutable : .privateCopy
  }
}
