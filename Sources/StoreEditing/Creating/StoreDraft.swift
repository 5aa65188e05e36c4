import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

/// A store that is written under another name and then takes its place in one step.
///
/// ```swift
/// let draft = try StoreDraft(path: "Trips.store")
/// try draft.write { path in try StoreCreator.create(at: path, model: model) }
/// ```
///
/// Under its own name there is never a part of a store: what stands there is the one that was there
/// before, or the finished one. Large values and recorded values beside the draft go with it, and those
/// of a store that is replaced go away.
package struct StoreDraft: Hashable, Sendable {
  /// Where the store will be.
  package let path: String
  /// Where it is written: in a folder of its own beside that place.
  package let temporaryPath: String
  /// Whether a store that is there is replaced.
  package let overwrites: Bool
  /// How long to wait for somebody who has the store open that is to be replaced, in seconds.
  package let busyTimeout: Double

  private let temporaryFolder: String

  /// What SQLite keeps beside a store.
  static let companions = ["-wal", "-shm", "-journal"]

  /// Chooses the other name, and looks whether the place is free; what drafts of killed programs there
  /// are for it goes.
  ///
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` where there is a store, or a file that belonged
  ///   to one, and it is not to be replaced.
  package init(
    path: String, overwrites: Bool = false, busyTimeout: Double = 5
  ) throws(StoreWriteError) {
    self.path = path
    self.overwrites = overwrites
    self.busyTimeout = busyTimeout
    temporaryFolder = DraftFolder.path(for: path)
    temporaryPath = temporaryFolder + "/" + (FilePath(path).lastComponent?.string ?? "store")
    // Also where nothing is written: a kill between a store and its draft leaves both, and what a killed
    // program has put beside the place is not somebody else's.
    DraftFolder.removeAbandoned(forStoreAt: path)
    if overwrites { try checkIsStore() } else { try checkIsFree() }
  }

  /// Lets a store be made; one that another program has made meanwhile is as good, and stays.
  ///
  /// - Parameters:
  ///   - path: Where the store belongs.
  ///   - body: Writes the store at the path that it is given, and closes it.
  /// - Throws: As ``write(_:)``; ``StoreWriteError/alreadyThere(path:)`` only where something is
  ///   there that belonged to a store which is gone.
  package static func makeIfMissing(
    at path: String, _ body: (_ temporaryPath: String) throws -> Void
  ) throws {
    do {
      try StoreDraft(path: path).write { try body($0) }
    } catch let error as StoreWriteError {
      guard case .alreadyThere = error, FileMove.entry(at: path) == .file else { throw error }
    }
  }

  /// All files that there may be while the store is written, and their folder behind them; for who
  /// must remove them when the program is ended by a signal.
  package var temporaryFiles: [String] {
    [temporaryPath, RecordedValuesFile.path(besideStore: temporaryPath)].flatMap { file in
      [file] + Self.companions.map { file + $0 }
    } + [temporaryFolder]
  }

  /// Lets a store be written, and puts it in its place.
  ///
  /// A store that is replaced must not be open in any program, which would go on writing beside the
  /// new one and remove its log. Of several programs that put a store in one place at once, one does so
  /// after the other; who is killed at it while other files go with the store leaves no store there, and
  /// the next one puts the former store back with all that belongs to it.
  ///
  /// - Parameter body: Writes the store at the path that it is given, and closes it.
  /// - Throws: What `body` throws, and ``StoreWriteError``; everything is then as it was.
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
      try place(folder)
      return result
    } catch {
      throw named(error)
    }
  }

  /// An error with the name that the store is known by.
  private func named(_ error: any Error) -> any Error {
    switch error as? StoreWriteError {
    case .unwritable(temporaryPath, let reason):
      StoreWriteError.unwritable(path: path, reason: reason)
    default: error
    }
  }

  /// Checks that what is to be replaced is a store, though perhaps a damaged one, or nothing at all.
  private func checkIsStore() throws(StoreWriteError) {
    do {
      guard let status = try FileStatus(path: path) else { return }
      switch status.kind {
      case .file: break
      case .other("directory"):
        throw StoreWriteError.unwritable(path: path, reason: "it is a folder")
      case .other(let kind):
        throw StoreWriteError.unwritable(
          path: path, reason: "there is a \(kind), and only a store is replaced")
      }
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      let start = try file.closeAfter { try file.readPrefix(FileHeader.mark.count) }
      guard start.isEmpty || start == FileHeader.mark else {
        throw StoreWriteError.unwritable(
          path: path, reason: "it is there and is no store, and only a store is replaced")
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

  /// Whether everything is in the one file that will be moved.
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
    // Who was killed since the beginning has left what is to be free, or to be replaced, as well.
    DraftFolder.removeAbandoned(forStoreAt: path, isPlaceLocked: true)
    let companions = DraftCompanions(ofStoreAt: path, draftIn: temporaryFolder)
    guard overwrites else {
      // A log that came meanwhile belongs to another store and would be taken for this one's.
      try checkIsFree()
      return try place(companions, folder)
    }
    try withFormerLocked(path) {
      try withFormerLocked(companions.formerValues) {
        try place(companions, folder)
      }
    }
  }

  /// Keeps other programs from putting something in this place at the same time, whose files would mix
  /// with these.
  private func lockPlace() throws(StoreWriteError) -> FileDescriptor? {
    // Whoever has that one waits for the former store and for the values beside it.
    let patience = 2 * busyTimeout + FolderLock.patience
    do throws(Errno) {
      return try DraftFolder.lockPlace(of: path, patience: patience)
    } catch .resourceTemporarilyUnavailable {
      throw .store(.busy(path: path, seconds: patience))
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Puts what belongs to the store in its place, and then the store itself.
  private func place(_ companions: DraftCompanions, _ folder: DraftFolder) throws {
    do {
      let isFree = try companions.putInPlace(overwrites: overwrites)
      try move(companions.finishedStore, toFree: isFree)
    } catch {
      do {
        try companions.putBack()
      } catch {
        // What belongs to the former store is in it, and the next draft tries again.
        folder.leave()
      }
      throw error
    }
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
        path: path, reason: "another program has made a file there while it was being replaced")
    } catch .fileExists {
      throw .alreadyThere(path: path)
    } catch {
      throw .unwritable(path: path, reason: error.description)
    }
  }

  /// Calls `body` while no program has a file open that is to be replaced, and all of it is in that one
  /// file.
  private func withFormerLocked(_ path: String, _ body: () throws -> Void) throws {
    switch FileMove.entry(at: path) {
    case .file: break
    case .folder: throw StoreWriteError.unwritable(path: path, reason: "it is a folder")
    // Of a link the link alone is replaced, and what it leads to stays as it is.
    case .none, .link, .other: return try body()
    }
    var isDone = false
    do {
      let status = try FileStatus(path: path)
      let queue = try WritingConnection.open(path: path, busyTimeout: busyTimeout)
      defer { try? queue.close() }
      try queue.writeWithoutTransaction { database in
        // Giving up the log needs the store for oneself, readers included; the lock that follows
        // keeps it so.
        let former = try String.fetchOne(database, sql: "PRAGMA journal_mode")
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
        guard mode != "wal" else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
        defer {
          // A log would stand beside whatever has come there if it could not be put back.
          if !isDone, former == "wal", (try? FileStatus(path: path))?.inode == status?.inode {
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
      // No program can have it open as a store.
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: try body()
      default:
        throw StoreWriteError.unwritable(
          path: path, reason: error.message ?? "\(error.resultCode)")
      }
    }
  }
}
