import GRDB

/// How many changes of each kind there are of one entity.
package struct ChangeCount: Hashable, Sendable {
  /// The entity's number; nil for rows without one.
  package let entityNumber: Int64?
  /// The kind; nil for one that no framework writes.
  package let kind: ChangeKind?
  /// How many changes.
  package let count: Int64
}

/// How many transactions carry one text.
package struct TextCount: Hashable, Sendable {
  /// The text; nil for transactions without one.
  package let text: RecordedText?
  /// How many transactions.
  package let count: Int64
}

extension StoreSnapshot {
  /// The most groups that a total gives; a store with more is summed up by its largest.
  package static let mostGroups = 1000

  /// How many transactions there are.
  package func transactionCount() throws -> Int64 {
    _ = try historyTables()
    return try Self.transactionCount(database)
  }

  /// SQLite counts the entries of the smallest index, not the rows.
  static func transactionCount(_ database: Database) throws -> Int64 {
    let cursor = try StatementCursor(database, sql: "SELECT count(*) FROM ATRANSACTION")
    return try cursor.step() ? cursor.integer(at: 0) : 0
  }

  /// How many changes there are.
  package func changeCount() throws -> Int64 {
    _ = try historyTables()
    return try number("SELECT count(*) FROM ACHANGE") ?? 0
  }

  /// The highest change number that is there.
  package func highestChangeNumber() throws -> Int64 {
    _ = try historyTables()
    return try number("SELECT max(Z_PK) FROM ACHANGE") ?? 0
  }

  /// The changes by entity and kind, the most first.
  ///
  /// No index helps here, and SQLite would sort all rows to group them, so they are counted while
  /// they are stepped through.
  package func changeCounts() throws -> [ChangeCount] {
    _ = try historyTables()
    let cursor = try cursor(
      """
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
      // A hostile store may have a million entities; those beyond the limit are one group.
      let isKnown = counts[group] != nil || counts.count < Self.mostGroups
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

  /// The transactions by author, bundle, process or context, the most first.
  package func textCounts(_ role: StringRole) throws -> [TextCount] {
    let tables = try historyTables()
    let identifier =
      tables.internsStrings && tables.transactionColumns.contains(role.identifierColumn)
      ? role.identifierColumn : "NULL"
    let plain =
      tables.transactionColumns.contains(role.plainColumn)
      ? "iif(typeof(\(role.plainColumn)) = 'text', \(role.plainColumn), NULL)" : "NULL"
    // Grouped by number, so that each text is read once and never sorted.
    let cursor = try cursor(
      """
      SELECT \(identifier), \(plain), count(*) FROM ATRANSACTION
      GROUP BY 1, 2 ORDER BY 3 DESC LIMIT \(Self.mostGroups)
      """)
    let strings = try InternedStrings(database, tables: tables)
    var counts: [RecordedText?: Int64] = [:]
    while try cursor.step() {
      let interned = try cursor.isNull(at: 0) ? nil : strings.text(cursor.integer(at: 0))
      counts[interned ?? RecordedText(cursor.value(at: 1)), default: 0] += cursor.integer(at: 2)
    }
    return counts.map { TextCount(text: $0.key, count: $0.value) }.sorted {
      guard $0.count == $1.count else { return $0.count > $1.count }
      guard let left = $0.text?.string, let right = $1.text?.string else { return $1.text == nil }
      return left < right
    }
  }

  /// Whether any transaction carries a text of this role.
  package func hasText(_ role: StringRole) throws -> Bool {
    let tables = try historyTables()
    let columns = [role.identifierColumn, role.plainColumn]
      .filter(tables.transactionColumns.contains)
    return try columns.contains { column in
      try number("SELECT EXISTS (SELECT 1 FROM ATRANSACTION WHERE \(column) IS NOT NULL)") == 1
    }
  }

  /// The bytes of the pages that the history's tables and indexes occupy; nil where SQLite was
  /// built without its table of pages.
  package func historyByteCount() throws -> Int64? { try historySize()?.pageByteCount }

  /// The bytes of all pages of the store, in the main file and in the log together.
  package func storeByteCount() throws -> Int64 {
    try number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
  }

  /// The bytes of pages that hold nothing.
  package func freeByteCount() throws -> Int64 {
    try number("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
      ?? 0
  }

  private func number(_ sql: String) throws -> Int64? {
    let cursor = try cursor(sql)
    return try cursor.step() ? cursor.integer(at: 0) : nil
  }

  private func cursor(_ sql: String) throws -> StatementCursor {
    try StatementCursor(database, sql: sql)
  }
}
