/// Brings one save into the tables of entities, and notes what it does to which object.
///
/// It works on the rows at once, inside the editor's SQLite transaction: what a relationship's other
/// end holds, and what a deletion takes along, is read from the store as it is at that point.
final class SaveWriter {
  /// A row of an entity's table.
  struct Row: Hashable {
    let entityName: String
    let primaryKey: Int64
  }

  let schema: EditorSchema
  let statement: StatementRunner
  private let numbers: RowNumbers

  /// What becomes of each object that the save touches.
  private(set) var kinds: [Row: ChangeKind] = [:]
  private var inserted: [Row] = []
  private var updated: [Row] = []
  private var deleted: [Row] = []
  private var touchedSlots: [Row: Set<Int>] = [:]
  private var tombstones: [Row: [StoredValue]] = [:]
  private var verified: Set<Row> = []
  private var attributesByEntity: [String: [StoredAttribute]] = [:]
  /// The keys of the objects that the save inserts.
  private(set) var primaryKeys: [StoreObject: Int64] = [:]
  /// The objects that the save deletes by name, which cannot keep others from being deleted.
  var doomed: Set<Row> = []

  init(schema: EditorSchema, statement: StatementRunner) {
    self.schema = schema
    self.statement = statement
    numbers = RowNumbers(statement: statement)
  }

  /// Writes everything but the history, and gives the changes for it: inserts, updates, deletes.
  func write(_ save: StoreSave) throws -> [HistoryAppender.Change] {
    // A value that must be unique may move from an object that is deleted to another one, so values
    // come after deletions; but a deletion takes along what relationships then lead to.
    let valuesComeLast = !save.deleted.isEmpty
    try allocateKeys(for: save.inserted.map(\.object))
    for (object, content) in save.inserted {
      try insert(object, content.values, isBare: valuesComeLast)
    }
    for (object, content) in save.updated {
      let row = try row(of: object)
      try touch(row)
      if !valuesComeLast { try set(content.values, of: row) }
    }
    for (object, content) in save.inserted + save.updated {
      try relate(try row(of: object), content)
    }
    doomed = Set(try save.deleted.map(row))
    for object in save.deleted { try delete(try row(of: object)) }
    if valuesComeLast {
      for (object, content) in save.inserted {
        try setIfPresent(try values(content.values, forNew: object.entityName), of: object)
      }
      for (object, content) in save.updated { try setIfPresent(content.values, of: object) }
    }
    return try changes()
  }

  // MARK: - Rows

