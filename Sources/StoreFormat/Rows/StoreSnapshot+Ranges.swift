import GRDB

extension StoreSnapshot {
  /// How many transactions there are behind one position, up to and including another.
  package func transactionCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64 {
    _ = try historyTables()
    return try count(
      "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2",
      [.integer(first), .integer(last)])
  }

  /// How many changes the transactions have behind one position, up to and including another; nil
  /// where the layout has no index to tell it quickly.
  package func changeCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    return try count(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2",
      [.integer(first), .integer(last)])
  }

  /// How many transactions the smallest index lists for a range of numbers: all of it is read, in
  /// another order than that of the rows.
  package func indexedTransactionCount(in range: ClosedRange<Int64>) throws -> Int64 {
    _ = try historyTables()
    return try count(
      // Without the sign SQLite would look at the rows of the range.
      "SELECT count(*) FROM ATRANSACTION WHERE +Z_PK BETWEEN ?1 AND ?2",
      [.integer(range.lowerBound), .integer(range.upperBound)])
  }

  /// Checks that all changes of a range of transactions were read.
  ///
  /// Changes before the oldest transaction do not count: an insertion that was interrupted leaves them,
  /// and the next one goes on with them.
  ///
  /// - Parameters:
  ///   - count: How many changes were read with their transactions.
  ///   - range: The transactions.
  ///   - known: How many the index by transaction lists, where that is known already.
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where the index lists another number.
  package func checkChangeCount(
    _ count: Int64, ofTransactions range: ClosedRange<Int64>, listed known: Int64? = nil
  ) throws {
    let oldest = "coalesce((SELECT min(Z_PK) FROM ATRANSACTION), \(Int64.max))"
    let listed: Int64
    if range == .min ... .max {
      try checkIndexOfChanges()
      // An index out of order hides a part of itself from a search by transaction, and not from a count.
      listed =
        try self.count("SELECT count(*) FROM ACHANGE", [])
        - self.count("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < \(oldest)", [])
    } else {
      guard known != count, try historyTables().indexesChangesByTransaction else { return }
      listed = try self.count(
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN max(?1, \(oldest)) AND ?2",
        [.integer(range.lowerBound), .integer(range.upperBound)])
    }
    guard listed != count else { return }
    throw StoreError.damaged(
      path: location.path, place: "ACHANGE",
      detail: "\(count) changes can be read with their transactions; its index lists \(listed)")
  }

  /// Checks that `ACHANGE` has as many rows as its smallest index lists: what the index by transaction
  /// does not list is read with no transaction.
  ///
  /// SQLite counts both by the pages, without looking at the rows.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func checkIndexOfChanges() throws {
    guard try historyTables().indexesChangesByTransaction else { return }
    let listed = try count("SELECT count(*) FROM ACHANGE", [])
    let present = try count("SELECT count(*) FROM ACHANGE NOT INDEXED", [])
    guard listed != present else { return }
    throw StoreError.damaged(
      path: location.path, place: "ACHANGE",
      detail: "the table has \(present) changes; its index lists \(listed)")
  }

  /// How many transactions were saved within a span of time.
  package func transactionCount(savedWithin times: ClosedRange<StoreTimestamp>) throws -> Int64 {
    _ = try historyTables()
    return try count(
      "SELECT count(*) FROM ATRANSACTION WHERE ZTIMESTAMP BETWEEN ?1 AND ?2",
      [
        .real(times.lowerBound.secondsSinceReferenceDate),
        .real(times.upperBound.secondsSinceReferenceDate),
      ])
  }

  private func count(_ sql: String, _ values: [StoredValue]) throws -> Int64 {
    let cursor = try StatementCursor(database, sql: sql, isCached: true)
    defer { cursor.reset() }
    try cursor.bind(values)
    return try cursor.step() ? cursor.integer(at: 0) : 0
  }
}
