import CSQLiteSupport
import GRDB
import GRDBSQLite

/// The end of a write-ahead log as one snapshot sees it.
struct LogMark: Hashable, Sendable {
  /// The last frame that counts; 0 if the main file holds the whole snapshot.
  let frame: UInt32
  /// The salts of the log, as they are in the file; each restart of the log changes them.
  let salts: UInt64

  /// Begins the read transaction of a connection and returns the mark, or `nil` where it cannot be
  /// known.
  ///
  /// SQLite does not say which state a transaction reads. It is the one in the header of the
  /// wal-index if that is the same before and after the transaction begins. A snapshot that began
  /// while somebody committed therefore has no mark.
  static func beginning(_ database: Database) throws -> LogMark? {
    guard let connection = database.sqliteConnection,
      sqlite3_txn_state(connection, "main") == SQLITE_TXN_NONE,
      // Nobody shares the index of a private copy.
      try String.fetchOne(database, sql: "PRAGMA main.locking_mode") == "normal",
      let before = Header(connection)
    else { return nil }
    // Reads one page, so that little time is left for others to commit.
    _ = try Int.fetchOne(database, sql: "PRAGMA main.schema_version")
    guard let after = Header(connection), after.bytes == before.bytes else { return nil }
    let frame = after.word(at: 16)
    // SQLite ignores a log that is in the main file as a whole, and somebody may then restart it.
    // Before that, the transaction keeps the log as it is up to its last frame.
    return LogMark(frame: after.backfilled >= frame ? 0 : frame, salts: after.salts)
  }

  /// The header of the wal-index: <https://www.sqlite.org/walformat.html>.
  private struct Header {
    var bytes = [UInt8](repeating: 0, count: 48)
    /// How many frames checkpoints have moved into the main file.
    var backfilled: UInt32 = 0

    init?(_ connection: OpaquePointer) {
      guard csqlite_log_file(connection) != nil,
        csqlite_log_header(connection, &bytes, &backfilled) != 0
      else { return nil }
    }

    func word(at place: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) }
    }

    var salts: UInt64 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) }
    }
  }
}

/// The pages that a write-ahead log holds in one of its states.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>. Checksums
/// are not computed: they matter after a crash, and the wal-index lists no frame that failed them.
final class LogFrames {
  static let headerLength = 32
  static let frameHeaderLength = 24
  /// The maximum number of frames that are looked at, at eight bytes each.
  private static let maxCount = 1 << 20

  /// The length of a page in bytes.
  let pageSize: Int
  private let file: UnsafeMutablePointer<sqlite3_file>
  /// The newest frame of each page, after the number of the page in the upper half.
  private let frames: [UInt64]

  /// Lists the frames of a log.
  ///
  /// - Parameter mark: The last frame to look at, which must end a transaction.
  /// - Returns: `nil` where the log is not the one of the mark, or does not end a transaction
  ///   there.
  init?(_ file: UnsafeMutablePointer<sqlite3_file>, upTo mark: LogMark) {
    var header = [UInt8](repeating: 0, count: Self.headerLength)
    guard mark.frame <= Self.maxCount,
      csqlite_read(file, &header, CInt(header.count), 0) == SQLITE_OK
    else { return nil }
    func isOurs(_ bytes: [UInt8], saltsAt place: Int) -> Bool {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        == mark.salts
    }
    func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
      bytes.withUnsafeBytes {
        UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      }
    }
    let size = Int(word(header, 8))
    guard word(header, 0) & ~1 == 0x377f_0682, (512...65_536).contains(size),
      isOurs(header, saltsAt: 16)
    else { return nil }
    self.file = file
    pageSize = size
    var pages: [UInt64] = []
    pages.reserveCapacity(Int(mark.frame))
    var frame = [UInt8](repeating: 0, count: 16)
    for number in 0..<mark.frame {
      let place = Self.offset(ofFrame: number, pageSize: size)
      guard csqlite_read(file, &frame, CInt(frame.count), place) == SQLITE_OK,
        isOurs(frame, saltsAt: 8), case let page = word(frame, 0), page > 0
      else { return nil }
      pages.append(UInt64(page) << 32 | UInt64(number))
    }
    guard word(frame, 4) > 0 else { return nil }
    pages.sort()
    // Of the frames of one page the last one counts.
    var newest: [UInt64] = []
    for (index, page) in pages.enumerated()
    where index + 1 == pages.count || pages[index + 1] >> 32 != page >> 32 {
      newest.append(page)
    }
    frames = newest
  }

  /// Returns the frame that holds a page, or `nil` if the log has none.
  func frame(ofPage page: UInt32) -> UInt32? {
    var range = 0..<frames.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = frames[middle] >> 32
      if found == page { return UInt32(truncatingIfNeeded: frames[middle]) }
      range = found < page ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Reads the page of a frame; returns `false` where the file ends before it.
  func read(frame: UInt32, into buffer: UnsafeMutableRawPointer) -> Bool {
    let place = Self.offset(ofFrame: frame, pageSize: pageSize) + Int64(Self.frameHeaderLength)
    return csqlite_read(file, buffer, CInt(pageSize), place) == SQLITE_OK
  }

  private static func offset(ofFrame number: UInt32, pageSize: Int) -> Int64 {
    Int64(headerLength) + Int64(number) * Int64(frameHeaderLength + pageSize)
  }
}
