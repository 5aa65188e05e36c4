import GRDB

/// The rows of some transactions in `ACHANGE`, in the order of the transactions.
struct ChangeRowSpan {
  /// Up to how many numbers there may be for each row: rows are then read by their numbers, those
  /// of other transactions too.
  private static let maxNumbersPerRow: Int64 = 8

  private(set) var lowest = Int64.max
  private(set) var highest = Int64.min
  private(set) var digest = ChangeDigest()
  var count: Int64 { digest.count }

  /// Adds the next row; returns `false` if its number is not higher than that of the row before.
  @inline(__always)
  mutating func add(_ row: Int64, of transaction: Int64) -> Bool {
    guard count == 0 || row > highest else { return false }
    if count == 0 { lowest = row }
    highest = row
    digest.add(change: row, of: transaction)
    return true
  }

  /// The row numbers; `nil` if there are none, or they are far apart.
  var rows: ClosedRange<Int64>? {
    guard count > 0 else { return nil }
    let (length, overflows) = highest.subtractingReportingOverflow(lowest)
    return !overflows && length / Self.maxNumbersPerRow <= count ? lowest...highest : nil
  }
}

extension StoreSnapshot {
  /// Returns the rows of a range of transactions if they can be read as they are stored: their
  /// numbers rise along the index by transaction, and are close together.
  ///
  /// The frameworks write all rows so. Going through the index takes a fraction of the time that
  /// reading the rows by it takes.
  func storedChangeRows(ofTransactions range: ClosedRange<Int64>) throws -> ChangeRowSpan? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    var span = ChangeRowSpan()
    do {
      if let changePages, changePages.index != nil {
        guard try changePages.collect(&span, ofTransactions: range) else { return nil }
      } else {
        let cursor = try StatementCursor(
          database,
          sql: """
            SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ?1 AND ?2
            ORDER BY ZTRANSACTIONID, Z_PK
            """, isCached: true)
        defer { cursor.reset() }
        try cursor.bind([.integer(range.lowerBound), .integer(range.upperBound)])
        while try cursor.step() {
          guard let transaction = cursor.integerIfAny(at: 1),
            span.add(cursor.integer(at: 0), of: transaction)
          else { return nil }
        }
      }
      // A row next to them that is of one of the transactions too is not in the index, or out of order.
      guard let rows = span.rows, try changeComparison().isSurrounded(rows, of: range) else {
        return nil
      }
      return span
    } catch StoreError.damaged {
      // The reading by this index reports the damage, after everything before it.
      return nil
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
      return nil
    }
  }
}
