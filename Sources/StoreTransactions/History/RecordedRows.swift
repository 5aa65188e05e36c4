import StoreFormat

/// A row of `ATRANSACTION`, independent of the numbers that one file gives to texts.
///
/// Values that no column of the layout expresses are in ``extra``, as ``TransactionCursor`` returns them.
package struct RecordedTransaction: Hashable, Sendable {
  /// The transaction number, `Z_PK`.
  package var number: Int64
  /// The time of the save; `nil` if the row held no number there.
  package var timestamp: StoreTimestamp?
  /// Author, bundle, process and context, as far as the row has them.
  package var texts: [StringRole: RecordedText]
  /// The snapshot of a pinned query generation; opaque.
  package var queryGeneration: [UInt8]?
  /// Everything else that the row held.
  package var extra: [ExtraColumn]

  package init(
    number: Int64, timestamp: StoreTimestamp? = nil, texts: [StringRole: RecordedText] = [:],
    queryGeneration: [UInt8]? = nil, extra: [ExtraColumn] = []
  ) {
    self.number = number
    self.timestamp = timestamp
    self.texts = texts
    self.queryGeneration = queryGeneration
    self.extra = extra
  }

  package var position: TransactionPosition {
    TransactionPosition(number: number, timestamp: timestamp)
  }

  /// The texts for which a store that interns texts needs a number: all except those whose column is in
  /// ``extra``.
  package var internedTexts: [RecordedText] {
    StringRole.allCases.compactMap { role in
      extra.contains { $0.column == role.identifierColumn } ? nil : texts[role]
    }
  }

  /// The text numbers in the row that lead to no text.
  package var danglingTextNumbers: [Int64] {
    extra.compactMap { column in
      guard case .integer(let number) = column.value,
        StringRole.allCases.contains(where: { $0.identifierColumn == column.column })
      else { return nil }
      return number
    }
  }
}

/// A row of `ACHANGE`, with the entity numbers and slots of the store that it is for.
///
/// Values that no column of the layout expresses are in ``extra``, as ``ChangeCursor`` returns them.
package struct RecordedChange: Hashable, Sendable {
  /// The change number, `Z_PK`.
  package var number: Int64
  /// The kind of change; `nil` for one that no framework writes.
  package var kind: ChangeKind?
  /// The number of the object's own entity; `nil` if the row held none.
  package var entityNumber: Int64?
  /// The object's primary key; `nil` if the row held none.
  package var primaryKey: Int64?
  /// The slots that an update touched.
  package var mask: ColumnMask?
  /// The preserved values of a deleted object, by slot.
  package var tombstone: [StoredValue]
  /// Everything else that the row held.
  package var extra: [ExtraColumn]

  package init(
    number: Int64, kind: ChangeKind?, entityNumber: Int64?, primaryKey: Int64?,
    mask: ColumnMask? = nil, tombstone: [StoredValue] = [], extra: [ExtraColumn] = []
  ) {
    self.number = number
    self.kind = kind
    self.entityNumber = entityNumber
    self.primaryKey = primaryKey
    self.mask = mask
    self.tombstone = tombstone
    self.extra = extra
  }
}

extension RecordedChange {
  /// About how many bytes the values of the row take.
  package var byteCount: Int {
    (mask?.byteCount ?? 0) + tombstone.reduce(0) { $0 + $1.byteCount }
      + extra.reduce(0) { $0 + $1.value.byteCount }
  }
}

extension RecordedTransaction {
  /// About how many bytes the values of the row and its texts take.
  package var byteCount: Int {
    texts.values.reduce(0) { $0 + $1.string.utf8.count } + (queryGeneration?.count ?? 0)
      + extra.reduce(0) { $0 + $1.value.byteCount }
  }
}

