import GRDB

/// Compares what indexes list with what their tables have.
extension StoreSnapshot {
  /// Whether a counter of the history is not the highest number in use, as in a copy of pages of different
  /// times, and where the newest history was deleted.
  private func hasDoubtfulCounters() throws -> Bool {
    try entities.highestNumber(of: .transaction) != newestTransaction()?.number ?? 0
      || entities.highestNumber(of: .change) != highestChangeNumber()
  }

  /// Checks, once for the snapshot, that the table has as many transactions as the smallest index lists.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func checkTransactions() throws {
    guard !hasCheckedTransactions else { return }
    try checkTransactions(in: .min ... .max)
    hasCheckedTransactions = true
  }

  /// Checks that transactions, texts and changes are as many as their indexes list.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func checkCounts() throws {
    try checkTransactions()
    try checkTexts()
    try checkIndexOfChanges()
  }

  /// Checks, once for the snapshot, that every text of the transactions can be read: each is looked up by its
  /// number.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  func checkTexts() throws {
    guard !hasCheckedTexts, try historyTables().internsStrings else { return }
    var order = RowOrder(path: location.path, table: "ATRANSACTIONSTRING")
    let rows = try StatementCursor(
      database,
      sql: """
        SELECT Z_PK, EXISTS (SELECT 1 FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.Z_PK)
        FROM ATRANSACTIONSTRING AS t NOT INDEXED ORDER BY Z_PK
        """)
    var present: Int64 = 0
    while try rows.step() {
      try order.take(rows.integer(at: 0))
      present += rows.integer(at: 1)
    }
    let listed = try historyInteger("SELECT count(*) FROM ATRANSACTIONSTRING") ?? 0
    guard listed == present else {
      throw StoreError.damaged(
        path: location.path, place: "ATRANSACTIONSTRING",
        detail: "\(present) texts can be read; its indexes list \(listed)")
    }
    hasCheckedTexts = true
  }

  /// Checks that the table has as many transactions in a range of numbers as the smallest index lists.
  ///
  /// Where no number between the first and the last is missing, none can be, and the index is not read.
  ///
  /// - Parameters:
  ///   - range: The numbers.
  ///   - known: How many transactions were read, if they are all of the range; `nil` to count them.
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func checkTransactions(in range: ClosedRange<Int64>, read known: Int64? = nil) throws {
    let isWhole = range == .min ... .max
    let present =
      try known
      ?? historyInteger(
        "SELECT count(*) FROM ATRANSACTION NOT INDEXED"
          + (isWhole ? "" : " WHERE Z_PK BETWEEN ?1 AND ?2"),
        isWhole ? [] : [.integer(range.lowerBound), .integer(range.upperBound)]) ?? 0
    let isDoubtful = try hasDoubtfulCounters()
    if !isWhole, !isDoubtful {
      let first = max(range.lowerBound, 1)
      let last = min(range.upperBound, entities.highestNumber(of: .transaction))
      if first <= last &+ 1, present == last &- first &+ 1 { return }
    }
    // Parts of different times are told by any of the indexes.
    let names = isDoubtful ? try historyTables().transactions.fullIndexNames : []
    let sources = names.isEmpty ? [""] : names.map { "INDEXED BY \(quoted($0))" }
    var listed = present
    for source in sources where listed == present {
      listed =
        try isWhole && !isDoubtful
        ? transactionCount() : indexedTransactionCount(in: range, by: source)
    }
    guard listed != present else { return }
    let part =
      isWhole
      ? ""
      : (range.lowerBound == .min ? "" : " from \(range.lowerBound)")
        + (range.upperBound == .max ? "" : " to \(range.upperBound)")
    throw StoreError.damaged(
      path: location.path, place: "ATRANSACTION",
      detail: "\(present) transactions\(part) can be read; its indexes list \(listed)")
  }

  /// Returns how many transactions of a range of numbers the smallest index lists. It is read as a
  /// whole, in another order than the rows.
  package func indexedTransactionCount(in range: ClosedRange<Int64>) throws -> Int64 {
    try indexedTransactionCount(in: range, by: "")
  }

  private func indexedTransactionCount(
    in range: ClosedRange<Int64>, by source: String
  ) throws -> Int64 {
    try historyInteger(
      // Without the sign SQLite would look at the rows of the range.
      "SELECT count(*) FROM ATRANSACTION \(source) WHERE +Z_PK BETWEEN ?1 AND ?2",
      [.integer(range.lowerBound), .integer(range.upperBound)]) ?? 0
  }

  /// Returns a check of the number of changes that were read; `nil` for a selection that leaves
  /// some out.
  func countCheck(
    of selection: TransactionSelection, listed: Int64?
  ) -> ((Int64) throws -> Void)? {
    guard selection.isComplete, selection.checksCompleteness else { return nil }
    let range = selection.range
    return { [unowned self] in try checkChangeCount($0, ofTransactions: range, listed: listed) }
  }

  /// Checks that all changes of a range of transactions were read.
  ///
  /// Changes before the oldest transaction do not count: an interrupted insertion leaves them, and
  /// the next one continues with them.
  ///
  /// - Parameters:
  ///   - count: The number of changes that were read with their transactions.
  ///   - range: The transactions.
  ///   - known: The number that the index by transaction lists, if it is known.
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` if the index lists another number.
  package func checkChangeCount(
    _ count: Int64, ofTransactions range: ClosedRange<Int64>, listed known: Int64? = nil
  ) throws {
    let oldest = "coalesce((SELECT min(Z_PK) FROM ATRANSACTION), \(Int64.max))"
    let listed: Int64?
    if range == .min ... .max {
      try checkIndexOfChanges()
      // An index out of order hides a part of itself from a search by transaction, but not from a
      // count.
      listed = try historyInteger(
        """
        SELECT (SELECT count(*) FROM ACHANGE)
          - (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < \(oldest))
        """)
    } else {
      guard known != count, try historyTables().indexesChangesByTransaction else { return }
      listed = try historyInteger(
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN max(?1, \(oldest)) AND ?2",
        [.integer(range.lowerBound), .integer(range.upperBound)])
    }
    guard let listed, listed != count else { return }
    throw StoreError.damaged(
      path: location.path, place: "ACHANGE",
      detail: "\(count) changes can be read with their transactions; its index lists \(listed)")
  }

  /// Checks that no change names a missing transaction in a range.
  ///
  /// Changes before the oldest transaction do not count; see ``checkChangeCount(_:ofTransactions:listed:)``.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  func checkOwners(in range: ClosedRange<Int64>) throws {
    guard try historyTables().indexesChangesByTransaction,
      let oldest = try oldestTransaction()?.number, oldest <= range.upperBound
    else { return }
    let first = max(range.lowerBound, oldest)
    /// Checks the numbers after one transaction and before another.
    func check(after last: Int64, upTo next: Int64) throws {
      let owner = try historyInteger(
        """
        SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2
        ORDER BY ZTRANSACTIONID LIMIT 1
        """, [.integer(last), .integer(next)])
      guard let owner else { return }
      throw StoreError.damaged(
        path: location.path, place: "ACHANGE",
        detail: "there are changes of transaction \(owner), which is missing")
    }
    let numbers = try StatementCursor(
      database, sql: "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK >= ?1 ORDER BY Z_PK", isCached: true)
    defer { numbers.reset() }
    try numbers.bind(first)
    var last = first == .min ? .min : first - 1
    while try numbers.step() {
      let number = numbers.integer(at: 0)
      guard number <= range.upperBound else { break }
      if number > last, number - 1 > last { try check(after: last, upTo: number - 1) }
      last = number
    }
    if last < range.upperBound { try check(after: last, upTo: range.upperBound) }
  }

  /// Checks that `ACHANGE` has as many rows as its smallest index lists: a row that the index by
  /// transaction does not list would be missing from every transaction.
  ///
  /// SQLite counts both by the pages, without looking at the rows.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  func checkIndexOfChanges() throws {
    guard try historyTables().indexesChangesByTransaction else { return }
    let listed = try changeCount()
    let present = try historyInteger("SELECT count(*) FROM ACHANGE NOT INDEXED") ?? 0
    guard listed != present else { return }
    throw StoreError.damaged(
      path: location.path, place: "ACHANGE",
      detail: "the table has \(present) changes; its index lists \(listed)")
  }
}
