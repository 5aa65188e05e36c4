import StoreFormat

/// Captures the values of rows that a save updates, before and after it writes them.
///
/// Both are read from the store itself: the recorded values are those of the store, not those that a
/// context believed to be there, and in the form in which SQLite keeps them.
final class ValueCapture {
  /// The property whose value a column holds.
  private struct Subject {
    enum Role {
      case attribute(AttributeType)
      /// An attribute whose large values are in files of their own.
      case large
      /// A to-one relationship; another column has the entity's number if the destination has
      /// sub-entities.
      case object(destination: String, entityKey: String?)
    }

    let name: String
    let role: Role
  }

  private let schema: ObjectSchema
  private let statement: StatementRunner
  private let largeValues: LargeValueWriter
  /// The properties by table and column.
  private var subjects: [String: [String: Subject]] = [:]
  /// The large values before they were first written; their files are removed later.
  private var largeBefore: [SaveWriter.Row: [String: RecordedContent]] = [:]
  /// The columns of rows before they were first written.
  private var before: [SaveWriter.Row: [String: StoredValue]] = [:]

  init(schema: ObjectSchema, statement: StatementRunner, largeValues: LargeValueWriter) {
    self.schema = schema
    self.statement = statement
    self.largeValues = largeValues
  }

  /// Captures columns of a row that are about to be written.
  func note(_ columns: [String], of row: SaveWriter.Row, in table: EntityTables.Table) throws {
    let subjects = subjects(of: table)
    var names: [String] = []
    for name in columns {
      guard let subject = subjects[name], before[row]?[name] == nil else { continue }
      names.append(name)
      if case .object(_, let entityKey?) = subject.role { names.append(entityKey) }
    }
    guard !names.isEmpty else { return }
    for (name, value) in zip(names, try read(names, of: row, in: table)) {
      before[row, default: [:]][name] = value
      if case .large? = subjects[name]?.role { largeBefore[row, default: [:]][name] = large(value) }
    }
  }

  /// Returns the old and new values of a row, sorted by name.
  func values(of row: SaveWriter.Row) throws -> [RecordedValue] {
    guard let old = before[row] else { return [] }
    let table = try schema.table(of: row.entityName)
    let subjects = subjects(of: table)
    let names = old.keys.sorted(by: ordinally)
    let new = Dictionary(
      zip(names, try read(names, of: row, in: table)), uniquingKeysWith: { first, _ in first })
    var values: [RecordedValue] = []
    for name in names {
      guard let subject = subjects[name] else { continue }
      switch subject.role {
      case .attribute(let type):
        // A column may keep a date of whole seconds as an integer.
        func content(_ value: StoredValue?) -> RecordedContent {
          RecordedContent(type.restoring(value ?? .null))
        }
        values.append(
          RecordedValue(
            name: subject.name, kind: RecordedValue.Kind(type), old: content(old[name]),
            new: content(new[name])))
      case .large:
        // A value whose file cannot be read is not recorded; the save is more important.
        guard let before = largeBefore[row]?[name], let after = large(new[name] ?? .null) else {
          continue
        }
        values.append(
          RecordedValue(name: subject.name, kind: .data, old: before, new: after))
      case .object(let destination, let entityKey):
        func object(_ columns: [String: StoredValue]) -> RecordedContent {
          .value(self.object(columns[name], entityKey.flatMap { columns[$0] }, destination))
        }
        values.append(
          RecordedValue(name: subject.name, kind: .object, old: object(old), new: object(new)))
      }
    }
    return values.sorted { ordinally($0.name, $1.name) }
  }

  /// Returns the value of a column that may be in a file; `nil` if the file cannot be read.
  private func large(_ stored: StoredValue) -> RecordedContent? {
    guard case .blob(let bytes) = stored else { return .value(stored) }
    switch try? LargeValueColumn(bytes) {
    case .inline(let bytes): return RecordedContent(.blob(bytes))
    case .file(let name):
      return (try? largeValues.bytes(of: name)).map { RecordedContent(.blob($0)) }
    case nil: return nil
    }
  }

  private func object(
    _ key: StoredValue?, _ entity: StoredValue?, _ destination: String
  ) -> StoredValue {
    guard case .integer(let key)? = key else { return .null }
    var name = destination
    if case .integer(let number)? = entity { name = schema.numbering.name(of: number) ?? name }
    return .text("\(name)/p\(key)")
  }

  private func read(
    _ columns: [String], of row: SaveWriter.Row, in table: EntityTables.Table
  ) throws -> [StoredValue] {
    let list = columns.map(quoted).joined(separator: ", ")
    let rows = try statement.rows(
      "SELECT \(list) FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(row.primaryKey)])
    return rows.first ?? columns.map { _ in .null }
  }

  private func subjects(of table: EntityTables.Table) -> [String: Subject] {
    if let known = subjects[table.name] { return known }
    var found: [String: Subject] = [:]
    for column in table.columns {
      switch column.role {
      case .attribute(let attribute):
        found[column.name] = Subject(
          name: column.path,
          role: attribute.keepsLargeValues ? .large : .attribute(attribute.type))
      case .toOne:
        let property = schema.model.entities[column.entityName]?.propertiesByName[column.path]
        let columns = schema.tables.toOneColumns(column.path, declaredIn: column.entityName)
        found[column.name] = Subject(
          name: column.path,
          role: .object(
            destination: property?.relationship?.destinationName ?? "",
            entityKey: columns?.entityKey?.name))
      case .entityKey, .orderKey, .hiddenToOne: break
      }
    }
    subjects[table.name] = found
    return found
  }
}