/// The columns of a store's history tables, and the value of each in a row to be written.
///
/// The inverse of what ``TransactionCursor`` and ``ChangeCursor`` read. A column for which a row
/// has no value gets the value that every framework writes there.
package struct RecordedColumns: Sendable {
  private typealias TransactionValue =
    @Sendable (RecordedTransaction, _ textNumbers: [StringRole: Int64]) -> StoredValue
  private typealias ChangeValue = @Sendable (RecordedChange, _ transaction: Int64) -> StoredValue

  let transactionInsert: String
  let changeInsert: String
  package let tables: HistoryTables
  private let transactionValues: [TransactionValue]
  private let changeValues: [ChangeValue]
  private let transactionPlaces: [String: Int]
  private let changePlaces: [String: Int]
  private let tombstoneSlots: Set<Int>

  package init(_ tables: HistoryTables) {
    self.tables = tables
    transactionPlaces = Self.places(tables.transactionColumns)
    changePlaces = Self.places(tables.changeColumns)
    tombstoneSlots = Set(tables.tombstoneSlots)
    transactionInsert = insertStatement("ATRANSACTION", tables.transactionColumns)
    changeInsert = insertStatement("ACHANGE", tables.changeColumns)
    transactionValues = tables.transactionColumns.map { Self.transactionValue($0, tables) }
    changeValues = tables.changeColumns.map(Self.changeValue)
  }

  private static func places(_ columns: [String]) -> [String: Int] {
    Dictionary(keepingFirst: zip(columns, columns.indices))
  }

  private static func transactionValue(
    _ column: String, _ tables: HistoryTables
  ) -> TransactionValue {
    switch column {
    case "Z_PK": return { row, _ in .integer(row.number) }
    case "Z_ENT":
      return { _, _ in .integer(EntityNumbering.HistoryEntity.transaction.rawValue) }
    case "ZTIMESTAMP":
      return { row, _ in row.timestamp.map { .real($0.secondsSinceReferenceDate) } ?? .null }
    case "ZQUERYGEN": return { row, _ in row.queryGeneration.map(StoredValue.blob) ?? .null }
    default: break
    }
    for role in StringRole.allCases {
      if column == role.identifierColumn, tables.internsStrings {
        return { _, numbers in numbers[role].map(StoredValue.integer) ?? .null }
      }
      if column == role.plainColumn, !tables.interns(role) {
        return { row, _ in row.texts[role]?.storedValue ?? .null }
      }
    }
    return { _, _ in .null }
  }

  private static func changeValue(_ column: String) -> ChangeValue {
    switch column {
    case "Z_PK": return { row, _ in .integer(row.number) }
    case "Z_ENT": return { _, _ in .integer(EntityNumbering.HistoryEntity.change.rawValue) }
    case "ZCHANGETYPE": return { row, _ in row.kind.map { .integer($0.rawValue) } ?? .null }
    case "ZENTITY": return { row, _ in row.entityNumber.map(StoredValue.integer) ?? .null }
    case "ZENTITYPK": return { row, _ in row.primaryKey.map(StoredValue.integer) ?? .null }
    case "ZTRANSACTIONID": return { _, transaction in .integer(transaction) }
    case "ZCOLUMNS": return { row, _ in row.mask.map { .blob($0.bytes) } ?? .null }
    default:
      guard let slot = TombstoneColumn.number(of: column) else { return { _, _ in .null } }
      return { row, _ in row.tombstone.indices.contains(slot) ? row.tombstone[slot] : .null }
    }
  }

  func values(
    of transaction: RecordedTransaction, textNumbers: [StringRole: Int64]
  ) -> [StoredValue] {
    var values = transactionValues.map { $0(transaction, textNumbers) }
    for column in transaction.extra {
      if let place = transactionPlaces[column.column] { values[place] = column.value }
    }
    return values
  }

  func values(of change: RecordedChange, transaction: Int64) -> [StoredValue] {
    var values = changeValues.map { $0(change, transaction) }
    for column in change.extra {
      if let place = changePlaces[column.column] { values[place] = column.value }
    }
    return values
  }

  /// Checks that the table has a column for everything that a transaction holds.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)``.
  package func check(_ transaction: RecordedTransaction) throws(StoreWriteError) {
    for role in StringRole.allCases where transaction.texts[role] != nil && !tables.interns(role) {
      try check(role.plainColumn, exists: transactionPlaces[role.plainColumn], "ATRANSACTION")
    }
    if transaction.queryGeneration != nil {
      try check("ZQUERYGEN", exists: transactionPlaces["ZQUERYGEN"], "ATRANSACTION")
    }
    for column in transaction.extra {
      if column.column == "Z_PK" { throw Self.duplicate("ATRANSACTION", column.column) }
      if column.value.isNull { continue }
      try check(column.column, exists: transactionPlaces[column.column], "ATRANSACTION")
    }
  }

  /// Checks that the table has a column for everything that a change holds.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)``.
  package func check(_ change: RecordedChange) throws(StoreWriteError) {
    for (slot, value) in change.tombstone.enumerated()
    where !value.isNull && !tombstoneSlots.contains(slot) {
      try check("ZTOMBSTONE\(slot)", exists: nil, "ACHANGE")
    }
    for column in change.extra {
      if column.column == "Z_PK" || column.column == "ZTRANSACTIONID"
        || TombstoneColumn.number(of: column.column) != nil
      {
        throw Self.duplicate("ACHANGE", column.column)
      }
      if column.value.isNull { continue }
      try check(column.column, exists: changePlaces[column.column], "ACHANGE")
    }
  }

  private func check(
    _ column: String, exists place: Int?, _ table: String
  ) throws(StoreWriteError) {
    guard place != nil else {
      throw .store(.unexpectedTable(table: table, detail: "it has no column \(column)"))
    }
  }

  private static func duplicate(_ table: String, _ column: String) -> StoreWriteError {
    .store(
      .unexpectedTable(table: table, detail: "the value of its column \(column) is given twice"))
  }
}

extension HistoryTables {
  package func interns(_ role: StringRole) -> Bool {
    internsStrings && transactionColumns.contains(role.identifierColumn)
  }
}

extension TransactionPosition {
  /// The position in a row of `Z_PK` and `ZTIMESTAMP`; `nil` without a number.
  package init?(row: [StoredValue]) {
    guard case .integer(let number) = row[0] else { return nil }
    self.init(number: number, timestamp: StoreTimestamp(stored: row[1]))
  }
}

package func insertStatement(_ table: String, _ columns: [String]) -> String {
  let names = columns.map(quoted).joined(separator: ", ")
  let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
  return "INSERT INTO \(quoted(table)) (\(names)) VALUES (\(marks))"
}