  /// The row of an object that the save may use.
  func row(of object: StoreObject) throws -> Row {
    switch object.place {
    case .inserted:
      guard let primaryKey = primaryKeys[object] else {
        throw StoreWriteError.unusableObject(entity: object.entityName)
      }
      return Row(entityName: object.entityName, primaryKey: primaryKey)
    case .stored(let primaryKey):
      let row = Row(entityName: object.entityName, primaryKey: primaryKey)
      if verified.contains(row) { return row }
      let number = try schema.number(of: object.entityName)
      let table = try schema.table(of: object.entityName)
      let found = try statement.integer(
        "SELECT Z_ENT FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(primaryKey)])
      guard found == number else {
        throw StoreWriteError.missingObject(entity: object.entityName, primaryKey: primaryKey)
      }
      verified.insert(row)
      return row
    }
  }

  private func allocateKeys(for objects: [StoreObject]) throws {
    var byRoot: [String: [StoreObject]] = [:]
    var roots: [String] = []
    for object in objects {
      _ = try schema.number(of: object.entityName)
      if schema.model.entities[object.entityName]?.isAbstract ?? false {
        throw StoreWriteError.unknownEntity(name: object.entityName, isAbstract: true)
      }
      let root = try schema.table(of: object.entityName).rootName
      if byRoot[root] == nil { roots.append(root) }
      byRoot[root, default: []].append(object)
    }
    for root in roots {
      let objects = byRoot[root] ?? []
      var key = try numbers.next(
        entityNumber: try schema.number(of: root), entityName: root,
        table: try schema.table(of: root).name, count: objects.count)
      for object in objects {
        primaryKeys[object] = key
        key += 1
      }
    }
  }

  private func insert(
    _ object: StoreObject, _ values: [String: StoredValue], isBare: Bool
  ) throws {
    let row = try row(of: object)
    let table = try schema.table(of: object.entityName)
    let content = try self.values(values, forNew: object.entityName)
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var stored: [StoredValue] = [
      .integer(row.primaryKey), .integer(try schema.number(of: object.entityName)), .integer(1),
    ]
    if !isBare {
      for attribute in try attributes(of: object.entityName) {
        columns.append(attribute.column.name)
        stored.append(content[attribute.path] ?? .null)
      }
    }
    try statement.insert(into: table.name, columns, stored)
    kinds[row] = .insert
    inserted.append(row)
  }

  /// Notes that an object is updated, unless the save inserts or deletes it.
  func touch(_ row: Row) throws {
    guard kinds[row] == nil else { return }
    _ = try schema.table(of: row.entityName)
    kinds[row] = .update
    updated.append(row)
  }

  /// Notes that slots of a property were touched.
  func mark(_ row: Row, _ property: String, _ roles: Set<EntitySlots.Role>) throws {
    try touch(row)
    guard kinds[row] == .update else { return }
    for (index, slot) in try schema.slots(of: row.entityName).slots.enumerated()
    where slot.name == property && roles.contains(slot.role) {
      touchedSlots[row, default: []].insert(index)
    }
  }

  /// Writes columns of a row.
  func set(_ columns: [(name: String, value: StoredValue)], of row: Row) throws {
    guard !columns.isEmpty else { return }
    let table = try schema.table(of: row.entityName)
    let list = columns.map { "\(quoted($0.name)) = ?" }.joined(separator: ", ")
    try statement.run(
      "UPDATE \(quoted(table.name)) SET \(list) WHERE Z_PK = ?",
      columns.map(\.value) + [.integer(row.primaryKey)])
  }

  /// Notes that a row is deleted, after its preserved values were read, and deletes it.
  func remove(_ row: Row) throws {
    let table = try schema.table(of: row.entityName)
    // What the save itself inserted was never there, and leaves nothing behind.
    if kinds[row] != .insert {
      tombstones[row] = try tombstone(of: row)
      deleted.append(row)
    }
    kinds[row] = .delete
    try statement.run(
      "DELETE FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(row.primaryKey)])
  }

  // MARK: - Values

  private struct StoredAttribute {
    let path: String
    let attribute: ManagedAttribute
    let column: EntityTables.Column
  }

  /// The attributes of an entity that have a column, elements of composite ones included.
  private func attributes(of entityName: String) throws -> [StoredAttribute] {
    if let known = attributesByEntity[entityName] { return known }
    let lineage = Set((schema.model.lineage(of: entityName) ?? []).map(\.name))
    let table = try schema.table(of: entityName)
    var attributes: [StoredAttribute] = []
    for column in table.columns where lineage.contains(column.entityName) {
      guard case .attribute(let attribute) = column.role else { continue }
      try schema.check(column, of: table)
      attributes.append(
        StoredAttribute(path: column.path, attribute: attribute, column: column))
    }
    attributesByEntity[entityName] = attributes
    return attributes
  }

  /// The given values of a new object and the defaults of others.
  private func values(
    _ values: [String: StoredValue], forNew entityName: String
  ) throws -> [String: StoredValue] {
    var complete: [String: StoredValue] = [:]
    for attribute in try attributes(of: entityName) {
      let value = values[attribute.path] ?? attribute.attribute.defaultValue ?? .null
      // The elements of a composite attribute are there or not as the whole is.
      if value.isNull && !attribute.attribute.isOptional && !attribute.path.contains(".") {
        throw StoreWriteError.missingValue(entity: entityName, attribute: attribute.path)
      }
      complete[attribute.path] = value
    }
    try check(values, of: entityName)
    return complete
  }

  private func check(_ values: [String: StoredValue], of entityName: String) throws {
    guard !values.isEmpty else { return }
    let known = Dictionary(
      try attributes(of: entityName).map { ($0.path, $0.attribute) },
      uniquingKeysWith: { first, _ in first })
    for (path, value) in values {
      guard let attribute = known[path] else {
        if schema.model.declaringEntity(of: path, in: entityName)?.propertiesByName[path]?
          .attribute?.type == .composite
        {
          throw StoreWriteError.wrongValue(
            entity: entityName, attribute: path,
            expected: AttributeType.composite.expectedValue, found: value.kindName)
        }
        throw StoreWriteError.unknownProperty(entity: entityName, property: path)
      }
      guard attribute.type.accepts(value) else {
        throw StoreWriteError.wrongValue(
          entity: entityName, attribute: path, expected: attribute.type.expectedValue,
          found: value.kindName)
      }
      if attribute.allowsExternalStorage && !value.isNull {
        throw StoreWriteError.externalStorage(entity: entityName, attribute: path)
      }
    }
  }

  private func setIfPresent(_ values: [String: StoredValue], of object: StoreObject) throws {
    let row = Row(
      entityName: object.entityName,
      primaryKey: object.primaryKey ?? primaryKeys[object] ?? 0)
    if kinds[row] != .delete { try set(values, of: row) }
  }

  private func set(_ values: [String: StoredValue], of row: Row) throws {
    try check(values, of: row.entityName)
    var columns: [(name: String, value: StoredValue)] = []
    for attribute in try attributes(of: row.entityName) {
      guard let value = values[attribute.path] else { continue }
      if value.isNull && !attribute.attribute.isOptional && !attribute.path.contains(".") {
        throw StoreWriteError.missingValue(entity: row.entityName, attribute: attribute.path)
      }
      columns.append((attribute.column.name, value))
      let property = attribute.path.split(separator: ".").first.map(String.init) ?? attribute.path
      try mark(row, property, [.attribute])
    }
    try set(columns, of: row)
  }

  /// The preserved values of a row, by slot.
  private func tombstone(of row: Row) throws -> [StoredValue] {
    let preserved = try schema.slots(of: row.entityName).tombstoneAttributes
    guard !preserved.isEmpty else { return [] }
    let table = try schema.table(of: row.entityName)
    let columns = try attributes(of: row.entityName)
    return try preserved.map { attribute in
      // Values in files beside the store, and composite ones, leave nothing behind.
      guard !attribute.allowsExternalStorage,
        let column = columns.first(where: { $0.path == attribute.name })?.column
      else { return .null }
      let value = try statement.rows(
        "SELECT \(quoted(column.name)) FROM \(quoted(table.name)) WHERE Z_PK = ?",
        [.integer(row.primaryKey)])
      return attribute.type.restoring(value.first?.first ?? .null)
    }
  }

  // MARK: - Changes

  private func changes() throws -> [HistoryAppender.Change] {
    var changes: [HistoryAppender.Change] = []
    for row in inserted where kinds[row] == .insert {
      changes.append(try change(.insert, row))
    }
    for row in updated where kinds[row] == .update {
      let table = try schema.table(of: row.entityName)
      try statement.run(
        "UPDATE \(quoted(table.name)) SET Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?",
        [.integer(row.primaryKey)])
      changes.append(try change(.update, row))
    }
    for row in deleted { changes.append(try change(.delete, row)) }
    return changes
  }

  private func change(_ kind: ChangeKind, _ row: Row) throws -> HistoryAppender.Change {
    let slotCount = kind == .update ? try schema.slots(of: row.entityName).slots.count : 0
    return HistoryAppender.Change(
      kind: kind, entityNumber: try schema.number(of: row.entityName),
      primaryKey: row.primaryKey,
      mask: kind == .update
        ? ColumnMask(slotCount: slotCount, settingSlots: touchedSlots[row] ?? []) : nil,
      tombstone: tombstones[row] ?? [])
  }
}
