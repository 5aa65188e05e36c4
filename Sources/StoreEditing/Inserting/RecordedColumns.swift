import StoreFormat

/// The columns of a store's history tables, and what goes into each when a row is written back.
///
/// The inverse of what ``TransactionCursor`` and ``ChangeCursor`` read: a column that a row says
/// nothing about holds what every framework writes there.
package struct RecordedColumns: Sendable {
  /// Where the value of a column of `ATRANSACTION` comes from.
  private enum TransactionField: Sendable {
    case number, own, timestamp, queryGeneration
    case identifier(StringRole)
    case plain(StringRole)
    case other
  }

  /// Where the value of a column of `ACHANGE` comes from.
  private enum ChangeField: Sendable {
    case number, own, kind, entity, primaryKey, transaction, mask
    case tombstone(Int)
    case other
  }

  let transactionInsert: String
  let changeInsert: String
  private let tables: HistoryTables
  private let transactionFields: [TransactionField]
  private let changeFields: [ChangeField]
  private let transactionPlaces: [String: Int]
  private let changePlaces: [String: Int]
  private let tombstoneSlots: Set<Int>

  /// The columns of a store.
  package init(_ tables: HistoryTables) {
    self.tables = tables
    transactionFields = tables.transactionColumns.map { Self.transactionField($0, tables) }
    changeFields = tables.changeColumns.map(Self.changeField)
    transactionPlaces = Self.places(tables.transactionColumns)
    changePlaces = Self.places(tables.changeColumns)
    tombstoneSlots = Set(tables.tombstoneSlots)
    transactionInsert = Self.insert("ATRANSACTION", tables.transactionColumns)
    changeInsert = Self.insert("ACHANGE", tables.changeColumns)
  }

  private static func transactionField(
    _ column: String, _ tables: HistoryTables
  ) -> TransactionField {
    switch column {
    case "Z_PK": return .number
    case "Z_ENT": return .own
    case "ZTIMESTAMP": return .timestamp
    case "ZQUERYGEN": return .queryGeneration
    default:
      for role in StringRole.allCases {
        if column == role.plainColumn { return .plain(role) }
        if column == role.identifierColumn, tables.internsStrings { return .identifier(role) }
      }
      return .other
    }
  }

  private static func changeField(_ column: String) -> ChangeField {
    switch column {
    case "Z_PK": .number
    case "Z_ENT": .own
    case "ZCHANGETYPE": .kind
    case "ZENTITY": .entity
    case "ZENTITYPK": .primaryKey
    case "ZTRANSACTIONID": .transaction
    case "ZCOLUMNS": .mask
    default: TombstoneColumn.number(of: column).map(ChangeField.tombstone) ?? .other
    }
  }

  private static func places(_ columns: [String]) -> [String: Int] {
    Dictionary(zip(columns, columns.indices), uniquingKeysWith: { first, _ in first })
  }

  private static func insert(_ table: String, _ columns: [String]) -> String {
    let names = columns.map(quoted).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    return "INSERT INTO \(table) (\(names)) VALUES (\(marks))"
  }

  // MARK: - Values

  /// The values of a transaction's row, by column.
  ///
  /// - Parameter number: The number of a text.
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)`` where a column is missing.
  func values(
    of transaction: RecordedTransaction, number: (RecordedText) throws -> Int64
  ) throws -> [StoredValue] {
    try check(transaction)
    let named = Set(transaction.extra.map(\.column))
    var values = try transactionFields.map { field -> StoredValue in
      switch field {
      case .number: return .integer(transaction.number)
      case .own: return .integer(EntityNumbering.HistoryEntity.transaction.rawValue)
      case .timestamp:
        return transaction.timestamp.map { .real($0.secondsSinceReferenceDate) } ?? .null
      case .queryGeneration: return transaction.queryGeneration.map(StoredValue.blob) ?? .null
      case .identifier(let role):
        guard let text = transaction.texts[role], !named.contains(role.identifierColumn) else {
          return .null
        }
        return .integer(try number(text))
      case .plain(let role):
        return interns(role) ? .null : transaction.texts[role]?.storedValue ?? .null
      case .other: return .null
      }
    }
    for column in transaction.extra {
      if let place = transactionPlaces[column.column] { values[place] = column.value }
    }
    return values
  }

  /// The values of a change's row, by column.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)`` where a column is missing.
  func values(
    of change: RecordedChange, transaction: Int64
  ) throws(StoreWriteError) -> [StoredValue] {
    try check(change)
    var values = changeFields.map { field -> StoredValue in
      switch field {
      case .number: .integer(change.number)
      case .own: .integer(EntityNumbering.HistoryEntity.change.rawValue)
      case .kind: change.kind.map { .integer($0.rawValue) } ?? .null
      case .entity: change.entityNumber.map(StoredValue.integer) ?? .null
      case .primaryKey: change.primaryKey.map(StoredValue.integer) ?? .null
      case .transaction: .integer(transaction)
      case .mask: change.mask.map { .blob($0.bytes) } ?? .null
      case .tombstone(let slot):
        change.tombstone.indices.contains(slot) ? change.tombstone[slot] : .null
      case .other: .null
      }
    }
    for column in change.extra {
      if let place = changePlaces[column.column] { values[place] = column.value }
    }
    return values
  }

  // MARK: - Columns that are missing

  /// Finds out whether the table has a column for everything that a transaction holds.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)``.
  package func check(_ transaction: RecordedTransaction) throws(StoreWriteError) {
    func missing(_ column: String) -> StoreWriteError {
      .store(.unexpectedTable(table: "ATRANSACTION", detail: "it has no column \(column)"))
    }
    for role in StringRole.allCases where transaction.texts[role] != nil {
      guard interns(role) || transactionPlaces[role.plainColumn] != nil else {
        throw missing(role.plainColumn)
      }
    }
    if transaction.queryGeneration != nil, transactionPlaces["ZQUERYGEN"] == nil {
      throw missing("ZQUERYGEN")
    }
    for column in transaction.extra {
      if column.column == "Z_PK" { throw Self.saidTwice("ATRANSACTION", column.column) }
      guard transactionPlaces[column.column] != nil || column.value.isNull else {
        throw missing(column.column)
      }
    }
  }

  /// Finds out whether the table has a column for everything that a change holds.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)``.
  package func check(_ change: RecordedChange) throws(StoreWriteError) {
    for (slot, value) in change.tombstone.enumerated()
    where !value.isNull && !tombstoneSlots.contains(slot) {
      throw .store(
        .unexpectedTable(table: "ACHANGE", detail: "it has no column ZTOMBSTONE\(slot)"))
    }
    for column in change.extra {
      if column.column == "Z_PK" || column.column == "ZTRANSACTIONID"
        || TombstoneColumn.number(of: column.column) != nil
      {
        throw Self.saidTwice("ACHANGE", column.column)
      }
      guard changePlaces[column.column] != nil || column.value.isNull else {
        throw .store(
          .unexpectedTable(table: "ACHANGE", detail: "it has no column \(column.column)"))
      }
    }
  }

  private static func saidTwice(_ table: String, _ column: String) -> StoreWriteError {
    .store(
      .unexpectedTable(table: table, detail: "what its column \(column) holds is said twice"))
  }

  /// Whether the texts of a role are interned.
  private func interns(_ role: StringRole) -> Bool {
    tables.internsStrings && transactionPlaces[role.identifierColumn] != nil
  }
}
