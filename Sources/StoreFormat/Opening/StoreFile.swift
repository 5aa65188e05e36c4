import DurableFiles
import GRDB

/// A store opened for reading.
///
/// Opening and reading never change a byte of the store or of its `-wal`. In a folder that can be
/// written, SQLite may leave an empty `-wal` and a `-shm` beside it, as the frameworks do.
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// try store.read { snapshot in
///   print(snapshot.metadata.storeIdentifier ?? "a store without an identifier")
/// }
/// ```
public final class StoreFile: Sendable {
  package let location: StoreLocation
  let accessMode: AccessMode
  /// Seconds to wait for a locked store.
  package let busyTimeout: Double

  private let queue: DatabaseQueue
  /// The state of the files before they were opened, where later saves are not visible.
  private let openingStamp: OpeningStamp?
  /// Whether one open transaction serves all reads.
  private let isHeld: Bool
  /// Whether nothing else uses the connection, so that others make all changes of the store.
  package let ownsConnection: Bool
  private let cancellation = Cancellation.current

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The store file; links are followed.
  ///   - busyTimeout: Seconds to wait for a locked store.
  /// - Throws: ``StoreError``.
  public convenience init(path: String, busyTimeout: Double = 5) throws {
    try self.init(location: StoreLocation(path: path), busyTimeout: busyTimeout)
  }

  /// Opens a store, and reads a small closed one from a copy, so that no file appears beside it.
  ///
  /// - Throws: ``StoreError``.
  package static func leavingNothing(_ path: String, busyTimeout: Double) throws -> StoreFile {
    try StoreFile(
      location: StoreLocation(path: path), busyTimeout: busyTimeout, manner: .leavingNothing)
  }

