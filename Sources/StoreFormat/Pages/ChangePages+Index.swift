extension ChangePages {
  /// The rows of some transactions.
  struct RowSpan {
    /// The lowest and the highest number among them.
    fileprivate(set) var lowest = Int64.max
    fileprivate(set) var highest = Int64.min
    /// How many there are.
    fileprivate(set) var count: Int64 = 0

    var isEmpty: Bool { count == 0 }
  }

  /// Looks through the index for the rows of a range of transactions; nil where there is no such
  /// index.
  ///
  /// - Throws: ``RowsOutOfOrder`` where the index is not as it should be.
  package func rows(ofTransactions range: ClosedRange<Int64>) throws -> RowSpan? {
    guard let index else { return nil }
    let cursor = try TreeCursor(file, root: index, isTable: false) { record in
      guard let entry = Entry(record) else { throw RowsOutOfOrder() }
      // Without a transaction an entry stands before all others.
      return entry.transaction.map { $0 < range.lowerBound } ?? true
    }
    var span = RowSpan()
    var last: (transaction: Int64, row: Int64) = (.min, .min)
    while let record = try cursor.next() {
      guard let entry = Entry(record), let transaction = entry.transaction else {
        throw RowsOutOfOrder()
      }
      guard span.isEmpty || last < (transaction, entry.row) else {
        throw StoreError.damaged(
          path: path, place: "ACHANGE",
          detail: "its index by transaction lists change \(entry.row) out of order")
      }
      guard transaction <= range.upperBound else { break }
      last = (transaction, entry.row)
      span.lowest = min(span.lowest, entry.row)
      span.highest = max(span.highest, entry.row)
      span.count += 1
    }
    return span
  }

  /// What the index says of one row.
  private struct Entry {
    /// The transaction; nil where the row names none.
    let transaction: Int64?
    let row: Int64

    /// Nil where the record is not one of a whole number, or nothing, and a row.
    @inline(__always)
    init?(_ record: TreeRecord) {
      guard var fields = RecordFields(record), let first = fields.next(),
        let row = fields.next()?.integer, fields.isAtEnd
      else { return nil }
      transaction = first.integer
      guard transaction != nil || first.isNull else { return nil }
      self.row = row
    }
  }
}
