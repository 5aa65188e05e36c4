import GRDB

extension StoreSnapshot {
  /// The oldest transaction that fits, with all that are newer, into a number of bytes of rows; nil
  /// where not even the newest one does.
  ///
  /// The rows are counted as ``HistorySize/recordByteCount`` counts them, about right; only those
  /// that fit are read.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
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
