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
  /// Where the store's files are.
  package let location: StoreLocation
  /// How the store is read.
  package let accessMode: AccessMode
  /// How long to wait for a store that is locked, in seconds.
  package let busyTimeout: Double

  private let queue: DatabaseQueue
  /// What the files looked like before they were opened, where later saves are not seen.
  private let openingStamp: OpeningStamp?
  /// Whether all reading is in one transaction, which is open.
  private let isHeld: Bool

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The store file; links are followed.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  /// - Throws: ``StoreError``.
  public convenience init(path: String, busyTimeout: Double = 5) throws {
    try self.init(location: StoreLocation(path: path), busyTimeout: busyTimeout)
  }

  /// Opens the store at a location that was looked at before.
  ///
  /// - Parameters:
  ///   - location: Where the store's files are.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - allowsPrivateCopy: Whether a store that cannot be read in place may be copied, which takes
  ///     time and space by its size.
  ///   - keepsNoLock: Whether a store with a rollback journal is read from a private copy. Reading it in
  ///     place would keep its app from saving for as long as somebody waits, such as a pager. Where there
  ///     is no room for a copy it is read in place.
  /// - Throws: ``StoreError``.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, allowsPrivateCopy: Bool = true,
    keepsNoLock: Bool = false
  ) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    isHeld = false
    if keepsNoLock, try !location.readHeader().usesLog,
      let stamp = try? OpeningStamp(location, .privateCopy),
      let copy = try? StoreConnection.openCopy(location, busyTimeout: busyTimeout)
    {
      queue = copy
      accessMode = .privateCopy
      openingStamp = stamp
      return
    }
    do {
      queue = try StoreConnection.open(location, mode: .shared, busyTimeout: busyTimeout)
      accessMode = .shared
      openingStamp = nil
    } catch let error as DatabaseError where AccessMode.mayFallBack(from: error) {
      guard let mode = try AccessMode.fallback(for: location) else {
        throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
      }
      guard allowsPrivateCopy || mode != .privateCopy else {
        throw StoreError.unreadable(
          path: location.path,
          reason: "it could be read from a copy only, which is not wanted here")
      }
      accessMode = mode
      openingStamp = try OpeningStamp(location, mode)
      do {
        queue = try StoreConnection.open(location, mode: mode, busyTimeout: busyTimeout)
      } catch {
        throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
      }
    } catch {
      throw StoreError.translating(error, location: location, busyTimeout: busyTimeout)
    }
  }

  /// A store that is read in a transaction which is open already, with what was written in it.
  package init(location: StoreLocation, queue: DatabaseQueue, busyTimeout: Double) {
    self.location = location
    self.queue = queue
    self.busyTimeout = busyTimeout
    accessMode = .shared
    openingStamp = nil
    isHeld = false
  }

  private init(holding location: StoreLocation, queue: DatabaseQueue, busyTimeout: Double) {
    self.location = location
    self.queue = queue
    self.busyTimeout = busyTimeout
    accessMode = .shared
    openingStamp = nil
    isHeld = true
  }

  /// Lets a body read one state of the file, however often it begins to read.
  ///
  /// Where the file has no log beside it, that would keep everybody from writing; each reading then
  /// sees a state of its own.
  func holding<Result>(_ body: (StoreFile) throws -> Result) throws -> Result {
    guard accessMode == .shared else { return try body(self) }
    let held = try translatingErrors {
      let queue = try StoreConnection.open(
        location, mode: .shared, busyTimeout: busyTimeout, isForOneTransaction: true)
      return try queue.inDatabase { database -> StoreFile? in
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return nil }
        try database.execute(sql: "BEGIN")
        // Only what reads has a state.
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
        return StoreFile(holding: location, queue: queue, busyTimeout: busyTimeout)
      }
    }
    guard let held else { return try body(self) }
    defer { try? held.queue.inDatabase { try $0.execute(sql: "ROLLBACK") } }
    return try body(held)
  }

  /// Reads in one snapshot: nothing that others save meanwhile is seen, and nobody is kept waiting.
  ///
  /// The snapshot must not leave the closure.
  ///
  /// - Throws: ``StoreError``, or what the closure throws.
  public func read<Result>(_ body: (StoreSnapshot) throws -> Result) throws -> Result {
    try readDatabase { try body(StoreSnapshot(database: $0, location: location)) }
  }

  /// Reads in one snapshot by SQL.
  package func readDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try translatingErrors {
      let result = try isHeld ? queue.inDatabase(body) : queue.read(body)
      if accessMode == .immutable, try isOutdated {
        throw StoreError.changedWhileReading(path: location.path)
      }
      return result
    }
  }

  /// Whether somebody has saved since the store was opened, where an open store does not show that:
  /// to see it, open the store anew.
  ///
  /// - Throws: ``StoreError``.
  package var isOutdated: Bool {
    get throws {
      guard let openingStamp else { return false }
      return try OpeningStamp(location, accessMode) != openingStamp
    }
  }

  /// Uses the connection itself.
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

/// What tells that a store which was read without locks, or from a copy, has been written meanwhile.
private struct OpeningStamp: Hashable, Sendable {
  let status: FileStatus?
  let changeCounter: UInt32
  let logSize: Int64
  /// That of the log, which a copy has as well; beside a file that is read without locks somebody may
  /// make an empty one.
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
