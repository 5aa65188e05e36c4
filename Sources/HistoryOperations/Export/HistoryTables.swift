import HistoryCoding
import StoreEditing
import StoreFormat
import StoreTransactions

/// The tables of a history in a database: what `export --format sqlite` writes.
///
/// It takes the rows of ``/HistoryCoding/TableRowEncoder`` in order and inserts them into a new file. Memory does not
/// depend on their number.
final class HistoryTables {
  /// The tables of names that transactions have.
  enum NameTable: UInt8, CaseIterable {
    case stores, authors, bundles, processes, contexts
  }

  /// A column of a table, filled from one or several fields of a row.
  private enum Column {
    /// One field, as it is.
    case value(String)
    /// A text, by its number in a table of names.
    case name(String, NameTable)
    /// The name and the number of an entity and the name of one of its attributes.
    case attribute
    /// The name and the number of an entity, and a mask with the names of its attributes.
    case shape

    /// The number of fields that it takes.
    var fieldCount: Int {
      switch self {
      case .value, .name: 1
      case .attribute: 3
      case .shape: 4
      }
    }

    /// Distinguishes fields of the same bytes that stand for other numbers.
    var mark: UInt8 {
      switch self {
      case .name(_, let table): table.rawValue
      case .attribute: 100
      case .shape: 101
      case .value: 102
      }
    }

    /// The columns that it fills.
    var names: [String] {
      switch self {
      case .value(let name), .name(let name, _): [name]
      case .attribute: ["attributeId"]
      case .shape: ["entityId", "attributeSetId"]
      }
    }
  }

  private struct Table {
    let name: String
    let columns: [Column]
    let insertion: String

    init(_ name: String, _ columns: [Column]) {
      self.name = name
      self.columns = columns
      let names = columns.flatMap(\.names)
      insertion =
        "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES ("
        + names.map { _ in "?" }.joined(separator: ", ") + ")"
    }
  }

  /// The tables of rows, by the numbers of the kinds of rows.
  private static let tables = [
    Table(
      "transactions",
      [
        .value("id"), .name("storeId", .stores), .value("timestamp"),
        .value("timestampRaw"), .name("authorId", .authors),
        .name("bundleId", .bundles), .name("processId", .processes),
        .name("contextId", .contexts), .value("queryGenerationRaw"), .value("extra"),
        .value("partial"),
      ]),
    Table(
      "changes",
      [
        .value("id"), .value("transactionId"), .value("kind"), .shape, .value("pk"),
        .value("tombstoneRaw"), .value("extra"),
      ]),
    Table("tombstones", [.value("changeId"), .attribute, .value("value")]),
    Table(
      "changeValues",
      [
        .value("changeId"), .attribute, .value("type"), .value("source"), .value("known"),
        .value("old"), .value("oldLength"), .value("new"), .value("newLength"),
      ]),
    Table("gaps", [.value("after"), .name("storeId", .stores), .value("oldest")]),
  ]

  /// The maximum size of names whose numbers are kept in memory, in bytes.
  private static let maxNameBytes = 4 << 20

  private let file: TableFile
  /// The path of the history, for errors.
  private let source: String
  /// The numbers of names that were looked up, by the bytes of their fields after one for the kind.
  private var numbers: [[UInt8]: [Int64?]] = [:]
  private var nameBytes = 0

  /// Begins to fill an empty file.
  ///
  /// - Parameters:
  ///   - draft: The file.
  ///   - path: The path that the file will have.
  ///   - source: The path of the history.
  init(filling draft: String, for path: String, from source: String) throws {
    file = try TableFile(filling: draft, for: path)
    self.source = source
    try file.execute(HistoryTables.schema)
  }

  // MARK: - Rows

