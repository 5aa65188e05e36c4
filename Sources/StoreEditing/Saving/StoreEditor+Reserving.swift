import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat

extension StoreEditor {
  /// Writes all pages of a transaction but the last one, and makes room for that.
  func reserveCommit(_ database: Database) throws {
    let result = sqlite3_db_cacheflush(database.sqliteConnection)
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result))
    }
    guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return }
    let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
    let zeros = [UInt8](repeating: 0, count: 2 * (pageSize + 24))
    let reserved = zeros.withUnsafeBytes {
      csqlite_reserve_log(database.sqliteConnection, $0.baseAddress, CInt($0.count))
    }
    guard reserved == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: reserved))
    }
  }
}
