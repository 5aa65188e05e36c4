import CSQLiteSupport
import GRDB
import GRDBSQLite

/// Settings of every connection that reads somebody's store.
///
/// A store is hostile input and somebody's only copy: the schema is not trusted, cell sizes are
/// checked, nothing is memory-mapped (a file cut short under a mapping would end the process), a
/// single value cannot fill memory, and closing does not move the log into the store.
package enum StoreConnection {
  /// The longest value, in bytes, that a row may hold; a longer one is reported as damage.
  package static let longestValue: CInt = 64 << 20

  /// The longest time that SQLite is made to wait for a lock, in seconds: a day.
  private static let longestTimeout = 86_400.0

  /// Whether `file:` names with parameters work in this process.
  private static let acceptsParameters = csqlite_accept_uri_names() == SQLITE_OK

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
        path: "file:" + percentEncoded(location.resolvedPath) + "?immutable=1",
        configuration: configuration(busyTimeout: busyTimeout))
    case .immutable, .privateCopy:
      let copy = try PrivateCopy(of: location)
      defer { copy.remove() }
      return try openPrivate(copy)
    }
  }

  /// Opens a copy of what a store holds now, which is locked only while it is copied.
  static func openCopy(_ location: StoreLocation, busyTimeout: Double) throws -> DatabaseQueue {
    let source = try open(location, mode: .shared, busyTimeout: busyTimeout)
    defer { try? source.close() }
    let copy = try PrivateCopy(forBackupOf: location)
    defer { copy.remove() }
    var configuration = configuration(busyTimeout: 0)
    configuration.readonly = false
    configuration.prepareDatabase { database in
      // Nobody else has it, and it need not outlive this process.
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
  private static func openPrivate(_ copy: PrivateCopy) throws -> DatabaseQueue {
    var configuration = configuration(busyTimeout: 0)
    configuration.readonly = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON")
    }
    return try DatabaseQueue(path: copy.path, configuration: configuration)
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
      // A loss of power takes no more than the batch under way. Without waiting for the disk it could
      // take an early one and leave a later one, which looks like a damaged log.
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    return try DatabaseQueue(
      path: present(location.resolvedPath), configuration: configuration)
  }

  /// What SQLite is to open where it must not make a file: one that has been removed or moved away
  /// meanwhile must not come into being again, empty.
  package static func present(_ path: String) -> String {
    guard acceptsParameters else { return path }
    // What follows two slashes would be the name of a machine.
    return "file:" + (path.hasPrefix("/") ? "//" : "") + percentEncoded(path) + "?mode=rw"
  }

  /// How SQLite waits for a lock, which it counts as milliseconds in 32 bits.
  package static func busyMode(timeout: Double) -> Database.BusyMode {
    .timeout(timeout > longestTimeout ? longestTimeout : max(0, timeout))
  }

  private static func configuration(busyTimeout: Double) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.foreignKeysEnabled = false
    configuration.busyMode = busyMode(timeout: busyTimeout)
    configuration.prepareDatabase { database in
      let result = csqlite_harden(database.sqliteConnection)
      guard result == SQLITE_OK else {
        throw DatabaseError(resultCode: ResultCode(rawValue: result))
      }
      sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, longestValue)
      try TextFunctions.add(to: database)
    }
    return configuration
  }

  /// A path as the name part of a `file:` name.
  private static func percentEncoded(_ path: String) -> String {
    var encoded = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
