import GRDB

/// How a store gives pages back that hold nothing any more.
package enum AutoVacuum: Int64, Hashable, Sendable {
  /// Never; only a rebuild makes the file smaller.
  case none = 0
  /// With every save.
  case full = 1
  /// When it is asked to; so do the frameworks' stores.
  case incremental = 2
}

/// The pages of a store, in the main file and in the log together.
package struct StoreSpace: Hashable, Sendable {
  /// The bytes of a page.
  package let pageByteCount: Int64
  /// How many pages there are.
  package let pageCount: Int64
  /// How many of them hold nothing.
  package let freePageCount: Int64
  /// How free pages are given back.
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
  /// The pages of the store.
  package func space() throws -> StoreSpace { try StoreSpace(database: database) }

  /// The tables whose rows a rebuild of the store would number anew, by name.
  package func tablesThatRebuildingRenumbers() throws -> [String] {
    try RowNumbering.tablesToRenumber(database)
  }
}