  /// Opens the store at a location.
  ///
  /// - Parameters:
  ///   - location: The store's files.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - allowsPrivateCopy: Whether a store that cannot be read in place may be copied.
  ///   - manner: When the store is read from a copy although it can be read in place.
  /// - Throws: ``StoreError``.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, allowsPrivateCopy: Bool = true,
    manner: ReadingManner = .inPlace
  ) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    isHeld = false
    ownsConnection = true
    if manner != .inPlace, !location.isWorkingCopy,
      let stamp = try? OpeningStamp(location, .privateCopy),
      let copy = try Self.openCopy(location, manner, busyTimeout: busyTimeout)
    {
      queue = copy
      accessMode = .privateCopy
      openingStamp = stamp
      return
    }
    do {
      if try AccessMode.needsOwnIndex(location) {
        throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
      }
      if try location.hasNoRoomForIndex() {
        // SQLite would leave an index that it could not finish.
        throw DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)
      }
      queue = try StoreConnection.open(location, mode: .shared, busyTimeout: busyTimeout)
      accessMode = .shared
      openingStamp = nil
    } catch let error as DatabaseError
      where AccessMode.mayFallBack(from: error) || location.lacksRoomForIndex(error)
      || location.isWorkingCopy && error.isUnfinishedSave
    {
      let mode = try Self.mode(
        after: error, location, busyTimeout, allowsPrivateCopy: allowsPrivateCopy)
      accessMode = mode
      openingStamp = try OpeningStamp(location, mode)
      do {
        queue = try StoreConnection.open(location, mode: mode, busyTimeout: busyTimeout)
      } catch let other {
        // Without room for the index there may be none for a copy either.
        let isSame = mode == .privateCopy && location.lacksRoomForIndex(error)
        throw StoreError.translating(
          isSame ? error : other, location: location, busyTimeout: busyTimeout)
      }
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    }
  }

  /// Returns how to read a store that cannot be opened in place.
  private static func mode(
    after error: DatabaseError, _ location: StoreLocation, _ busyTimeout: Double,
    allowsPrivateCopy: Bool
  ) throws -> AccessMode {
    // A save is rolled back in one more copy, so that the first one stays as the store is.
    guard
      let mode = try error.isUnfinishedSave || AccessMode.needsOwnIndex(location)
        ? .privateCopy : AccessMode.fallback(for: location, from: error)
    else {
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    }
    guard allowsPrivateCopy || mode != .privateCopy else {
      throw StoreError.unreadable(
        path: location.path, reason: "it can be read only from a copy, which is not allowed here")
    }
    return mode
  }

  /// Opens the copy of a store that is read in its place in a manner; returns `nil` if the store itself is read, as
  /// when there is no room for a copy.
  private static func openCopy(
    _ location: StoreLocation, _ manner: ReadingManner, busyTimeout: Double
  ) throws -> DatabaseQueue? {
    if let copy = StoreConnection.openCopyInMemory(location) { return copy }
    guard manner == .withoutLock, try !location.readHeader().usesLog else { return nil }
    do {
      return try StoreConnection.openCopy(location, busyTimeout: busyTimeout)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      // Waiting in place would take as long again.
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    } catch {
      return nil
    }
  }

  private init(location: StoreLocation, mode: AccessMode, busyTimeout: Double) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    isHeld = false
    ownsConnection = true
    accessMode = mode
    openingStamp = mode == .immutable ? try OpeningStamp(location, mode) : nil
    do {
      queue = try StoreConnection.open(location, mode: mode, busyTimeout: busyTimeout)
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    }
  }

  /// Reads one snapshot of a store without creating any file beside it.
  ///
  /// - Parameters:
  ///   - location: The store's files, which this process must not have open.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - body: Reads the snapshot; called again if the store changes meanwhile.
  /// - Throws: ``StoreError``, and errors of the closure.
  package static func readLeavingNothing<Result>(
    beside location: StoreLocation, busyTimeout: Double,
    _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let mode = try AccessMode.leavingNothing(beside: location)
    do {
      return try StoreFile(location: location, mode: mode, busyTimeout: busyTimeout).read(body)
    } catch let error as StoreError {
      // Another program saved, or has closed the store and removed the index.
      guard mode == .existingIndex || error == .changedWhileReading(path: location.path) else {
        throw error
      }
      return try StoreFile(location: location, mode: .privateCopy, busyTimeout: busyTimeout)
        .read(body)
    }
  }

  /// A store that is read in an open transaction, including its uncommitted changes.
  package init(
    location: StoreLocation, queue: DatabaseQueue, busyTimeout: Double, isHeld: Bool = false
  ) {
    self.location = location
    self.queue = queue
    self.busyTimeout = busyTimeout
    self.isHeld = isHeld
    ownsConnection = false
    accessMode = .shared
    openingStamp = nil
  }

  /// Calls a closure whose reads all see one state of the file.
  ///
  /// Without a write-ahead log this would block all writers; each read then sees the current state.
  func holding<Result>(_ body: (StoreFile) throws -> Result) throws -> Result {
    guard accessMode == .shared else { return try body(self) }
    let held = try translatingErrors {
      let queue = try StoreConnection.open(
        location, mode: .shared, busyTimeout: busyTimeout, isForOneTransaction: true)
      return try queue.inDatabase { database -> StoreFile? in
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return nil }
        try database.execute(sql: "BEGIN")
        // The first read fixes the state.
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
        return StoreFile(
          location: location, queue: queue, busyTimeout: busyTimeout, isHeld: true)
      }
    }
    guard let held else { return try body(self) }
    defer { try? held.queue.inDatabase { try $0.execute(sql: "ROLLBACK") } }
    return try body(held)
  }

  /// Reads one snapshot of the store, without blocking writers and without seeing what they save.
  ///
  /// The snapshot ends when the closure returns. Later use of it, or of a reader made from it, fails with
  /// ``StoreError/endedSnapshot(path:)``.
  ///
  /// - Throws: ``StoreError``, and errors of the closure.
  public func read<Result>(_ body: (StoreSnapshot) throws -> Result) throws -> Result {
    try readDatabase { database in
      let snapshot = try StoreSnapshot(
        database: database, location: location, cancellation: cancellation)
      defer { snapshot.end() }
      return try body(snapshot)
    }
  }

  /// Reads in one snapshot by SQL.
  package func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try translatingErrors {
      let result = try isHeld ? queue.inDatabase(body) : read(body)
      if accessMode == .immutable, try isOutdated {
        throw StoreError.changedWhileReading(path: location.path)
      }
      return result
    }
  }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    var result: Result?
    do {
      return try queue.read { database in
        let value = try body(database)
        result = value
        return value
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      // SQLite repeats the error of a damaged page, which the body has seen, when the reading ends.
      guard let result else { throw error }
      return result
    }
  }

  /// Whether other programs have saved since the store was opened, where an open store does not show that. To
  /// see their saves, open the store again.
  ///
  /// - Throws: ``StoreError``.
  package var isOutdated: Bool {
    get throws {
      guard let openingStamp else { return false }
      return try OpeningStamp(location, accessMode) != openingStamp
    }
  }

  func inDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try translatingErrors { try queue.inDatabase(body) }
  }

  /// SQLite's count of the changes that other connections have made.
  func readDataVersion() throws -> Int64 {
    try inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
  }

  private func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    }
  }
}

