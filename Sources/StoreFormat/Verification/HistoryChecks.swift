import GRDB

/// A contradiction in the file, or of the layout.
package struct StoreDamage: Hashable, Sendable {
  package let place: String
  package let detail: String

  init(place: String, detail: String) {
    self.place = place
    self.detail = detail
  }
}

extension StoreSnapshot {
  /// Runs a body that reads the store, and returns the damage that stopped it; `nil` if none did.
  ///
  /// - Throws: Any other error.
  package func damage(in body: () throws -> Void) throws -> StoreDamage? {
    do {
      try body()
      return nil
    } catch {
      let error = StoreError.translating(error, location: location, busyTimeout: 0)
      guard case StoreError.damaged(_, let place, let detail) = error else { throw error }
      return StoreDamage(place: place, detail: detail)
    }
  }
}

extension StoreSnapshot {
  /// The tables that a history needs, the largest first.
  package var tablesOfHistory: [String] {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
      .filter(layout.tableNames.contains)
  }

  /// Returns the problems that SQLite's own check finds in the pages of a table and of its indexes.
  ///
  /// It reads every page once, and compares every row with its entries in the indexes. Where it would have to
  /// calculate a part that no framework declares, that comparison is left out; see
  /// ``calculatedParts(ofTable:)``.
  ///
  /// - Parameter table: One of ``tablesOfHistory``; `nil` for the whole file, with every table of
  ///   the app and the list of free pages.
  /// - Returns: At most a hundred problems of each table.
  package func pageProblems(inTable table: String?) throws -> [String] {
    let parts = try calculatedParts(ofTable: table)
    guard !parts.isEmpty else {
      return try problems("integrity_check" + (table.map { "(\(quoted($0)))" } ?? ""))
    }
    let calculated = Set(parts.map(\.table))
    let others = try table == nil ? tableNames().filter { !calculated.contains($0) } : []
    return try structureProblems(inTable: table)
      + others.flatMap { try problems("integrity_check(\(quoted($0)))") }
  }

  /// Returns the problems that SQLite finds in the pages of the file, without comparing rows and indexes.
  ///
  /// - Parameter table: A table; `nil` for the whole file.
  /// - Returns: At most a hundred problems of each table. Tables with a calculated column are left out.
  package func structureProblems(inTable table: String? = nil) throws -> [String] {
    let unchecked = Set(
      try calculatedParts(ofTable: table).filter { !$0.isIndex }.map(\.table))
    guard !unchecked.isEmpty else {
      return try problems("quick_check" + (table.map { "(\(quoted($0)))" } ?? ""))
    }
    return try table == nil
      ? tableNames().filter { !unchecked.contains($0) }
        .flatMap { try problems("quick_check(\(quoted($0)))") } : []
  }

  /// Returns the tables with an index that lists other rows than the table has, where all pages can be read.
  ///
  /// It reads every page, and compares every row with its entries in the indexes. Tables with a part that SQLite would
  /// have to calculate are left out, and so are those whose texts it cannot compare.
  package func tablesWithIncorrectIndexes() throws -> [String] {
    let calculated = Set(try calculatedParts().map(\.table))
    // One check of the whole file is cheaper than one of each table.
    if calculated.isEmpty, (try? problems("integrity_check"))?.isEmpty ?? false { return [] }
    return try tableNames().filter { table in
      guard !calculated.contains(table) else { return false }
      do {
        return try !problems("integrity_check(\(quoted(table)))").isEmpty
          && structureProblems(inTable: table).isEmpty
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        return false
      }
    }
  }

