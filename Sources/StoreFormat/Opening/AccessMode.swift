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
  /// Chooses the mode that can read everything and leave everything as it is.
  ///
  /// In a folder that can be written, SQLite makes the `-shm` that it needs. In one that cannot,
  /// an existing `-shm` says that somebody has the store open, and SQLite reads it as it is; without
  /// one, a filled `-wal` can only be read where a `-shm` may be made, that is in a copy.
  static func choose(
    for location: StoreLocation, header: FileHeader
  ) throws(StoreError) -> AccessMode {
    guard header.usesWriteAheadLog else { return .shared }
    if FileStatus.canCreateFiles(inFolder: location.folder) { return .shared }
    if try location.size(of: location.sharedMemoryPath) != nil { return .shared }
    if try location.size(of: location.logPath) ?? 0 == 0 { return .immutable }
    return .privateCopy
  }
}
