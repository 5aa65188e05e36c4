import GRDB

/// How much of a store its history takes.
public struct HistorySize: Hashable, Sendable {
  /// The bytes of the pages that the history's tables and indexes occupy.
  public let pageByteCount: Int64
  /// The bytes of the rows of transactions and changes in them, without indexes and free space.
  public let recordByteCount: Int64
}

extension StoreSnapshot {
  /// The size of the history; nil where SQLite was built without its table of pages.
  ///
  /// SQLite looks at every page of the history, which takes longer the larger it is.
  public func historySize() throws -> HistorySize? {
    // Without the module the statement does not compile, which is no fault of the store.
    guard
      let cursor = try? StatementCursor(
        database,
        sql: """
          SELECT sum(pgsize), sum(iif(name IN ('ACHANGE', 'ATRANSACTION'), payload, 0))
          FROM dbstat WHERE aggregate = TRUE AND name IN
            (SELECT name FROM sqlite_master
             WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))
          """)
    else { return nil }
    guard try cursor.step() else { return HistorySize(pageByteCount: 0, recordByteCount: 0) }
    return HistorySize(
      pageByteCount: cursor.integer(at: 0), recordByteCount: cursor.integer(at: 1))
  }
}
