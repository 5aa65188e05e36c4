import GRDB

/// How much space the history takes in a store.
package struct HistorySize: Hashable, Sendable {
  /// The bytes of the pages that the history's tables and indexes occupy.
  package let pageByteCount: Int64
  /// The bytes of the rows of transactions and changes in them, without indexes and free space.
  package let recordByteCount: Int64
  /// The bytes that an empty history takes: those of the interned texts, and a page for each other
  /// table and index.
  package let fixedByteCount: Int64

  /// The minimum of bytes from which the size of a row can be estimated.
  private static let minSample = 1 << 16
  /// The bytes of pages for each byte of a row, measured in twenty real stores: most between 1.6
  /// and 2.3.
  private static let usualDensity = 1.9

  /// The bytes of pages for each byte of a row, with its part of indexes and free space.
  private var density: Double {
    let movable = pageByteCount - fixedByteCount
    guard movable >= Self.minSample, recordByteCount > 0 else { return Self.usualDensity }
    return Double(movable) / Double(recordByteCount)
  }

  /// Returns the size of two histories together.
  package func joined(with other: HistorySize) -> HistorySize {
    HistorySize(
      pageByteCount: pageByteCount + other.pageByteCount,
      recordByteCount: recordByteCount + other.recordByteCount,
      fixedByteCount: fixedByteCount + other.fixedByteCount)
  }

  /// Estimates the bytes of pages that rows take, also rows of an archive.
  package func pageByteCount(ofRecordBytes bytes: Int64) -> Int64 {
    Int64(clampingRounded: Double(bytes) * density)
  }

  /// Estimates the bytes of pages that rows of the history take.
  package func ownByteCount(ofRecordBytes bytes: Int64) -> Int64 {
    min(pageByteCount(ofRecordBytes: bytes), pageByteCount)
  }

  /// Estimates how many bytes of rows fit into a number of bytes of pages.
  package func recordByteCount(fittingIntoPageBytes bytes: Int64) -> Int64 {
    Int64(clampingRounded: Double(max(0, bytes - fixedByteCount)) / density)
  }
}

extension Int64 {
  /// Rounds a number, and clamps one that does not fit.
  fileprivate init(clampingRounded value: Double) {
    self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max : 0)
  }
}

extension StoreSnapshot {
  /// Estimates the bytes of pages that a deletion of the oldest transactions leaves partly filled.
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

  /// Returns the size of the history; `nil` if SQLite was built without its table of pages.
  ///
  /// SQLite looks at every page of the history.
  package func historySize() throws -> HistorySize? {
    // Without the module the statement does not compile.
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

  /// Returns the bytes of the pages of the history's tables and indexes; `nil` if SQLite was built
  /// without its table of pages.
  package func historyByteCount() throws -> Int64? { try historySize()?.pageByteCount }

  /// Returns the bytes of all pages of the store, those in the log too.
  package func storeByteCount() throws -> Int64 {
    try StatementRunner(database).integer(
      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
  }

  /// Returns the bytes of unused pages.
  package func freeByteCount() throws -> Int64 {
    try StatementRunner(database).integer(
      "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size") ?? 0
  }

  /// Returns the oldest transaction that fits, with all newer ones, into a number of bytes of rows;
  /// `nil` if even the newest is larger.
  ///
  /// The sizes are estimates, as in ``HistorySize/recordByteCount``. Only the rows that fit are
  /// read.
  package func oldestTransaction(
    fittingIntoRecordBytes limit: Int64
  ) throws -> TransactionPosition? {
    let tables = try historyTables()
    let transactions = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK DESC")
    let changes = try StatementCursor(
      database,
      sql: """
        SELECT ZTRANSACTIONID, sum(\(RecordSize.ofChange(tables))) FROM ACHANGE
        WHERE typeof(ZTRANSACTIONID) = 'integer'
        GROUP BY ZTRANSACTIONID ORDER BY ZTRANSACTIONID DESC
        """)
    var owner = try changes.step() ? changes.integer(at: 0) : nil
    var rest = limit
    var oldest: Int64?
    while try transactions.step() {
      let number = transactions.integer(at: 0)
      while let current = owner, current > number {
        owner = try changes.step() ? changes.integer(at: 0) : nil
      }
      // Sizes come from a file that may hold anything.
      var size = tables.transactionByteCount
      if owner == number {
        size = size.addingReportingOverflow(changes.integer(at: 1)).partialValue
      }
      guard size >= 0, size <= rest else { break }
      rest -= size
      oldest = number
    }
    return try oldest.flatMap { try timestamp(ofTransaction: $0) }
  }
}

/// Estimates how many bytes rows of the history take in SQLite's record format.
///
/// A record is a header with a byte or two for each column, and the values. Most columns hold small
/// numbers or nothing; masks and tombstones are measured.
enum RecordSize {
  /// Returns SQL for the size of a row of `ACHANGE`.
  static func ofChange(_ tables: HistoryTables) -> String {
    // The number of its own entity takes two bytes, kind and entity one, key and transaction five.
    let usual = tables.changeColumns.count + 9
    let tombstone = sum(tables.tombstoneColumns.map { "coalesce(length(\(quoted($0))), 0)" })
    // SQLite knows the length of a blob without reading it.
    return "(\(usual) + coalesce(length(ZCOLUMNS), 0) + iif(ZCHANGETYPE = 2, \(tombstone), 0))"
  }

  /// Returns SQL for the bytes of all values of a row of `ACHANGE` that can be long, whatever its kind.
  static func ofValues(_ tables: HistoryTables) -> String {
    let columns = ["ZCOLUMNS"] + tables.tombstoneColumns + tables.unknownColumns(of: .change)
    return sum(
      columns.filter(tables.changeColumns.contains).map(quoted).map {
        // The length of a text is that before its first NUL.
        "iif(typeof(\($0)) = 'text', length(CAST(\($0) AS BLOB)), coalesce(length(\($0)), 0))"
      })
  }

  /// Adds up the parts in pairs, because SQLite limits the depth of an expression.
  private static func sum(_ parts: [String]) -> String {
    guard parts.count > 1 else { return parts.first ?? "0" }
    let middle = parts.count / 2
    return "(\(sum(Array(parts[..<middle]))) + \(sum(Array(parts[middle...]))))"
  }
}

extension HistoryTables {
  /// The estimated bytes of a row of `ATRANSACTION`: its header, its time, and six small numbers.
  package var transactionByteCount: Int64 { Int64(transactionColumns.count) + 15 }
}
