import GRDB

extension StoreSnapshot {
  /// How many transactions there are behind one position, up to and including another.
  public func transactionCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64 {
    _ = try historyTables()
    return try count(
      "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2",
      [.integer(first), .integer(last)])
  }

  /// How many changes the transactions have behind one position, up to and including another; nil
  /// where the layout has no index to tell it quickly.
  public func changeCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    return try count(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2",
      [.integer(first), .integer(last)])
  }

  /// How many transactions were saved within a span of time.
  public func transactionCount(savedWithin times: ClosedRange<StoreTimestamp>) throws -> Int64 {
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
