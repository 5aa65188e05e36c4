import CSQLiteSupport
import DurableFiles
import GRDB
import GRDBSQLite

/// Opens connections to stores.
///
/// A store is hostile input and may be the only copy: the schema is not trusted, cell sizes are checked, nothing
/// is memory-mapped (truncating a mapped file would kill the process), values have a maximum length, and closing
/// does not checkpoint the log.
package enum StoreConnection {
  /// The maximum length of a value in bytes; a longer one is reported as damage.
  package static let longestValue: CInt = 64 << 20

  /// The maximum time in seconds to wait for a lock: a day.
  private static let longestTimeout = 86_400.0

  /// The number of stores that are open together and share what one may take in memory.
  @TaskLocal package static var shareCount = 1
  /// The memory for SQLite's pages of all stores that are open together, in KiB.
  private static let sharedCacheSize = 8192

  /// Whether `file:` names with parameters work in this process.
  static let acceptsParameters = csqlite_accept_uri_names() == SQLITE_OK

  /// Lets threads that read different stores allocate side by side, at the price of SQLite's figures of memory.
  ///
  /// Call it before the first store is opened, in a program whose use of SQLite is all known.
  package static func stopCountingMemory() { csqlite_stop_counting_memory() }

  /// Lets many stores be open together in little memory. Call it where ``stopCountingMemory()`` is called.
  package static func allocatePagesSingly() { csqlite_allocate_pages_singly() }

  /// Makes the program give back the memory of a large value when the value is released.
  package static func returnLargeBlocks() { csqlite_return_large_blocks() }

  /// Opens a queue for reading.
  ///
  /// - Parameter isForOneTransaction: Whether one transaction stays open between uses of the queue.
  package static func open(
    _ location: StoreLocation, mode: AccessMode, busyTimeout: Double,
    isForOneTransaction: Bool = false
  ) throws -> DatabaseQueue {
    switch mode {
    case .shared:
      var configuration = configuration(busyTimeout: busyTimeout)
      configuration.allowsUnsafeTransactions = isForOneTransaction
      return try DatabaseQueue(path: location.resolvedPath, configuration: configuration)
    case .immutable where acceptsParameters:
      return try DatabaseQueue(
        path: "file:" + PercentEncoding.encode(location.resolvedPath) + "?immutable=1",
        configuration: configuration(busyTimeout: busyTimeout))
    case .existingIndex where acceptsParameters:
      return try DatabaseQueue(
        path: "file:" + PercentEncoding.encode(location.resolvedPath) + "?readonly_shm=1",
        configuration: configuration(busyTimeout: busyTimeout))
    case .immutable, .existingIndex, .privateCopy:
      let copy = try PrivateCopy(of: location)
      defer { copy.remove() }
      return try openPrivate(copy)
    }
  }

  /// Opens a copy in memory of a small store that no program has open, or returns `nil` for any other.
  ///
  /// In place, SQLite would create a `-wal` and a `-shm` beside it, which takes longer than reading it.
  static func openCopyInMemory(_ location: StoreLocation) -> DatabaseQueue? {
    guard let content = ClosedStore.content(of: location) else { return nil }
    guard let queue = try? DatabaseQueue(configuration: configuration(busyTimeout: 0)) else {
      sqlite3_free(content.baseAddress)
      return nil
    }
    let count = sqlite3_int64(content.count)
    let result = queue.inDatabase {
      // SQLite releases the memory, also if this fails.
      sqlite3_deserialize(
        $0.sqliteConnection, "main", content.baseAddress, count, count,
        UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY))
    }
    return result == SQLITE_OK ? queue : nil
  }

  /// Opens a copy of the current state of a store, which is locked only during the copy.
  static func openCopy(_ location: StoreLocation, busyTimeout: Double) throws -> DatabaseQueue {
    let source = try open(location, mode: .shared, busyTimeout: busyTimeout)
    defer { try? source.close() }
    let copy = try PrivateCopy(forStoreAt: location.path)
    defer { copy.remove() }
    var configuration = configuration(busyTimeout: 0)
    configuration.readonly = false
    configuration.prepareDatabase { database in
      // The copy is private and temporary.
      try database.execute(
        sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
    }
    let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
    try source.backup(to: queue)
    try queue.inDatabase { try $0.execute(sql: "PRAGMA query_only = ON") }
    return queue
  }

  /// Opens a private copy so that its files can be deleted while it is read.
  ///
  /// In exclusive mode SQLite keeps the index of the log in memory and needs no `-shm`; the lock
  /// that this takes is on our own copy.
  static func openPrivate(_ copy: PrivateCopy) throws -> DatabaseQueue {
    var configuration = configuration(busyTimeout: 0)
    configuration.readonly = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON")
    }
    return try DatabaseQueue(path: copy.path, configuration: configuration)
  }

  /// Opens the file that a VFS shows.
  static func openState(named vfs: String) throws -> DatabaseQueue {
    try DatabaseQueue(path: "file:/state?vfs=" + vfs, configuration: configuration(busyTimeout: 0))
  }

  /// Opens a queue for deleting and inserting rows of the history.
  ///
  /// It is as careful as one for reading, and its triggers are off.
  package static func openForBatches(
    _ location: StoreLocation, busyTimeout: Double
  ) throws -> DatabaseQueue {
    var configuration = configuration(busyTimeout: busyTimeout)
    configuration.readonly = false
    configuration.prepareDatabase { database in
      // Memory stays small, whatever a batch does.
      try database.execute(sql: "PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY")
      // A loss of power loses at most the current batch. Without syncing it could lose an earlier batch and
      // leave a later one, which looks like a damaged log.
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    return try DatabaseQueue(
      path: present(location.resolvedPath), configuration: configuration)
  }

  /// Returns the name with which SQLite opens a file only if it exists: a store that was removed meanwhile
  /// must not be created again, empty.
  package static func present(_ path: String) -> String {
    guard acceptsParameters else { return path }
    // A name after two slashes would be a host.
    return "file:" + (path.hasPrefix("/") ? "//" : "") + PercentEncoding.encode(path) + "?mode=rw"
  }

  /// Returns the busy mode for a timeout; SQLite counts milliseconds in 32 bits.
  package static func busyMode(timeout: Double) -> Database.BusyMode {
    .timeout(timeout > longestTimeout ? longestTimeout : max(0, timeout))
  }

  /// Keeps other readings of a connection's file from dropping its locks, until the connection is closed.
  ///
  /// Call it before the connection takes a lock.
  package static func keepLocks(of database: Database) throws {
    let connection = database.sqliteConnection
    var isMoved: CInt = 0
    func ask() -> CInt {
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
    }
    // A database in memory has no file, and another one is made by this program.
    guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0,
      ask() == SQLITE_OK
    else { return }
    let use = LockedFiles.Use(ofFileAt: String(cString: name)) {
      ask() != SQLITE_OK || isMoved != 0
    }
    // SQLite destroys functions after it has closed the file.
    let result = sqlite3_create_function_v2(
      connection, "histctl_open_file", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(use).toOpaque(), { context, _, _ in sqlite3_result_null(context) },
      nil, nil,
      { use in
        if let use { Unmanaged<LockedFiles.Use>.fromOpaque(use).release() }
      })
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
  }

  private static func configuration(busyTimeout: Double) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.foreignKeysEnabled = false
    configuration.busyMode = busyMode(timeout: busyTimeout)
    let cancellation = Cancellation.current
    configuration.prepareDatabase { database in
      try keepLocks(of: database)
      try cancellation?.interruptStatements(of: database)
      let result = csqlite_harden(database.sqliteConnection)
      guard result == SQLITE_OK else {
        throw DatabaseError(resultCode: ResultCode(rawValue: result))
      }
      sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, longestValue)
      if shareCount > 4 {
        try database.execute(
          sql: "PRAGMA cache_size = -\(max(sharedCacheSize / shareCount, 64))")
      }
      // GRDB registers an authorizer for observers of changes, which takes a third of the time of preparing a
      // statement. A read-only connection has no observers.
      if database.configuration.readonly {
        sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
      }
      try TextFunctions.add(to: database)
    }
    return configuration
  }
}

