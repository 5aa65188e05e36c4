import GRDB
import StoreFormat
import SystemPackage

extension StoreSnapshot {
  /// Copies the store as it is in this snapshot, its log included, into a new file.
  ///
  /// Whoever saves meanwhile is not kept waiting, and what they save is not in the copy. The copy
  /// has the store's identifier, its pages and its journal mode.
  ///
  /// - Parameters:
  ///   - path: Where there is nothing yet.
  ///   - progress: Told how many bytes have been copied; what it throws ends the copying.
  /// - Throws: ``StoreWriteError``, or what `progress` throws; an unfinished file may be left.
  package func copyStore(to path: String, progress: (Int64) throws -> Void = { _ in }) throws {
    try database.copyPages(to: path, permissionsOf: location, progress: progress)
  }
}

extension Database {
  /// How many pages are copied between two looks at whether to go on.
  private static let pagesPerStep: CInt = 4096

  /// Copies the whole database, as it is in the transaction that is being read in, into a new file.
  ///
  /// - Parameters:
  ///   - path: Where there is nothing yet.
  ///   - location: The database: the copy can be read by no more than those who can read it.
  ///   - progress: Told how many bytes have been copied; what it throws ends the copying.
  func copyPages(
    to path: String, permissionsOf location: StoreLocation,
    progress: (Int64) throws -> Void = { _ in }
  ) throws {
    do {
      // Made beforehand, so that it can never be read by more than those who can read the store.
      try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: location.filePermissions()
      ).close()
    } catch {
      throw StoreWriteError.unwritable(path: path, reason: "\(error)")
    }
    do {
      let pageByteCount = try StoreSpace(database: self).pageByteCount
      let target = try DatabaseQueue(path: path, configuration: Self.copying)
      do {
        try target.writeWithoutTransaction { copy in
          try withoutActuallyEscaping(progress) { progress in
            try backup(to: copy, pagesPerStep: Self.pagesPerStep) { step in
              try progress(Int64(step.completedPageCount) * pageByteCount)
            }
          }
        }
      } catch {
        try? target.close()
        throw error
      }
      try target.close()
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
        // The message is that of a later call by now.
        throw StoreWriteError.unwritable(path: path, reason: "\(error.resultCode)")
      default: throw StoreError.translating(error, location: location, busyTimeout: 0)
      }
    }
  }

  private static var copying: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // A copy that is not finished is thrown away.
      try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = NORMAL")
    }
    return configuration
  }
}
