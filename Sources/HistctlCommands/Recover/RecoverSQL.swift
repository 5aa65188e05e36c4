import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the rows of deleted objects as SQL statements for a copy of their store.
struct RecoverSQL {
  let writer: OutputWriter
  private let schema: ObjectSchema
  private let statement: StatementRunner

  init(writer: OutputWriter, snapshot: StoreSnapshot) throws {
    self.writer = writer
    schema = try snapshot.objectSchema()
    statement = StatementRunner(snapshot.database)
  }

  func begin() throws {
    try comment("For a copy of the store that no program has open: sqlite3 -bail COPY < FILE")
    try comment("The rows are not recorded in its history.")
    try writer.writeLine("BEGIN IMMEDIATE;")
  }

  func finish() throws { try writer.writeLine("COMMIT;") }

  /// Writes the statements of an object.
  func write(_ lost: LostObject) throws {
    try comment(
      "\(lost.object)"
        + (lost.deletion.map { ", deleted in transaction \($0.transaction)" } ?? ""))
    for property in lost.properties {
      if case .unknown(let reason) = property.knowledge {
        try comment("\(property.name) is not known: \(reason)")
      }
    }
    guard let table = schema.tables.table(of: lost.object.entityName),
      let present = schema.presentColumns[table.name],
      Self.arePrintable([table.name] + present.keys)
    else {
      return try comment("its table is missing, or has unprintable names: no row is inserted")
    }
    let row = lost.row.map { Array(zip($0.columns, $0.values)) } ?? knownRow(lost, table)
    guard try !exists(lost.object.primaryKey, in: table.name) else {
      return try comment("another row has its key: no row is inserted")
    }
    if let trigger = schema.frameworkTriggers[table.name] {
      try comment("the table has triggers that only Core Data can run: \(trigger)")
    }
    try noteMissing(lost)
    try insert(row.filter { present[$0.0] != nil }, into: table.name)
    for relationship in schema.relationships(of: lost.object.entityName) {
      switch lost[relationship.name] {
      case .known(.objects(let members), _):
        for member in members { try relate(lost, relationship, to: member) }
      case .known(.object(let target?), _): try relateBack(lost, relationship, target)
      case .known, .unknown: continue
      }
    }
  }

  /// The columns whose values are known of an object without a row in the log.
  private func knownRow(
    _ lost: LostObject, _ table: EntityTables.Table
  ) -> [(String, StoredValue)] {
    var row: [(String, StoredValue)] = [
      ("Z_PK", .integer(lost.object.primaryKey)),
      ("Z_ENT", lost.entityNumber.map(StoredValue.integer) ?? .null), ("Z_OPT", .integer(1)),
    ]
    let properties = schema.columns(of: lost.object.entityName)?.values ?? []
    for property in properties.sorted(by: { $0.columnName < $1.columnName }) {
      guard case .known(let value, _) = lost[property.path] else { continue }
      let name = property.columnName
      switch (value, property.storage) {
      case (.stored(.blob(let bytes), _), _) where property.keepsLargeValues:
        row.append((name, LargeValueColumn.inline(bytes).stored))
      case (.stored(let value, _), _): row.append((name, value))
      case (.file(let file), _) where property.keepsLargeValues:
        row.append((name, LargeValueColumn.file(file).stored))
      case (.object(let target?), .columns(_, let entityKey, _)?):
        row.append((name, target.primaryKey.map(StoredValue.integer) ?? .null))
        if let entityKey, let number = schema.numbering.number(of: target.entityName) {
          row.append((entityKey.name, .integer(number)))
        }
      default: continue
      }
    }
    return row
  }

  private func exists(_ primaryKey: Int64, in table: String) throws -> Bool {
    try statement.integer(
      "SELECT 1 FROM \(quoted(table)) WHERE Z_PK = ?1", [.integer(primaryKey)]) != nil
  }

  /// Names the destinations of to-one relationships that the store does not have.
  private func noteMissing(_ lost: LostObject) throws {
    for property in lost.properties {
      guard case .object(let target?)? = property.value, let key = target.primaryKey,
        let table = schema.tables.table(of: target.entityName)?.name,
        schema.presentColumns[table] == nil ? true : try !exists(key, in: table)
      else { continue }
      try comment(
        "\(property.name) leads to \(target.entityName)/p\(key), which is not in the store")
    }
  }

