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

  package static let none = TextCounts(counts: [], isComplete: true)
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
}
