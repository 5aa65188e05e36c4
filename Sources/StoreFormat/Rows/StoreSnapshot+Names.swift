import GRDB

extension StoreSnapshot {
  /// The maximum number of interned texts, or without an index of transactions, that
  /// ``names(_:limit:)`` looks at.
  private static let maxExamined = 5000

  /// Returns authors, bundles, processes or contexts of transactions, each once.
  ///
  /// The cost does not grow with the history: interned texts are few and are looked up in an index,
  /// and without one only the newest transactions are examined. So the list may be incomplete;
  /// ``textCounts(_:)`` is complete.
  ///
  /// - Parameter limit: The maximum number of texts.
  package func names(_ role: StringRole, limit: Int) throws -> [RecordedText] {
    let tables = try historyTables()
    let cursor = try StatementCursor(database, sql: try namesQuery(role, tables))
    try cursor.bind([.integer(Int64(clamping: limit))])
    var names: [RecordedText] = []
    while try cursor.step() {
      if let name = RecordedText(cursor.value(at: 0)) { names.append(name) }
    }
    return names
  }

  private func namesQuery(_ role: StringRole, _ tables: HistoryTables) throws -> String {
    let isInterned =
      tables.internsStrings && tables.transactionColumns.contains(role.identifierColumn)
    if isInterned, try historyTables().transactions.isIndexed(by: role.identifierColumn) {
      return """
        SELECT s.ZNAME FROM
          (SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING LIMIT \(Self.maxExamined)) AS s
        WHERE EXISTS (SELECT 1 FROM ATRANSACTION WHERE \(role.identifierColumn) = s.Z_PK)
        LIMIT ?1
        """
    }
    let name =
      isInterned
      ? "(SELECT s.ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(role.identifierColumn))"
      : tables.transactionColumns.contains(role.plainColumn) ? "t.\(role.plainColumn)" : "NULL"
    return """
      SELECT DISTINCT \(name) FROM
        (SELECT * FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT \(Self.maxExamined)) AS t
      WHERE \(name) IS NOT NULL LIMIT ?1
      """
  }
}