  private func tableNames() throws -> [String] {
    try StatementRunner(database).rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name"
    ).compactMap { if case .text(let name)? = $0.first { name } else { nil } }
  }

  private func problems(_ pragma: String) throws -> [String] {
    // No framework declares constraints that SQLite calculates.
    try StatementRunner(database).run("PRAGMA ignore_check_constraints = ON")
    let cursor = try StatementCursor(database, sql: "PRAGMA \(pragma)")
    var problems: [String] = []
    while try cursor.step() {
      guard case .text(let text) = cursor.value(at: 0), text != "ok" else { continue }
      problems += text.split(separator: "\n").filter { !$0.hasPrefix("***") }.map(String.init)
    }
    return problems
  }
}

extension StoreSnapshot {
  /// A counter of the store that is lower than a number in use, as in a copy without its `-wal`.
  package struct TornCounter: Hashable, Sendable {
    /// The name of the entity: `TRANSACTION`, `CHANGE` or `TRANSACTIONSTRING`.
    package let entity: String
    /// The highest number that the store has issued, by its counter.
    package let issued: Int64
    /// The highest number in use.
    package let present: Int64
  }

  /// Returns the counters of the history's own tables that are lower than a number in use.
  package func tornHistoryCounters() throws -> [TornCounter] {
    guard layout.history != nil else { return [] }
    let counters: [(EntityNumbering.HistoryEntity, String)] = [
      (.transaction, "TRANSACTION"), (.change, "CHANGE"), (.string, "TRANSACTIONSTRING"),
    ]
    let present = counters.filter { layout.tableNames.contains("A" + $0.1) }
    let numbers = present.map { "(SELECT max(Z_PK) FROM A\($0.1))" }
    let row = try StatementRunner(database).rows("SELECT " + numbers.joined(separator: ", ")).first
    return zip(present, row ?? []).compactMap { counter, number in
      let issued = entities.highestNumber(of: counter.0)
      guard case .integer(let number) = number, number > issued else { return nil }
      return TornCounter(entity: counter.1, issued: issued, present: number)
    }
  }

  /// Changes that were issued a number and are missing, of the newest transactions.
  package struct MissingChanges: Hashable, Sendable {
    /// The last transaction with changes.
    package let lastTransaction: Int64
    /// The numbers of the changes.
    package let numbers: ClosedRange<Int64>
  }

  /// Returns the changes of the newest transactions if all of them are missing and were issued numbers; `nil` in
  /// every store in which no changes were deleted alone.
  ///
  /// In a copy of pages of different times the index of changes may agree with the table, and both be older than
  /// the transactions. Deleting the changes of one entity may leave the same.
  package func missingNewestChanges() throws -> MissingChanges? {
    guard layout.history != nil, let newest = try newestTransaction()?.number else { return nil }
    let issued = entities.highestNumber(of: .change)
    let last = try StatementRunner(database).rows(
      "SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1"
    ).first
    guard case .integer(let number)? = last?.first, case .integer(let owner)? = last?.last,
      number < issued, owner < newest
    else { return nil }
    return MissingChanges(lastTransaction: owner, numbers: number + 1...issued)
  }

  /// Returns why the pages that the file counts cannot all be there, or `nil` where they can.
  package func pageCountProblem() throws -> String? {
    let pages = try integer("PRAGMA page_count") ?? 0
    let size = try integer("PRAGMA page_size") ?? 0
    if let free = try integer("PRAGMA freelist_count"), free >= pages, pages > 0 {
      return "it lists \(free) free pages of \(pages)"
    }
    if let root = try integer("SELECT max(rootpage) FROM sqlite_master"), root > pages {
      return "a table begins at page \(root), and it has \(pages) pages"
    }
    // Pages that are not in the file may be in the log.
    let (length, overflows) = pages.multipliedReportingOverflow(by: size)
    guard try location.logSize() == 0, let file = try location.size(of: location.resolvedPath),
      overflows || file < length
    else { return nil }
    return "it has \(file) bytes, and its \(pages) pages take \(length)"
  }

