import StoreFormat

/// Questions of whoever is to put older history before that of a store.
extension StoreSnapshot {
  /// What the store looks like to ``HistoryInserter``.
  ///
  /// - Parameter danglingTextNumbers: Numbers that transactions to be inserted name as those of texts,
  ///   and that are no text's.
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func insertion(danglingTextNumbers: Set<Int64> = []) throws -> HistoryInsertion {
    let oldest = try oldestTransaction()
    return HistoryInsertion(
      shape: try shape(), tables: try historyTables(), oldest: oldest,
      hasLooseChanges: try hasChanges(before: oldest?.number),
      danglingTextNumbers: danglingTextNumbers)
  }

  /// Whether there are changes of transactions before one, or for nil any change at all.
  private func hasChanges(before number: Int64?) throws -> Bool {
    let statement = StatementRunner(database)
    guard let number else { return try statement.integer("SELECT 1 FROM ACHANGE LIMIT 1") != nil }
    return try statement.integer(
      "SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID < ?1 LIMIT 1", [.integer(number)]) != nil
  }

  /// How many changes name a transaction, whether it is there or not.
  package func changeCount(ofTransaction number: Int64) throws -> Int {
    _ = try historyTables()
    let count = try StatementRunner(database).integer(
      "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ?1", [.integer(number)])
    return Int(clamping: count ?? 0)
  }

  /// The change of a number, whether its transaction is there or not.
  package func presentChange(numbered number: Int64) throws -> PresentChange? {
    _ = try historyTables()
    let rows = try StatementRunner(database).rows(
      "SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK = ?1",
      [.integer(number)])
    guard let row = rows.first else { return nil }
    let values = row.map { if case .integer(let value) = $0 { value } else { nil as Int64? } }
    return PresentChange(
      transaction: values[0], kind: values[1].flatMap(ChangeKind.init(rawValue:)),
      entityNumber: values[2], primaryKey: values[3])
  }

  /// Whether any of the change numbers in a range is taken, by a change of whatever transaction.
  package func hasChange(numbered range: ClosedRange<Int64>) throws -> Bool {
    _ = try historyTables()
    return try StatementRunner(database).integer(
      "SELECT 1 FROM ACHANGE WHERE Z_PK BETWEEN ?1 AND ?2 LIMIT 1",
      [.integer(range.lowerBound), .integer(range.upperBound)]) != nil
  }

  /// The highest change number that the store ever issued.
  ///
  /// `Z_MAX` of a copy that lost its log can be lower than what is there.
  package func highestIssuedChange() throws -> Int64 {
    max(entities.highestNumber(of: .change), try highestChangeNumber())
  }

  /// How many of some texts the store does not have among its interned ones; 0 where it interns none.
  package func missingTextCount(among texts: Set<RecordedText>) throws -> Int {
    guard try historyTables().internsStrings else { return 0 }
    let statement = StatementRunner(database)
    return try texts.count { text in
      try statement.integer(
        "SELECT 1 FROM ATRANSACTIONSTRING WHERE ZNAME = ?1", [text.storedValue]) == nil
    }
  }

  /// Whether there are numbers for so many texts that the store has lost.
  package func hasFreeTextNumbers(
    _ count: Int, danglingTextNumbers: Set<Int64>
  ) throws -> Bool {
    let free = FreeTextNumbers(
      statement: StatementRunner(database), tables: try historyTables())
    return try free.first(count, except: danglingTextNumbers).count == count
  }

  /// The first of some numbers that is that of an interned text.
  package func firstText(among numbers: Set<Int64>) throws -> Int64? {
    guard try historyTables().internsStrings else { return nil }
    let statement = StatementRunner(database)
    return try numbers.sorted().first { number in
      try statement.integer(
        "SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = ?1 AND typeof(ZNAME) = 'text'",
        [.integer(number)]) != nil
    }
  }
}

/// What tells one change from another.
package struct PresentChange: Hashable, Sendable {
  /// The number of its transaction; nil where the row names none.
  package let transaction: Int64?
  /// What happened; nil for a kind that no framework writes.
  package let kind: ChangeKind?
  /// The number of the object's own entity; nil where the row holds none.
  package let entityNumber: Int64?
  /// The object's primary key; nil where the row holds none.
  package let primaryKey: Int64?
}
