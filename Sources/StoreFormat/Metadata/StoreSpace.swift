import DurableFiles
import GRDB
import Libc
import SystemPackage

/// How a store frees empty pages.
package enum AutoVacuum: Int64, Hashable, Sendable {
  /// Never; only a rebuild shrinks the file.
  case none = 0
  case full = 1
  /// On request, as in the frameworks' stores.
  case incremental = 2
}

/// The pages of a store, in the main file and in the log together.
package struct StoreSpace: Hashable, Sendable {
  /// The bytes of a page.
  package let pageByteCount: Int64
  let pageCount: Int64
  package let freePageCount: Int64
  package let autoVacuum: AutoVacuum

  /// The bytes of all pages.
  package var byteCount: Int64 { pageCount * pageByteCount }
  /// The bytes of the pages that hold nothing.
  package var freeByteCount: Int64 { freePageCount * pageByteCount }

  package init(database: Database) throws {
    func number(_ name: String) throws -> Int64 {
      let cursor = try StatementCursor(database, sql: "PRAGMA \(name)")
      return try cursor.step() ? cursor.integer(at: 0) : 0
    }
    pageByteCount = try number("page_size")
    pageCount = try number("page_count")
    freePageCount = try number("freelist_count")
    autoVacuum = AutoVacuum(rawValue: try number("auto_vacuum")) ?? .none
  }
}

extension StoreSnapshot {
  package func space() throws -> StoreSpace { try StoreSpace(database: database) }

  /// Returns the tables whose rows a rebuild of the store would renumber, by name.
  package func tablesThatRebuildingRenumbers() throws -> [String] {
    try RowNumbering.tablesToRenumber(database)
  }
}

/// Which tables would have other row numbers once the store is rebuilt.
///
/// SQLite keeps the numbers that a table declares as its integer primary key, and may number the rows
/// of all other tables again (<https://www.sqlite.org/lang_vacuum.html#how_vacuum_works>), from 1 on
/// in their order. Where a table has no primary key at all, its numbers are the only names that its
/// rows have, and something else may refer to them.
package enum RowNumbering {
  /// The tables without a primary key whose rows are not numbered from 1 on without a gap, by name.
  package static func tablesToRenumber(_ database: Database) throws -> [String] {
    let names = try String.fetchAll(
      database,
      sql: """
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
    return try names.filter { name in
      guard try !TableDeclaration.columns(of: name, in: database).contains(where: \.isInKey),
        let number = try rowNumberName(of: name, database)
      else { return false }
      let table = "\"" + name.replacing("\"", with: "\"\"") + "\""
      let cursor = try StatementCursor(
        database, sql: "SELECT count(*), min(\(number)), max(\(number)) FROM \(table)")
      guard try cursor.step(), cursor.integer(at: 0) > 0 else { return false }
      return cursor.integer(at: 1) != 1 || cursor.integer(at: 2) != cursor.integer(at: 0)
    }
  }

  /// Returns a name of the row number that is not a column, or `nil` where columns use all of its names, so
  /// that nothing can refer to the number.
  private static func rowNumberName(of table: String, _ database: Database) throws -> String? {
    let columns = Set(
      try TableDeclaration.columns(of: table, in: database).map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !columns.contains($0) }
  }
}

/// The free space of file systems.
package enum FreeSpace {
  /// The bytes that this user can still write in a folder.
  package static func byteCount(inFolder path: String) throws(Errno) -> Int64 {
    var status = statvfs()
    while statvfs(path, &status) != 0 {
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
    let (bytes, overflow) = Int64(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
    return overflow ? .max : bytes
  }

  /// Whether SQLite puts its temporary files on the file system of a folder.
  package static func isTemporaryFolder(onFileSystemOf path: String) throws(Errno) -> Bool {
    // The folders that SQLite tries, in its order.
    let named = ["SQLITE_TMPDIR", "TMPDIR"].compactMap { (name: String) -> String? in
      getenv(name).map { String(cString: $0) }
    }
    let temporary = (named + ["/var/tmp", "/usr/tmp", "/tmp"]).first {
      FileStatus.canCreateFiles(inFolder: $0)
    }
    guard let temporary, let other = try FileStatus(path: temporary),
      let mine = try FileStatus(path: path)
    else { return true }
    return other.identity.device == mine.identity.device
  }
}