  /// Returns the problems at the two ends of the history: changes without a transaction.
  ///
  /// Changes before the oldest transaction are not a problem: an interrupted insertion leaves them.
  package func problemsAtHistoryEnds() throws -> [String] {
    guard let tables = layout.history, let oldest = try oldestTransaction()?.number else {
      return []
    }
    var candidates: [Int64?] = [
      try integer("SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1"),
      try integer("SELECT ZTRANSACTIONID FROM ACHANGE ORDER BY Z_PK ASC LIMIT 1"),
    ]
    if tables.indexesChangesByTransaction {
      candidates.append(try integer("SELECT max(ZTRANSACTIONID) FROM ACHANGE"))
      candidates.append(
        try integer("SELECT min(ZTRANSACTIONID) FROM ACHANGE WHERE ZTRANSACTIONID >= \(oldest)"))
    }
    return try Set(candidates.compactMap(\.self)).sorted().compactMap { number in
      guard number >= oldest, try timestamp(ofTransaction: number) == nil else { return nil }
      return "there are changes of transaction \(number), which is missing"
    }
  }

  private func integer(_ sql: String) throws -> Int64? {
    try StatementRunner(database).integer(sql)
  }
}

extension StoreSnapshot {
  /// Returns the triggers on the tables of the history. The frameworks leave none.
  package func triggersOfHistory() throws -> [String] {
    try StatementRunner(database).rows(
      """
      SELECT name FROM sqlite_master WHERE type = 'trigger'
        AND tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY name LIMIT 100
      """
    ).compactMap { if case .text(let name)? = $0.first { name } else { nil } }
  }

  /// Whether the metadata has a property list that cannot be read.
  package func hasUnreadableMetadata() throws -> Bool {
    guard !metadata.isComplete, layout.tableNames.contains("Z_METADATA") else { return false }
    return try StatementRunner(database).integer(
      "SELECT Z_PLIST IS NOT NULL FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1") == 1
  }
}

extension AttributeType {
  /// Whether a tombstone can hold a value of this type in that form. The columns of tombstones have
  /// no type, so a value is stored as the framework bound it.
  package func fits(tombstone value: StoredValue) -> Bool {
    switch (self, value) {
    case (.undefined, _), (.objectIdentifier, _), (.composite, _), (.unknown, _): true
    case (.uri, .malformedText): true
    default: accepts(restoring(value))
    }
  }
}

/// Steps through the rows of `ATRANSACTIONSTRING`.
package final class InternedStringCursor {
  private let cursor: StatementCursor

  init(_ database: Database) throws {
    cursor = try StatementCursor(
      database, sql: "SELECT Z_PK, typeof(ZNAME) = 'text' FROM ATRANSACTIONSTRING ORDER BY Z_PK")
  }

  /// The number by which transactions name the text.
  package private(set) var number: Int64 = 0
  /// Whether the row holds a text.
  package private(set) var hasText = false

  /// Goes to the next row; returns `false` after the last one.
  package func next() throws -> Bool {
    guard try cursor.step() else { return false }
    number = cursor.integer(at: 0)
    hasText = cursor.integer(at: 1) == 1
    return true
  }
}

extension StoreSnapshot {
  /// Steps through the interned texts; `nil` for a layout without them.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func internedStrings() throws -> InternedStringCursor? {
    try historyTables().internsStrings ? InternedStringCursor(database) : nil
  }
}

/// Looks up transactions by number.
package final class TransactionLookup {
  private let cursor: StatementCursor

  init(_ database: Database) throws {
    cursor = try StatementCursor(database, sql: "SELECT 1 FROM ATRANSACTION WHERE Z_PK = ?1")
  }

  /// Whether there is a transaction with exactly this number.
  package func contains(_ number: Int64) throws -> Bool {
    try cursor.bind(number)
    defer { cursor.reset() }
    return try cursor.step()
  }
}

extension StoreSnapshot {
  /// Prepares to look up transactions.
  package func transactionLookup() throws -> TransactionLookup {
    _ = try historyTables()
    return try TransactionLookup(database)
  }
}