  /// Adds rows.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.use { statement in
        let cursors = try Self.tables.map { try statement.cursor($0.insertion) }
        var rows = TableRowReader(bytes)
        while let row = rows.nextRow() {
          let index = Int(row.rawValue)
          try write(&rows, to: Self.tables[index], cursors[index], statement)
        }
      }
    } catch StoreWriteError.notUnique(let detail) {
      throw StoreError.damaged(
        path: source, place: "its numbers",
        detail: "two transactions or two changes have the same one (\(detail))")
    }
  }

  private func write(
    _ rows: inout TableRowReader, to table: Table, _ cursor: StatementCursor,
    _ statement: StatementRunner
  ) throws {
    var hasLong = false
    defer {
      cursor.reset()
      if hasLong { cursor.clearParameters() }
    }
    var position = 1
    for column in table.columns {
      if case .value = column {
        let value = rows.field()
        let isLong = value?.isLong ?? false
        if isLong { hasLong = true }
        try cursor.bind(value, at: position, isKept: isLong)
        position += 1
        continue
      }
      for number in try numbers(of: column, rows.skip(column.fieldCount), statement) {
        try cursor.bind(number.map(LentValue.integer), at: position)
        position += 1
      }
    }
    _ = try cursor.step()
  }

  // MARK: - Names

  /// Returns the numbers that stand for the fields of a column, `nil` for a null.
  private func numbers(
    of column: Column, _ fields: UnsafeRawBufferPointer, _ statement: StatementRunner
  ) throws -> [Int64?] {
    var reader = TableRowReader(fields)
    if case .name(_, let table) = column, let name = reader.field(), name.isLong {
      return [try number(ofLong: name, in: table, statement)]
    }
    let key = [column.mark] + fields
    if let known = numbers[key] { return known }
    reader = TableRowReader(fields)
    var lent: [LentValue?] = []
    for _ in 0..<column.fieldCount { lent.append(reader.field()) }
    let isLong = lent.contains { $0?.isLong ?? false }
    let values = lent.map { $0?.stored ?? .null }
    let found: [Int64?]
    switch column {
    case .value: found = []
    case .name(_, let table):
      found = [values[0].isNull ? nil : try number(in: "\(table)", ["name": values[0]], statement)]
    case .attribute:
      found = [try attribute(values[2], of: try entity(values[0], values[1], statement), statement)]
    case .shape:
      let entity = try entity(values[0], values[1], statement)
      found = [entity, try attributeSet(values[2], values[3], of: entity, statement)]
    }
    guard !isLong else { return found }
    if nameBytes > Self.maxNameBytes {
      numbers.removeAll(keepingCapacity: true)
      nameBytes = 0
    }
    nameBytes += key.count + 64
    numbers[key] = found
    return found
  }

  /// Returns the number of a long name, which is neither copied nor kept in memory.
  private func number(
    ofLong name: LentValue, in table: NameTable, _ statement: StatementRunner
  ) throws -> Int64 {
    let search = try statement.cursor("SELECT id FROM \(table) WHERE name IS ?")
    defer {
      search.reset()
      search.clearParameters()
    }
    try search.bind(name, at: 1, isKept: true)
    if try search.step() { return search.integer(at: 0) }
    let insertion = try statement.cursor("INSERT INTO \(table) (name) VALUES (?)")
    defer {
      insertion.reset()
      insertion.clearParameters()
    }
    try insertion.bind(name, at: 1, isKept: true)
    _ = try insertion.step()
    return try statement.integer("SELECT last_insert_rowid()") ?? 0
  }

  private func entity(
    _ name: StoredValue, _ number: StoredValue, _ statement: StatementRunner
  ) throws -> Int64? {
    if name.isNull, number.isNull { return nil }
    return try self.number(in: "entities", ["name": name, "number": number], statement)
  }

  private func attribute(
    _ name: StoredValue, of entity: Int64?, _ statement: StatementRunner
  ) throws -> Int64 {
    try number(
      in: "attributes", ["entityId": entity.map(StoredValue.integer) ?? .null, "name": name],
      statement)
  }

  /// Returns the number of a mask with its attributes; `nil` without a mask.
  private func attributeSet(
    _ mask: StoredValue, _ names: StoredValue, of entity: Int64?, _ statement: StatementRunner
  ) throws -> Int64? {
    guard !mask.isNull else { return nil }
    let (set, isNew) = try row(
      in: "attributeSets",
      [
        "entityId": entity.map(StoredValue.integer) ?? .null, "columnsRaw": mask,
        "attributes": names,
      ], statement)
    guard isNew, case .text(let text) = names, case .array(let names) = try JSONReader().read(text)
    else { return set }
    for case .string(let name) in names {
      try statement.run(
        "INSERT OR IGNORE INTO attributeSetMembers VALUES (?, ?)",
        [.integer(set), .integer(try attribute(.text(name), of: entity, statement))])
    }
    return set
  }

  private func number(
    in table: String, _ values: KeyValuePairs<String, StoredValue>, _ statement: StatementRunner
  ) throws -> Int64 { try row(in: table, values, statement).number }

  /// Returns the number of a row of a table of names, and adds the row to a file that is filled.
  private func row(
    in table: String, _ values: KeyValuePairs<String, StoredValue>, _ statement: StatementRunner
  ) throws -> (number: Int64, isNew: Bool) {
    let conditions = values.map { "\($0.key) IS ?" }.joined(separator: " AND ")
    let found = try statement.integer(
      "SELECT id FROM \(table) WHERE \(conditions)", values.map(\.value))
    if let found { return (found, false) }
    try statement.run(
      "INSERT INTO \(table) (\(values.map(\.key).joined(separator: ", "))) VALUES ("
        + values.map { _ in "?" }.joined(separator: ", ") + ")", values.map(\.value))
    return (try statement.integer("SELECT last_insert_rowid()") ?? 0, true)
  }

  // MARK: - The end

  /// Makes indexes and views, and closes the file; the caller syncs it.
  func finish() throws {
    try file.execute(HistoryTables.indexes + HistoryTables.views)
    try file.finish()
  }
}

extension LentValue {
  /// Whether the value is so long that it is not copied.
  fileprivate var isLong: Bool {
    switch self {
    case .integer, .real: false
    case .text(let bytes), .blob(let bytes): bytes.count > TextDrain.longValue
    }
  }
}