  private func insert(
    _ row: [(column: String, value: StoredValue)], into table: String, orIgnore: Bool = false
  ) throws {
    let names = row.map { quoted($0.column) }.joined(separator: ", ")
    try writer.write(
      "INSERT \(orIgnore ? "OR IGNORE " : "")INTO \(quoted(table)) (\(names)) VALUES (")
    for (index, (_, value)) in row.enumerated() {
      try writer.write((index > 0 ? ", " : "") + SQLLiteral.text(value))
    }
    try writer.writeLine(");")
  }

  /// Relates a member of a to-many relationship to the object again.
  private func relate(
    _ lost: LostObject, _ relationship: StoredProperty, to member: StoreObject
  ) throws {
    guard let key = member.primaryKey else { return }
    let owner = lost.object.primaryKey
    switch relationship.storage {
    case .inverseColumns(let column, let entityKey, _):
      try point(member, key, columns(of: lost, column, entityKey))
    case .hidden(let column): try point(member, key, [(column.name, owner)])
    case .join(let join, let end):
      guard schema.presentColumns[join.name] != nil,
        Self.arePrintable([join.name] + join.columnNames)
      else { return }
      let columns = join.columns(from: end)
      var pair = [owner, key]
      // One row represents both directions, with the lower key first.
      if join.isReflexive { pair.sort() }
      try insert(
        [(columns.owner, .integer(pair[0])), (columns.member, .integer(pair[1]))],
        into: join.name, orIgnore: true)
    case .value, .columns, nil: return
    }
  }

  /// Relates the destination of a one-to-one relationship to the object again.
  private func relateBack(
    _ lost: LostObject, _ relationship: StoredProperty, _ target: StoreObject
  ) throws {
    guard let key = target.primaryKey, let inverse = relationship.inverse, !inverse.isToMany,
      let back = try? schema.relationship(inverse.name, of: target.entityName),
      case .columns(let column, let entityKey, _)? = back.storage
    else { return }
    try point(target, key, columns(of: lost, column, entityKey))
  }

  /// Returns the columns that lead to the object.
  private func columns(
    of lost: LostObject, _ column: EntityTables.Column, _ entityKey: EntityTables.Column?
  ) -> [(name: String, value: Int64)] {
    [(column.name, lost.object.primaryKey)]
      + (entityKey.map { [($0.name, lost.entityNumber ?? 0)] } ?? [])
  }

  /// Sets the columns of a member that leads to no other object.
  private func point(
    _ member: StoreObject, _ key: Int64, _ columns: [(name: String, value: Int64)]
  ) throws {
    guard let table = schema.tables.table(of: member.entityName)?.name,
      schema.presentColumns[table] != nil, let first = columns.first,
      Self.arePrintable([table] + columns.map(\.name))
    else { return }
    let list = columns.map { "\(quoted($0.name)) = \($0.value)" }.joined(separator: ", ")
    try writer.writeLine(
      "UPDATE \(quoted(table)) SET \(list) WHERE Z_PK = \(key) AND \(quoted(first.name)) IS NULL;")
  }

  /// Whether names can be written as they are.
  private static func arePrintable(_ names: some Sequence<String>) -> Bool {
    names.allSatisfy { $0 == TerminalText.terminal.escaped($0) }
  }

  private func comment(_ text: String) throws {
    try writer.writeLine("-- " + TerminalText.terminal.escaped(text))
  }
}

/// Values as SQL literals, of printable characters alone.
private enum SQLLiteral {
  static func text(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(.min): "(-9223372036854775807 - 1)"
    case .integer(let number): "\(number)"
    case .real(let number) where number.isInfinite: number < 0 ? "-9e999" : "9e999"
    case .real(let number): real(number)
    case .text(let text):
      text == TerminalText.terminal.escaped(text)
        ? "'" + text.replacing("'", with: "''") + "'"
        : "CAST(X'\(Hexadecimal.text(of: Array(text.utf8)))' AS TEXT)"
    case .malformedText(let bytes): "CAST(X'\(Hexadecimal.text(of: bytes))' AS TEXT)"
    case .blob(let bytes): "X'\(Hexadecimal.text(of: bytes))'"
    }
  }

  /// Writes a number that SQLite reads back to its last bit.
  ///
  /// SQLite rounds decimals of more than 15 digits differently, so such a number is written as a fraction of two
  /// numbers that it reads exactly.
  private static func real(_ number: Double) -> String {
    let text = "\(number)"
    let digits = text.prefix { $0 != "e" }.count(where: \.isNumber)
    guard digits > 15, number.isNormal, (-10..<52).contains(number.exponent) else { return text }
    let denominator = Double(sign: .plus, exponent: 52 - number.exponent, significand: 1)
    return "(\(Int64(number * denominator)).0 / \(UInt64(denominator)).0)"
  }
}
