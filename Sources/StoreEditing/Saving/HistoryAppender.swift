import StoreFormat

/// Appends the rows of one transaction to the history tables.
struct HistoryAppender {
  /// A change with its mask and tombstone worked out.
  struct Change {
    let kind: ChangeKind
    let entityNumber: Int64
    let primaryKey: Int64
    /// The slots that an update touched; nil for inserts and deletes.
    let mask: ColumnMask?
    /// What a deleted object leaves behind, by slot.
    let tombstone: [StoredValue]
    /// What an update changed, where that is recorded.
    var values: [RecordedValue] = []
  }

  /// Where a transaction stands that was appended.
  struct Place {
    let position: TransactionPosition
    /// The number of its first change; those of the others follow.
    let firstChange: Int64
  }

  let statement: StatementRunner
  let tables: HistoryTables
  let numbers: RowNumbers

  /// Writes the transaction and its changes, and gives its place.
  func append(_ header: TransactionHeader, changes: [Change]) throws -> Place {
    let number = try numbers.next(of: .transaction, count: 1)
    let timestamp = header.timestamp ?? .now()
    var columns = ["Z_PK", "ZTIMESTAMP"]
    var values: [StoredValue] = [
      .integer(number), .real(timestamp.secondsSinceReferenceDate),
    ]
    if tables.transactionColumns.contains("Z_ENT") {
      columns.append("Z_ENT")
      values.append(.integer(EntityNumbering.HistoryEntity.transaction.rawValue))
    }
    for role in StringRole.allCases {
      guard let text = header.text(role) else { continue }
      let column = tables.internsStrings ? role.identifierColumn : role.plainColumn
      guard tables.transactionColumns.contains(column) else {
        throw StoreError.unexpectedTable(
          table: "ATRANSACTION", detail: "it has no column \(column)")
      }
      columns.append(column)
      values.append(tables.internsStrings ? .integer(try intern(text)) : .text(text))
    }
    try statement.insert(into: "ATRANSACTION", columns, values)
    return Place(
      position: TransactionPosition(number: number, timestamp: timestamp),
      firstChange: try append(changes, of: number))
  }

  private func append(_ changes: [Change], of transaction: Int64) throws -> Int64 {
    guard !changes.isEmpty else { return 0 }
    let firstNumber = try numbers.next(of: .change, count: changes.count)
    var number = firstNumber
    var columns = [
      "Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]
    let hasEntity = tables.changeColumns.contains("Z_ENT")
    if hasEntity { columns.append("Z_ENT") }
    columns += tables.tombstoneColumns
    let insertion = try statement.insertion(into: "ACHANGE", columns)
    let nothing = Array(repeating: StoredValue.null, count: tables.tombstoneSlots.count)
    for change in changes {
      var values: [StoredValue] = []
      values.reserveCapacity(columns.count)
      values += [
        .integer(number), .integer(change.kind.rawValue), .integer(change.entityNumber),
        .integer(change.primaryKey), .integer(transaction),
        change.mask.map { .blob($0.bytes) } ?? .null,
      ]
      if hasEntity { values.append(.integer(EntityNumbering.HistoryEntity.change.rawValue)) }
      values += change.tombstone.isEmpty ? nothing : try self.columns(of: change.tombstone)
      try insertion.run(values)
      number += 1
    }
    return firstNumber
  }

  /// The values of a tombstone by column; column *n* holds that of slot *n*.
  private func columns(of tombstone: [StoredValue]) throws -> [StoredValue] {
    let kept = Set(tables.tombstoneSlots)
    if let lost = tombstone.indices.first(where: { !tombstone[$0].isNull && !kept.contains($0) }) {
      throw StoreError.unexpectedTable(
        table: "ACHANGE", detail: "it has no column ZTOMBSTONE\(lost)")
    }
    return tables.tombstoneSlots.map { tombstone.indices.contains($0) ? tombstone[$0] : .null }
  }

  /// The number of a text, which is added where it is new.
  private func intern(_ text: String) throws -> Int64 {
    if let known = try statement.integer(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(text)])
    {
      return known
    }
    let number = try numbers.next(of: .string, count: 1)
    try statement.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
      [
        .integer(number), .integer(EntityNumbering.HistoryEntity.string.rawValue), .text(text),
      ])
    return number
  }
}

extension StatementRunner {
  /// Inserts a row.
  func insert(into table: String, _ columns: [String], _ values: [StoredValue]) throws {
    try insertion(into: table, columns).run(values)
  }

  /// A statement that inserts rows, to be run for each of them.
  func insertion(into table: String, _ columns: [String]) throws -> StatementCursor {
    let names = columns.map(quoted).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    return try cursor("INSERT INTO \(quoted(table)) (\(names)) VALUES (\(marks))")
  }
}

/// Hands out the numbers of new rows and keeps `Z_MAX` up.
struct RowNumbers {
  let statement: StatementRunner

  /// The first of some new numbers of a history table.
  func next(of entity: EntityNumbering.HistoryEntity, count: Int) throws -> Int64 {
    let table =
      switch entity {
      case .change: "ACHANGE"
      case .transaction: "ATRANSACTION"
      case .string: "ATRANSACTIONSTRING"
      }
    return try next(
      entityNumber: entity.rawValue, entityName: entity.name, table: table, count: count)
  }

  /// The first of some new primary keys in an entity's table; the root of a hierarchy counts.
  ///
  /// The highest number that is there counts as well: a copy of a store that lost its log can have a
  /// `Z_MAX` that is too low, and this puts it right.
  func next(
    entityNumber: Int64, entityName: String, table: String, count: Int
  ) throws -> Int64 {
    let recorded =
      try statement.integer(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entityNumber)]) ?? 0
    let present = try statement.integer("SELECT max(Z_PK) FROM \(quoted(table))") ?? 0
    let highest = max(recorded, present, 0)
    let (last, overflows) = highest.addingReportingOverflow(Int64(count))
    guard !overflows else { throw StoreWriteError.numbersExhausted(table: table) }
    let raised = try statement.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?",
      [.integer(last), .integer(entityNumber)])
    if raised == 0 {
      // The rows of the history tables come with the first transaction.
      try statement.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)",
        [.integer(entityNumber), .text(entityName), .integer(last)])
    }
    return highest + 1
  }
}