/// The ways to read a store without changing it.
package enum AccessMode: String, Hashable, Sendable {
  /// SQLite's read-only mode, beside other programs that have the store open.
  case shared
  /// Without locks: the folder is not writable, and the write-ahead log is empty.
  case immutable
  /// As ``shared``, with an index of the log that another program has made and that stays as it is.
  case existingIndex
  /// From a private copy of the store and its write-ahead log.
  case privateCopy
}

/// When a store is read from a copy although it can be read in place.
package enum ReadingManner: Hashable, Sendable {
  /// Never.
  case inPlace
  /// If it is small and no program has it open, so that no file appears beside it.
  case leavingNothing
  /// Also if it has a rollback journal: reading it in place blocks its app from saving, for example while a pager
  /// waits.
  case withoutLock
}

extension AccessMode {
  /// Returns whether an error of opening may mean that SQLite could not create the log or its index.
  ///
  /// The error differs between versions of SQLite; it is never that of a journal to be rolled back.
  static func mayFallBack(from error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .SQLITE_CANTOPEN: true
    case .SQLITE_READONLY: !error.isUnfinishedSave
    default: false
    }
  }

  /// Chooses how to read a store that SQLite cannot read as it is.
  ///
  /// SQLite needs a `-shm` to read a write-ahead log. Where it can neither use nor create one, in a folder
  /// that is not writable or on a full disk, a filled log is read from a copy; without one, the main file is
  /// complete. Returns `nil` where that is not the reason.
  static func fallback(
    for location: StoreLocation, from error: DatabaseError
  ) throws(StoreError) -> AccessMode? {
    // A hot journal must not be ignored.
    guard try location.size(of: location.journalPath) ?? 0 == 0 else { return nil }
    let logSize = try location.size(of: location.logPath)
    let hasSharedMemory = try location.size(of: location.sharedMemoryPath) != nil
    let isUsable =
      hasSharedMemory
      ? FileStatus.canRead(location.sharedMemoryPath) && logSize != nil
      : FileStatus.canCreateFiles(inFolder: location.folder)
    guard !isUsable || location.lacksRoomForIndex(error) else { return nil }
    return logSize ?? 0 == 0 ? .immutable : .privateCopy
  }

  /// Chooses how to read a store so that no file ever appears beside it.
  static func leavingNothing(beside location: StoreLocation) throws(StoreError) -> AccessMode {
    guard try location.readHeader().usesLog else { return .shared }
    guard try location.size(of: location.journalPath) ?? 0 == 0 else {
      throw .unfinishedSave(path: location.path, journal: location.journalPath)
    }
    guard try location.logSize() > 0 else { return .immutable }
    guard try location.size(of: location.sharedMemoryPath) != nil else { return .privateCopy }
    return try location.hasUsableLog() ? .existingIndex : .privateCopy
  }

  /// Returns whether a store is read from a copy at once: it has an index that this process cannot write, and a log
  /// that SQLite ignores.
  ///
  /// If no program keeps such an index up to date, SQLite reads the beginning of the log a hundred times, for ten
  /// seconds, until it belongs to the index, which it never does.
  static func needsOwnIndex(_ location: StoreLocation) throws(StoreError) -> Bool {
    guard try location.size(of: location.sharedMemoryPath) != nil,
      !FileStatus.canWrite(location.sharedMemoryPath)
    else { return false }
    guard try location.logSize() > 0 else { return false }
    return try !location.hasUsableLog()
  }
}
