import CSQLiteSupport
import DurableFiles
import GRDBSQLite
import Libc
import SystemPackage

/// Reads the bytes of a small store that no program has open.
///
/// Every program that saves to a store with a write-ahead log creates the `-wal` first, and the last one that
/// closes the store deletes it only with an exclusive lock. So while a reader's lock is held, and if there is no
/// `-wal` afterwards, no program has changed the file meanwhile. Without a write-ahead log, the lock itself
/// keeps others from writing.
enum ClosedStore {
  /// The maximum size of a store in bytes; reading a larger one in place is faster.
  private static let maxSize: Int64 = 1 << 20
  /// The maximum size of all stores together that are open at the same time, in bytes.
  private static let maxSharedSize: Int64 = 16 << 20

  /// Returns the bytes of a store in memory that SQLite allocated, or `nil` if the store is larger, may be open,
  /// was left in the middle of a save, or cannot be read.
  ///
  /// The bytes name a rollback journal as the way to save: a database in memory has no write-ahead log.
  static func content(of location: StoreLocation) -> UnsafeMutableBufferPointer<UInt8>? {
    guard let file = try? ReadableFile(FilePath(location.resolvedPath), followsLink: false),
      case let limit = min(maxSize, maxSharedSize / Int64(StoreConnection.shareCount)),
      (Int64(FileHeader.length)...limit).contains(file.status.size),
      file.withDescriptor({ csqlite_lock_for_reading($0.rawValue) }) == 0
    else { return nil }
    // The descriptor may stay open.
    defer { file.withDescriptor { csqlite_unlock_after_reading($0.rawValue) } }
    guard !exists(location.logPath), !exists(location.journalPath) else { return nil }
    let count = Int(file.status.size)
    guard let memory = sqlite3_malloc64(sqlite3_uint64(count)) else { return nil }
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    guard (try? file.fill(bytes, from: 0)) == count,
      FileHeader(Array(bytes.prefix(FileHeader.length))) != nil,
      // SQLite refuses other versions of the file format.
      (1...2).contains(bytes[18]), (1...2).contains(bytes[19]),
      !exists(location.logPath)
    else {
      sqlite3_free(memory)
      return nil
    }
    (bytes[18], bytes[19]) = (1, 1)
    return bytes.assumingMemoryBound(to: UInt8.self)
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT
  }
}
