import CSQLiteSupport
import GRDB
import GRDBSQLite

/// The end of a write-ahead log as one snapshot sees it.
struct LogMark: Hashable, Sendable {
  /// The last frame that counts; 0 if the main file holds the whole snapshot.
  let frame: UInt32
  /// The last frame of the log. The snapshot keeps it in place only if ``frame`` is not 0.
  let lastFrame: UInt32
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
    return LogMark(
      frame: after.backfilled >= frame ? 0 : frame, lastFrame: frame, salts: after.salts)
  }

  /// Reads the whole log of a connection that nobody shares its files with, by its checksums.
  static func scanning(_ log: UnsafeMutablePointer<sqlite3_file>) -> LogMark? {
    guard let end = LogScan.end(of: log) else { return nil }
    return LogMark(frame: end.frameCount, lastFrame: end.frameCount, salts: end.salts)
  }

  /// Whether the log of a connection is still the one of the mark.
  func isCurrent(_ connection: OpaquePointer) -> Bool { Header(connection)?.salts == salts }

  /// Returns how many frames checkpoints may have begun to move into the main file. The number is raised before
  /// a page is written, and is that of all frames after SQLite has recovered the log.
  func attemptedFrameCount(_ connection: OpaquePointer) -> UInt32 {
    guard let header = Header(connection), header.salts == salts else { return .max }
    return header.attempted
  }

  /// Whether that log has no later frames.
  func isLast(_ connection: OpaquePointer) -> Bool {
    Header(connection).map { $0.salts == salts && $0.word(at: 16) == lastFrame } ?? false
  }

  /// The header of the wal-index: <https://www.sqlite.org/walformat.html>.
  private struct Header {
    var bytes = [UInt8](repeating: 0, count: 48)
    /// How many frames checkpoints have moved into the main file.
    var backfilled: UInt32 = 0
    /// How many frames checkpoints may have begun to move.
    var attempted: UInt32 = 0

    init?(_ connection: OpaquePointer) {
      guard csqlite_log_file(connection) != nil,
        csqlite_log_header(connection, &bytes, &backfilled, &attempted) != 0
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

/// The frames of a write-ahead log: for each page, its content after each commit that wrote it.
///
/// The layout is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>. Checksums
/// are not computed: they matter after a crash, and the wal-index lists no frame that failed them.
package final class LogFrames {
  /// The end of one transaction of SQLite in the log.
  struct Commit: Hashable, Sendable {
    /// The number of frames up to its last one.
    let frameCount: UInt32
    /// The number of pages of the store after it.
    let pageCount: UInt32
  }

  /// The maximum number of frames that are looked at, at eight bytes each.
  private static let maxCount = 1 << 20

  /// The length of a page in bytes.
  let pageSize: Int
  /// The commits, in order.
  let commits: [Commit]
  private let salts: UInt64
  /// The header of the last frame, with the checksum of all frames up to it.
  private let lastHeader: [UInt8]
  private let file: UnsafeMutablePointer<sqlite3_file>
  /// The frames by page and then by place, the number of the page in the upper half.
  private let frames: [UInt64]

  /// Lists the frames of a log.
  ///
  /// - Parameters:
  ///   - count: The number of frames to look at, which must end a commit.
  ///   - salts: The salts of the log.
  ///   - earlier: What was found before; of the same log, only later frames are looked at.
  /// - Returns: `nil` where the log has other salts, or does not end a commit there.
  init?(
    _ file: UnsafeMutablePointer<sqlite3_file>, count: UInt32, salts: UInt64,
    continuing earlier: LogFrames? = nil
  ) {
    var bytes = [UInt8](repeating: 0, count: LogHeader.length)
    guard count <= Self.maxCount,
      csqlite_read(file, &bytes, CInt(bytes.count), 0) == SQLITE_OK,
      let header = try? LogHeader(bytes), header.salts == salts
    else { return nil }
    let size = header.pageSize
    self.file = file
    self.salts = salts
    pageSize = size
    func frameHeader(_ number: Int) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: LogHeader.frameLength)
      let place = Self.offset(ofFrame: UInt32(max(number, 0)), pageSize: size)
      let isRead = csqlite_read(file, &bytes, CInt(bytes.count), place) == SQLITE_OK
      return number >= 0 && isRead ? bytes : []
    }
    // A copy of a log continues with the same salts, and other frames.
    let known = earlier.flatMap {
      $0.salts == salts && $0.pageSize == size && $0.count <= count
        && frameHeader($0.count - 1) == $0.lastHeader ? $0 : nil
    }
    var frames = known?.frames ?? []
    frames.reserveCapacity(Int(count))
    var commits = known?.commits ?? []
    var frame = [UInt8](repeating: 0, count: 16)
    func word(_ place: Int) -> UInt32 { frame.withUnsafeBytes { $0.logWord(at: place) } }
    for number in UInt32(frames.count)..<count {
      let place = Self.offset(ofFrame: number, pageSize: size)
      guard csqlite_read(file, &frame, CInt(frame.count), place) == SQLITE_OK,
        frame.withUnsafeBytes(header.isOwner), case let page = word(0), page > 0
      else { return nil }
      frames.append(UInt64(page) << 32 | UInt64(number))
      if case let pageCount = word(4), pageCount > 0 {
        commits.append(Commit(frameCount: number + 1, pageCount: pageCount))
      }
    }
    guard commits.last?.frameCount == count else { return nil }
    lastHeader = frameHeader(Int(count) - 1)
    continues = known != nil
    frames.sort()
    self.frames = frames
    self.commits = commits
  }

  /// The number of frames.
  var count: Int { frames.count }

  /// Whether the frames that were listed earlier are the first of these.
  private let continues: Bool

  /// Returns the state after the last commit of the frames that these continue; `nil` if they are those of another
  /// log.
  package func lastState(of earlier: LogFrames) -> Int? {
    continues ? earlier.commits.count : nil
  }

  /// Returns the newest frame that holds a page, or `nil` if the log has none.
  ///
  /// - Parameter count: The number of frames to consider.
  func frame(ofPage page: UInt32, upTo count: UInt32 = .max) -> UInt32? {
    let end = place(ofPage: page, frame: count)
    guard end > 0, frames[end - 1] >> 32 == page else { return nil }
    return UInt32(truncatingIfNeeded: frames[end - 1])
  }

  /// Returns all frames that hold a page, in order.
  func frames(ofPage page: UInt32) -> some Collection<UInt32> {
    frames[place(ofPage: page, frame: 0)..<place(ofPage: page, frame: .max)].lazy
      .map { UInt32(truncatingIfNeeded: $0) }
  }

  /// The pages that have a frame, in order.
  var pages: [UInt32] {
    var pages: [UInt32] = []
    for case let page in frames.lazy.map({ UInt32($0 >> 32) }) where pages.last != page {
      pages.append(page)
    }
    return pages
  }

  /// Returns how many entries come before a frame of a page.
  private func place(ofPage page: UInt32, frame: UInt32) -> Int {
    let key = UInt64(page) << 32 | UInt64(frame)
    return frames.partitioningIndex { $0 >= key }
  }

  /// Reads the page of a frame; returns `false` where the file ends before it.
  func read(frame: UInt32, into buffer: UnsafeMutableRawPointer) -> Bool {
    let place = Self.offset(ofFrame: frame, pageSize: pageSize) + Int64(LogHeader.frameLength)
    return csqlite_read(file, buffer, CInt(pageSize), place) == SQLITE_OK
  }

  private static func offset(ofFrame number: UInt32, pageSize: Int) -> Int64 {
    Int64(LogHeader.length) + Int64(number) * Int64(LogHeader.frameLength + pageSize)
  }
}
