import CSQLiteSupport
import GRDB
import GRDBSQLite

/// The pages of a store in one state, read without SQLite's interpreter.
///
/// SQLite runs a program for every row, which takes most of the time of reading a few numbers of
/// millions of rows. A page is the newest frame of the log up to a mark, or else the page of the
/// main file. Both are read through the files that SQLite has open, inside its read transaction: it
/// keeps a checkpoint from writing pages that have no frame up to the mark, and writers from
/// restarting the log.
final class PageSource {
  /// Bytes after each page, so that reading a number at its very end stays inside the buffer.
  static let padding = 64

  /// The length of a page in bytes.
  let pageSize: Int
  /// The number of bytes of a page that hold content.
  let usableSize: Int
  private let file: UnsafeMutablePointer<sqlite3_file>
  private let log: LogFrames?
  /// Asked at each page by who steps through them.
  var cancellation: Cancellation?

  /// Reads the state of a snapshot.
  ///
  /// - Parameters:
  ///   - database: A connection inside a read transaction, which must outlive the source.
  ///   - mark: Where the log ends for that transaction; `nil` if unknown.
  ///   - knownFrames: Frames of the log that were listed already.
  /// - Returns: `nil` where it is not certain which pages the snapshot consists of, or a file
  ///   cannot be read.
  convenience init?(_ database: Database, mark: LogMark?, _ knownFrames: LogFrames?) {
    guard let connection = database.sqliteConnection, let file = csqlite_main_file(connection),
      // Pages that the connection itself is about to write are nowhere but in its memory.
      sqlite3_txn_state(connection, "main") != SQLITE_TXN_WRITE
    else { return nil }
    guard let logFile = csqlite_log_file(connection), csqlite_size(logFile) != 0 else {
      self.init(file, log: nil)
      return
    }
    guard let mark else { return nil }
    guard mark.frame > 0 else {
      self.init(file, log: nil)
      return
    }
    let log = LogFrames(
      logFile, count: mark.frame, salts: mark.salts, continuing: knownFrames)
    guard let log else { return nil }
    self.init(file, log: log)
  }

  /// - Parameter log: The frames that take the place of pages of the main file.
  init?(_ file: UnsafeMutablePointer<sqlite3_file>, log: LogFrames?) {
    var bytes = [UInt8](repeating: 0, count: FileHeader.length)
    guard csqlite_read(file, &bytes, CInt(bytes.count), 0) == SQLITE_OK,
      let size = FileHeader(bytes)?.pageSize, log.map({ $0.pageSize == size }) ?? true
    else { return nil }
    self.file = file
    self.log = log
    pageSize = size
    // 480 is the minimum that the format allows.
    usableSize = size - Int(bytes[20])
    guard usableSize >= 480 else { return nil }
  }

  /// Reads a page, counted from 1; returns `false` if there is no such page.
  func read(page: UInt32, into buffer: PageBuffer) -> Bool {
    guard page > 0 else { return false }
    if let log, let frame = log.frame(ofPage: page) {
      return log.read(frame: frame, into: buffer.start)
    }
    let offset = Int64(page - 1) * Int64(pageSize)
    return csqlite_read(file, buffer.start, CInt(pageSize), offset) == SQLITE_OK
  }
}

/// Memory for one page, followed by zeros.
final class PageBuffer {
  let start: UnsafeMutableRawPointer

  init(_ source: PageSource) {
    let count = source.pageSize + PageSource.padding
    start = .allocate(byteCount: count, alignment: 16)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  deinit { start.deallocate() }
}
