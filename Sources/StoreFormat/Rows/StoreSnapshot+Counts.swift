import GRDB

/// How many changes of one kind there are of one entity.
package struct ChangeCount: Hashable, Sendable {
  /// The entity's number; `nil` for rows without one.
  package let entityNumber: Int64?
  /// The kind; `nil` for one that no framework writes.
  package let kind: ChangeKind?
  package let count: Int64
}

/// How many transactions have one text.
package struct TextCount: Hashable, Sendable {
  /// The text; `nil` for transactions without one.
  package let text: RecordedText?
  package let count: Int64
}

/// How many transactions have each text.
package struct TextCounts: Sendable {
  /// The counts, the largest first.
  package let counts: [TextCount]
  /// Whether ``counts`` has all texts, not only those within the limits.
  package let isComplete: Bool
}

extension StoreSnapshot {
  /// The maximum number of texts that are counted each; of more, those with the most transactions are.
  package static let maxTexts = 65_536

  /// The maximum size of these texts together, in bytes. Apps name few authors, and in a few bytes.
  package static let maxTextBytes = 4 << 20

  /// The same of entities, each with its inserts, updates and deletes: as many as a model can have.
  private static let maxChangeCounts = 3 * 65_536

  /// Runs a statement on a history table and returns the integer that it selects.
  func historyInteger(_ sql: String, _ values: [StoredValue] = []) throws -> Int64? {
    _ = try historyTables()
    return try StatementRunner(database).integer(sql, values)
  }

  // MARK: - Transactions

  /// Returns the number of transactions. SQLite counts the entries of the smallest index, not the
  /// rows.
  package func transactionCount() throws -> Int64 {
    try historyInteger("SELECT count(*) FROM ATRANSACTION") ?? 0
  }

  /// Returns the number of transactions after one position, up to and including another.
  package func transactionCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64 {
    try historyInteger(
      "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ?1 AND Z_PK <= ?2",
      [.integer(first), .integer(last)]) ?? 0
  }

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

  /// Returns the numbers between the first and the last transaction of a range that none has, in order.
  package func missingRanges(from first: Int64, upTo last: Int64) throws -> [ClosedRange<Int64>] {
    guard first > .min, first < last else { return [] }
    let (length, overflows) = last.subtractingReportingOverflow(first - 1)
    if !overflows, try transactionCount(after: first - 1, upTo: last) == length { return [] }
    _ = try historyTables()
    let rows = try StatementRunner(database).rows(
      """
      SELECT Z_PK, former FROM
        (SELECT Z_PK, lag(Z_PK) OVER (ORDER BY Z_PK) AS former FROM ATRANSACTION
          WHERE Z_PK BETWEEN ?1 AND ?2)
      WHERE Z_PK - 1 > former ORDER BY Z_PK
      """, [.integer(first), .integer(last)])
    return rows.compactMap { row in
      guard case .integer(let number) = row[0], case .integer(let former) = row[1],
        former < number - 1
      else { return nil }
      return former + 1...number - 1
    }
  }

