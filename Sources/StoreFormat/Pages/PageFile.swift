import CSQLiteSupport
import GRDB
import GRDBSQLite

/// The pages of a store's main file as one snapshot sees them, read past SQLite's tables.
///
/// SQLite interprets a program for every row; who needs a few numbers of millions of rows spends most
/// of the time there. The pages come through the file that SQLite itself has open, inside its read
/// transaction, and only while nothing of the snapshot stands in a `-wal`: then the transaction keeps
/// everybody from writing to the main file.
final class PageFile {
  /// Bytes behind each page, so that reading a number at its very end stays inside the memory.
  static let padding = 64

  /// The length of a page in bytes.
  let pageSize: Int
  /// How many bytes of a page hold content.
  let usableSize: Int
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// Opens nothing; nil where the main file does not hold the whole snapshot, or cannot be read.
  ///
  /// - Parameter database: A connection inside a read transaction, for as long as this lives.
  init?(_ database: Database) {
    guard let connection = database.sqliteConnection,
      let file = csqlite_main_file(connection), csqlite_log_is_empty(connection) != 0,
      // What the connection itself is about to write stands nowhere but in its memory.
      sqlite3_txn_state(connection, "main") != SQLITE_TXN_WRITE
    else { return nil }
    var header = [UInt8](repeating: 0, count: FileHeader.length)
    guard csqlite_read(file, &header, CInt(header.count), 0) == SQLITE_OK,
      let size = FileHeader(header)?.pageSize
    else { return nil }
    // 480 is the least that the format allows.
    let usable = size - Int(header[20])
    guard usable >= 480 else { return nil }
    self.file = file
    pageSize = size
    usableSize = usable
  }

  /// Reads a page, counted from 1; false where there is no such page.
  package func read(page: UInt32, into buffer: PageBuffer) -> Bool {
    guard page > 0 else { return false }
    let offset = Int64(page - 1) * Int64(pageSize)
    return csqlite_read(file, buffer.start, CInt(pageSize), offset) == SQLITE_OK
  }
}

/// Memory for one page, with zeros behind it.
final class PageBuffer {
  let start: UnsafeMutableRawPointer

  init(_ file: PageFile) {
    let count = file.pageSize + PageFile.padding
    start = .allocate(byteCount: count, alignment: 16)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  deinit { start.deallocate() }
}