extension DatabaseError {
  /// Whether a journal has to be rolled back before the store can be read.
  var isUnfinishedSave: Bool {
    extendedResultCode == .SQLITE_READONLY_ROLLBACK
      || extendedResultCode == .SQLITE_READONLY_RECOVERY
  }
}

/// Detects writes to a store that is read without locks, or from a copy.
private struct OpeningStamp: Hashable, Sendable {
  let status: FileStatus?
  let changeCounter: UInt32
  let logSize: Int64
  /// The status of the log for a copy. Beside a file that is read without locks, an empty log may appear.
  let log: FileStatus?

  init(_ location: StoreLocation, _ mode: AccessMode) throws(StoreError) {
    changeCounter = try location.readHeader().changeCounter
    logSize = try location.logSize()
    do {
      status = try FileStatus(path: location.resolvedPath)
      log = mode == .privateCopy ? try FileStatus(path: location.logPath) : nil
    } catch {
      throw .unreadable(path: location.path, reason: error.description)
    }
  }
}

/// Detects saves to a store, and whether its path leads to another file.
package struct StoreStamp: Hashable, Sendable {
  /// SQLite's count of changes by other connections, including the log.
  let dataVersion: Int64
  let store: FileStatus?
  let log: FileStatus?

  /// Whether the path still leads to the file that was opened.
  package func isSameFile(as other: StoreStamp) -> Bool {
    store?.identity == other.store?.identity
  }
}

extension StoreFile {
  /// Whether an open store shows later saves of others. A private copy and a store that is read without locks
  /// do not; ``isOutdated`` then reports them.
  var seesLaterSaves: Bool { accessMode == .shared }

  /// Returns a stamp that changes with every save by others.
  ///
  /// - Throws: ``StoreError``.
  package func stamp() throws -> StoreStamp {
    // Taken first, so that a save in between is seen the next time.
    let store = try status(location.resolvedPath)
    let log = try status(location.logPath)
    return StoreStamp(dataVersion: try readDataVersion(), store: store, log: log)
  }

  /// Calls a closure, and reports every SQL statement that runs meanwhile.
  ///
  /// - Throws: ``StoreError``, and errors of the closure.
  package func tracing<Result>(
    _ statement: @escaping (String) -> Void, _ body: () throws -> Result
  ) throws -> Result {
    func trace(_ body: ((Database.TraceEvent) -> Void)?) throws {
      try inDatabase { $0.trace(body) }
    }
    try trace { event in
      if case .statement(let traced) = event { statement(traced.sql) }
    }
    defer { try? trace(nil) }
    return try body()
  }

  private func status(_ path: String) throws(StoreError) -> FileStatus? {
    do {
      return try FileStatus(path: path)
    } catch {
      throw .unreadable(path: location.path, reason: error.description)
    }
  }
}