  /// Returns the first and the last number after one position, up to and including another, that no transaction
  /// has; `nil` if there is none.
  package func missingEnds(after first: Int64, upTo last: Int64) throws -> ClosedRange<Int64>? {
    guard first < last else { return nil }
    func end(_ edge: Int64, _ step: Int64, _ order: String) throws -> Int64? {
      if try timestamp(ofTransaction: edge) == nil { return edge }
      return try historyInteger(
        """
        SELECT Z_PK + ?3 FROM ATRANSACTION AS t WHERE Z_PK > ?1 AND Z_PK <= ?2
          AND Z_PK + ?3 > ?1 AND Z_PK + ?3 <= ?2
          AND NOT EXISTS (SELECT 1 FROM ATRANSACTION WHERE Z_PK = t.Z_PK + ?3)
        ORDER BY Z_PK \(order) LIMIT 1
        """, [.integer(first), .integer(last), .integer(step)])
    }
    guard let lowest = try end(first + 1, 1, "ASC"), let highest = try end(last, -1, "DESC"),
      lowest <= highest
    else { return nil }
    return lowest...highest
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

  /// Returns the number of transactions that no change belongs to.
  package func transactionCountWithoutChanges() throws -> Int64 {
    try historyInteger(
      """
      SELECT count(*) FROM ATRANSACTION
      WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID IS NOT NULL)
      """) ?? 0
  }

  /// Returns the number of transactions saved within a span of time.
  package func transactionCount(savedWithin times: ClosedRange<StoreTimestamp>) throws -> Int64 {
    try historyInteger(
      "SELECT count(*) FROM ATRANSACTION NOT INDEXED WHERE ZTIMESTAMP BETWEEN ?1 AND ?2",
      [
        .real(times.lowerBound.secondsSinceReferenceDate),
        .real(times.upperBound.secondsSinceReferenceDate),
      ]) ?? 0
  }

  /// Returns the earliest and the latest time of the selected transactions, of the times in a
  /// range; `nil` if there is none.
  package func times(
    of selection: TransactionSelection, within range: ClosedRange<StoreTimestamp>
  ) throws -> ClosedRange<StoreTimestamp>? {
    let (query, arguments) = selection.query(
      columns: ["t.ZTIMESTAMP AS time"], tables: try historyTables())
    let (from, to) = (arguments.count + 1, arguments.count + 2)
    let rows = try StatementRunner(database).rows(
      """
      SELECT min(time), max(time) FROM (\(query))
      WHERE typeof(time) = 'real' AND time BETWEEN ?\(from) AND ?\(to)
      """,
      arguments + [
        .real(range.lowerBound.secondsSinceReferenceDate),
        .real(range.upperBound.secondsSinceReferenceDate),
      ])
    guard let first = StoreTimestamp(stored: rows.first?.first),
      let last = StoreTimestamp(stored: rows.first?.last)
    else { return nil }
    return first...max(first, last)
  }

  /// Returns the transactions by author, bundle, process or context, the largest count first.
  package func textCounts(_ role: StringRole) throws -> TextCounts {
    let tables = try historyTables()
    let (identifier, plain) = Self.columns(of: role, in: tables)
    // Grouped by number, so that each text is read once and never sorted.
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT \(identifier), \(plain), count(*) FROM ATRANSACTION NOT INDEXED
        GROUP BY 1, 2 ORDER BY 3 DESC LIMIT \(Self.maxTexts)
        """)
    let strings = try InternedStrings(self, tables: tables)
    var counts: [RecordedText?: Int64] = [:]
    var rowCount = 0
    var byteCount = 0
    var isComplete = true
    while try cursor.step() {
      rowCount += 1
      let interned = try cursor.isNull(at: 0) ? nil : strings.text(cursor.integer(at: 0))
      let text = interned ?? RecordedText(cursor.value(at: 1))
      if counts[text] == nil {
        let size = text?.string.utf8.count ?? 0
        guard byteCount + size <= Self.maxTextBytes else {
          isComplete = false
          continue
        }
        byteCount += size
      }
      counts[text, default: 0] += cursor.integer(at: 2)
    }
    let sorted = counts.map { TextCount(text: $0.key, count: $0.value) }.sorted {
      guard $0.count == $1.count else { return $0.count > $1.count }
      guard let left = $0.text?.string, let right = $1.text?.string else { return $1.text == nil }
      return left < right
    }
    return TextCounts(counts: sorted, isComplete: isComplete && rowCount < Self.maxTexts)
  }

  /// Returns the author, bundle, process or context of the newest transaction.
  package func newestText(_ role: StringRole) throws -> RecordedText? {
    let tables = try historyTables()
    let (identifier, plain) = Self.columns(of: role, in: tables)
    let cursor = try StatementCursor(
      database,
      sql: "SELECT \(identifier), \(plain) FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1")
    guard try cursor.step() else { return nil }
    let number = cursor.isNull(at: 0) ? nil : cursor.integer(at: 0)
    let text = RecordedText(cursor.value(at: 1))
    guard let number else { return text }
    return try InternedStrings(self, tables: tables).text(number) ?? text
  }

  /// The expressions for the number of an interned text and for a plain one.
  private static func columns(of role: StringRole, in tables: HistoryTables) -> (String, String) {
    (
      tables.internsStrings && tables.transactionColumns.contains(role.identifierColumn)
        ? role.identifierColumn : "NULL",
      tables.transactionColumns.contains(role.plainColumn)
        ? "iif(typeof(\(role.plainColumn)) = 'text', \(role.plainColumn), NULL)" : "NULL"
    )
  }

  /// Whether any transaction has a text of this role.
  package func hasText(_ role: StringRole) throws -> Bool {
    let columns = try [role.identifierColumn, role.plainColumn]
      .filter(historyTables().transactionColumns.contains)
    return try columns.contains { column in
      try historyInteger("SELECT 1 FROM ATRANSACTION WHERE \(column) IS NOT NULL LIMIT 1") == 1
    }
  }

  // MARK: - Changes

  /// Returns the number of changes.
  package func changeCount() throws -> Int64 {
    try historyInteger("SELECT count(*) FROM ACHANGE") ?? 0
  }

  /// Returns the number of changes, or a limit if there are more.
  package func changeCount(upTo limit: Int64) throws -> Int64 {
    try historyInteger(
      "SELECT count(*) FROM (SELECT 1 FROM ACHANGE LIMIT ?1)", [.integer(limit)]) ?? 0
  }

  /// Returns the highest change number; 0 if there is no change.
  package func highestChangeNumber() throws -> Int64 {
    try historyInteger("SELECT max(Z_PK) FROM ACHANGE") ?? 0
  }

  /// Returns the number of changes of the transactions after one position, up to and including
  /// another; `nil` if the layout has no index to count them.
  package func changeCount(after first: Int64, upTo last: Int64 = .max) throws -> Int64? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    return try historyInteger(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2",
      [.integer(first), .integer(last)])
  }

  /// Returns the changes by entity and kind, the largest count first.
  ///
  /// SQLite would sort all rows to group them, so they are counted one by one.
  package func changeCounts() throws -> [ChangeCount] {
    _ = try historyTables()
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT iif(typeof(ZENTITY) = 'integer', ZENTITY, NULL),
          iif(typeof(ZCHANGETYPE) = 'integer', ZCHANGETYPE, NULL) FROM ACHANGE
        """)
    struct Group: Hashable {
      let entityNumber: Int64?
      let kind: ChangeKind?
    }
    var counts: [Group: Int64] = [:]
    var last: (group: Group, count: Int64)?
    func settle() {
      guard let (group, count) = last else { return }
      // A hostile store may name millions of entities; those beyond the limit are one group.
      let isKnown = counts[group] != nil || counts.count < Self.maxChangeCounts
      counts[isKnown ? group : Group(entityNumber: nil, kind: nil), default: 0] += count
    }
    while try cursor.step() {
      let group = Group(
        entityNumber: cursor.isNull(at: 0) ? nil : cursor.integer(at: 0),
        kind: cursor.isNull(at: 1) ? nil : ChangeKind(rawValue: cursor.integer(at: 1)))
      if last?.group == group {
        last?.count += 1
      } else {
        settle()
        last = (group, 1)
      }
    }
    settle()
    return counts.map {
      ChangeCount(entityNumber: $0.key.entityNumber, kind: $0.key.kind, count: $0.value)
    }.sorted { ($1.count, $0.entityNumber ?? 0) < ($0.count, $1.entityNumber ?? 0) }
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
