import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

/// A store that is written under another name and then moved to its place in one step.
///
/// ```swift
/// let draft = try StoreDraft(path: "Trips.store")
/// try draft.write { path in try StoreCreator.create(at: path, model: model) }
/// ```
///
/// Under its own name there is never a partial store: either the former one or the finished one. Large
/// values and recorded values beside the draft are moved with it, and those of a replaced store are
/// removed.
package struct StoreDraft: Hashable, Sendable {
  package let path: String
  /// The path under which it is written, in a folder of its own beside that place.
  package let temporaryPath: String
  package let overwrites: Bool

  /// How long to wait for programs that have the replaced store open, in seconds.
  private let busyTimeout: Double
  private let temporaryFolder: String

  /// The suffixes of SQLite's files beside a store.
  package static let companions = ["-wal", "-shm", "-journal"]

  /// Chooses the temporary path, removes drafts of killed programs, and checks that the place is free.
  ///
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` if there is a store, or a file that belonged to
  ///   one, and it is not to be replaced.
  package init(
    path: String, overwrites: Bool = false, busyTimeout: Double = 5
  ) throws(StoreWriteError) {
    self.path = path
    self.overwrites = overwrites
    self.busyTimeout = busyTimeout
    temporaryFolder = DraftFolder.path(for: path)
    temporaryPath = temporaryFolder + "/" + (FilePath(path).lastComponent?.string ?? "store")
    // Before the check: files that a killed program has left at the place are not in the way.
    DraftFolder.removeAbandoned(forStoreAt: path)
    if overwrites { try checkIsStore() } else { try checkIsFree() }
  }

  /// Creates a store unless another program has created it meanwhile.
  ///
  /// - Throws: As ``write(_:)``; ``StoreWriteError/alreadyThere(path:)`` only if there is a file that
  ///   belonged to a store which is gone.
  package static func makeIfMissing(
    at path: String, _ body: (_ temporaryPath: String) throws -> Void
  ) throws {
    do {
      try StoreDraft(path: path).write { try body($0) }
    } catch let error as StoreWriteError {
      guard case .alreadyThere = error, FileMove.entry(at: path) == .file else { throw error }
    }
  }

  /// Creates an empty file exclusively, so that an existing one is never written to.
  package static func claim(
    _ path: String, permissions: FilePermissions
  ) throws(StoreWriteError) {
    do {
      try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: permissions
      ).close()
    } catch Errno.fileExists {
      throw .alreadyThere(path: path)
    } catch {
      throw .unwritable(path: path, reason: "\(error)")
    }
  }

  /// All files that may exist while the store is written, and last their folder; a signal handler
  /// removes them.
  package var temporaryFiles: [String] {
    [temporaryPath, RecordedValuesFile.path(besideStore: temporaryPath)].flatMap { file in
      [file] + Self.companions.map { file + $0 }
    } + [temporaryFolder]
  }

  /// Writes a store and moves it to its place.
  ///
  /// When the function returns, the store would survive a loss of power with everything beside it. Nothing is written
  /// to its files after they are synced, so `body` need not sync anything.
  ///
  /// No program may have the replaced store open, because it would keep writing to the old file and
  /// remove the new one's log. Programs that move stores to one place at the same time do it one after
  /// the other. A program that is killed while it moves companions leaves no store at the place, and the
  /// next draft puts the former store back with its companions.
  ///
  /// - Parameter body: Writes the store at the temporary path and closes it.
  /// - Throws: The errors of `body`, and ``StoreWriteError``; everything is then unchanged, or the finished store is
  ///   there and its folder cannot be synced.
  package func write<Result>(_ body: (_ temporaryPath: String) throws -> Result) throws -> Result {
    let folder: DraftFolder
    do throws(Errno) {
      folder = try DraftFolder(path: temporaryFolder, forStoreAt: path)
    } catch {
      throw StoreWriteError.unwritable(path: path, reason: error.description)
    }
    defer { folder.discard() }
    do {
      let result = try body(temporaryPath)
      try checkIsFinished()
      try onDisk { () throws(Errno) in try FolderContents.synchronize(temporaryFolder) }
      try place(folder)
      // Before the draft's folder is removed, and a replaced store with it.
      try onDisk { () throws(Errno) in try DraftFile.synchronizeFolder(of: path) }
      return result
    } catch {
      if case StoreWriteError.unwritable(temporaryPath, let reason) = error {
        throw StoreWriteError.unwritable(path: path, reason: reason)
      }
      throw error
    }
  }

  private func onDisk(_ body: () throws(Errno) -> Void) throws(StoreWriteError) {
    do throws(Errno) {
      try body()
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Checks that there is nothing at the place or a store, even a damaged one.
  private func checkIsStore() throws(StoreWriteError) {
    do {
      guard let status = try FileStatus(path: path) else { return }
      switch status.kind {
      case .file: break
      case .directory:
        throw StoreWriteError.unwritable(path: path, reason: "it is a folder")
      case .link, .pipe, .socket, .device, .special:
        throw StoreWriteError.unwritable(
          path: path, reason: "it is a \(status.kind.name), and only a store is replaced")
      }
      let start = try ReadableFile(FilePath(path)).readPrefix(FileHeader.mark.count)
      guard start.isEmpty || start == FileHeader.mark else {
        throw StoreWriteError.unwritable(
          path: path, reason: "it is not a store, and only a store is replaced")
      }
    } catch let error as StoreWriteError {
      throw error
    } catch {
      throw .unwritable(path: path, reason: "\(error)")
    }
  }

  private func checkIsFree() throws(StoreWriteError) {
    for suffix in [""] + Self.companions where FileMove.entry(at: path + suffix) != .none {
      throw .alreadyThere(path: path + suffix)
    }
  }

  /// Checks that the whole store is in the one file that will be moved.
  private func checkIsFinished() throws {
    for suffix in Self.companions {
      let file = temporaryPath + suffix
      if suffix != "-shm", let status = try FileStatus(path: file), status.size > 0 {
        throw StoreWriteError.unwritable(path: path, reason: "its log could not be moved into it")
      }
      FileStatus.remove(file)
    }
  }

  private func place(_ folder: DraftFolder) throws {
    let lock = try lockPlace()
    defer { try? lock?.close() }
    // A program may have been killed here since the draft was begun.
    DraftFolder.removeAbandoned(forStoreAt: path, isPlaceLocked: true)
    let companions = DraftCompanions(ofStoreAt: path, draftIn: temporaryFolder)
    guard overwrites else {
      // A log that appeared meanwhile belongs to another store and would be taken for this one's.
      try checkIsFree()
      return try place(companions, folder)
    }
    try withFormerLocked(path) {
      try withFormerLocked(companions.formerValues) {
        try place(companions, folder)
      }
    }
  }

  /// Locks the place against other programs whose files would mix with these.
  private func lockPlace() throws(StoreWriteError) -> FileDescriptor? {
    // A program that has the lock waits for the former store and then for its recorded values.
    let timeout = 2 * busyTimeout + FolderLock.timeout
    do throws(Errno) {
      return try DraftFolder.lockPlace(of: path, timeout: timeout)
    } catch .resourceTemporarilyUnavailable {
      throw .store(.busy(path: path, seconds: timeout))
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Moves the companions to their places, and then the store itself.
  private func place(_ companions: DraftCompanions, _ folder: DraftFolder) throws {
    do {
      let isFree = try companions.putInPlace(overwrites: overwrites)
      try move(companions.finishedStore, toFree: isFree)
    } catch {
      do {
        try companions.putBack()
      } catch {
        // The folder keeps the former store's files, and the next draft tries again.
        folder.leave()
      }
      throw naming(companions.formerStore, error)
    }
  }

  /// Returns an error that also says where the former store is, if it could not be put back.
  private func naming(_ former: String, _ error: any Error) -> any Error {
    guard case StoreWriteError.unwritable(let path, let reason) = error,
      FileMove.entry(at: former) != .none
    else { return error }
    return StoreWriteError.unwritable(
      path: path, reason: reason + "; the former store is \(former), and the next run puts it back")
  }

  private func move(_ store: String, toFree isFree: Bool) throws(StoreWriteError) {
    do throws(Errno) {
      if isFree {
        try FileMove.move(store, toFree: path)
      } else {
        try FileMove.move(store, replacing: path)
      }
    } catch .fileExists where overwrites {
      throw .unwritable(
        path: path, reason: "another program has created a file there while it was being replaced")
    } catch .fileExists {
      throw .alreadyThere(path: path)
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Calls `body` while no program has a file open that is to be replaced and its log is empty.
  private func withFormerLocked(_ path: String, _ body: () throws -> Void) throws {
    switch FileMove.entry(at: path) {
    case .file: break
    case .folder: throw StoreWriteError.unwritable(path: path, reason: "it is a folder")
    // Only the link itself is replaced, not its target.
    case .none, .link, .other: return try body()
    }
    var isDone = false
    do {
      let status = try FileStatus(path: path)
      let queue = try WritingConnection.open(path: path, busyTimeout: busyTimeout)
      defer { try? queue.close() }
      try queue.writeWithoutTransaction { database in
        // Leaving WAL mode requires that nobody else has the store open, readers included; the lock
        // that follows keeps others out.
        let former = try String.fetchOne(database, sql: "PRAGMA journal_mode")
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
        guard mode != "wal" else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        defer {
          // Only in the former file itself: a new one at the path must not get a log.
          if !isDone, former == "wal", (try? FileStatus(path: path))?.identity == status?.identity {
            try? database.execute(sql: "PRAGMA journal_mode = WAL")
          }
        }
        try database.inTransaction(.exclusive) {
          try body()
          isDone = true
          return .rollback
        }
      }
    } catch let error as DatabaseError {
      if isDone { return }
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        throw StoreWriteError.store(.busy(path: path, seconds: busyTimeout))
      // A file that is not a store cannot be open as one in another program.
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: try body()
      default:
        throw StoreWriteError.unwritable(
          path: path, reason: error.message ?? "\(error.resultCode)")
      }
    }
  }
}
