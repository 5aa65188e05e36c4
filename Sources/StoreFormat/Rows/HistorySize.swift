import GRDB

/// How much of a store its history takes.
package struct HistorySize: Hashable, Sendable {
  /// The bytes of the pages that the history's tables and indexes occupy.
  package let pageByteCount: Int64
  /// The bytes of the rows of transactions and changes in them, without indexes and free space.
  package let recordByteCount: Int64
  /// The bytes that stay when the last transaction goes: those of the interned texts, and a page for
  /// each other table and index.
  package let fixedByteCount: Int64

  /// A sample of fewer bytes says nothing of what a row takes.
  private static let leastSample = 1 << 16
  /// What a byte of a row takes in the histories of twenty real stores, most between 1.6 and 2.3.
  private static let usualDensity = 1.9

  /// How many bytes of pages a byte of a row takes, its part of indexes and free space included.
  private var density: Double {
    let movable = pageByteCount - fixedByteCount
    guard movable >= Self.leastSample, recordByteCount > 0 else { return Self.usualDensity }
    return Double(movable) / Double(recordByteCount)
  }

  /// About how many bytes of pages some rows take, also of rows that are in an archive.
  package func pageByteCount(ofRecordBytes bytes: Int64) -> Int64 {
    Int64(clampingRounded: Double(bytes) * density)
  }

  /// About how many bytes of its pages some rows take that are in the history.
  package func ownByteCount(ofRecordBytes bytes: Int64) -> Int64 {
    min(pageByteCount(ofRecordBytes: bytes), pageByteCount)
  }

  /// About how many bytes of rows a history may have to be no larger than so many bytes of pages.
  package func recordByteCount(fittingIntoPageBytes bytes: Int64) -> Int64 {
    Int64(clampingRounded: Double(max(0, bytes - fixedByteCount)) / density)
  }
}

extension Int64 {
  /// A number without its fraction; the nearest where it does not fit.
  fileprivate init(clampingRounded value: Double) {
    self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max : 0)
  }
}

extension StoreSnapshot {
  /// Returns about how many bytes of pages a deletion of the oldest transactions leaves filled in part.
  package func pagesLeftInPart() throws -> Int64 {
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT ((SELECT 2 * count(*) FROM sqlite_master WHERE rootpage > 0
                 AND tbl_name IN ('ACHANGE', 'ATRANSACTION'))
          \(layout.tableNames.contains("ATRANSACTIONSTRING")
            ? "+ (SELECT count(*) FROM ATRANSACTIONSTRING)" : "")) * page_size
        FROM pragma_page_size
        """)
    return try cursor.step() ? cursor.integer(at: 0) : 0
  }

  /// The size of the history; nil where SQLite was built without its table of pages.
  ///
  /// SQLite looks at every page of the history, which takes longer the larger it is.
  package func historySize() throws -> HistorySize? {
    // Without the module the statement does not compile, which is no fault of the store.
    guard
      let cursor = try? StatementCursor(
        database,
        sql: """
          SELECT sum(pgsize), sum(iif(name IN ('ACHANGE', 'ATRANSACTION'), payload, 0)),
            sum(iif(name IN (SELECT name FROM sqlite_master WHERE tbl_name = 'ATRANSACTIONSTRING'),
              pgsize, pgsize / pageno))
          FROM dbstat WHERE aggregate = TRUE AND name IN
            (SELECT name FROM sqlite_master
             WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))
          """)
    else { return nil }
    guard try cursor.step() else {
      return HistorySize(pageByteCount: 0, recordByteCount: 0, fixedByteCount: 0)
    }
    return HistorySize(
      pageByteCount: cursor.integer(at: 0), recordByteCount: cursor.integer(at: 1),
      fixedByteCount: cursor.integer(at: 2))
  }
}
