import GRDB
import StoreFormat

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

  let schema: ObjectSchema
  let statement: StatementRunner
  private let largeValues: LargeValueWriter
  private let numbers: RowNumbers
  /// Notes old and new values; nil where nobody wants them.
  private let capture: ValueCapture?

  /// What becomes of each object that the save touches.
  private(set) var kinds: [Row: ChangeKind] = [:]
  private var inserted: [Row] = []
  private var updated: [Row] = []
  private var deleted: [Row] = []
  private var touchedSlots: [Row: Set<Int>] = [:]
  private var tombstones: [Row: [StoredValue]] = [:]
  private var verified: Set<Row> = []
  private var rowsByEntity: [String: EntityRows] = [:]
  private var lastRows: EntityRows?
  /// The keys of the objects that the save inserts.
  private(set) var primaryKeys: [StoreObject: Int64] = [:]
  /// The to-one relationships that must lead to an object, and lead to none so far.
  private var missingLinks: [Row: Set<String>] = [:]
  /// The objects that the save deletes by name, which cannot keep others from being deleted.
  var doomed: Set<Row> = []
  /// What to-one relationships lead to whose columns are empty until they get what they are to have.
  var released: [Row: [String: Row]] = [:]
  /// What columns of attributes had that are empty until they get what they are to have.
  var withheld: [Row: [String: StoredValue]] = [:]

  init(
    schema: ObjectSchema, statement: StatementRunner, largeValues: LargeValueWriter,
    capturesValues: Bool = false
  ) {
    self.schema = schema
    self.statement = statement
    self.largeValues = largeValues
    capture =
      capturesValues
      ? ValueCapture(schema: schema, statement: statement, largeValues: largeValues) : nil
    numbers = RowNumbers(statement: statement)
  }

  /// Writes everything but the history, and gives the changes for it: inserts, updates, deletes.
  func write(_ save: StoreSave) throws -> [HistoryAppender.Change] {
    let save = try save.toleratesDeletions ? save.reduced(to: isThere) : save
    // A value that must be unique may move from an object that is deleted to another one, so values
    // come after deletions; but a deletion takes along what relationships then lead to.
    let valuesComeLast = !save.deleted.isEmpty
    try allocateKeys(for: save.inserted.map(\.object))
    // A unique value may also move from one that is updated to a new one.
    for (object, _) in save.updated { try touch(try row(of: object)) }
    try releaseLinks(of: save, withValues: valuesComeLast)
    if !valuesComeLast { try setAll(save.updated) }
    for (object, content) in save.inserted {
      try insert(object, content.values, isBare: valuesComeLast)
    }
    for (object, content) in save.inserted + save.updated {
      try relate(try row(of: object), content)
    }
    doomed = Set(try save.deleted.map(row))
    for object in save.deleted { try delete(try row(of: object)) }
    if valuesComeLast {
      try setAll(save.updated)
      for (object, content) in save.inserted {
        let rows = try rows(of: object.entityName)
        let values = try rows.values(content.values)
        try setIfPresent(
          Dictionary(
            zip(rows.attributes.lazy.map(\.path), values), uniquingKeysWith: { first, _ in first }),
          of: object)
      }
    }
    try checkLinks()
    return try changes()
  }

  /// Notes that a to-one relationship leads to an object, or to none.
  func note(_ relationship: Relationship, of row: Row, leadsTo target: Row?) {
    guard !relationship.isOptional else { return }
    if target == nil {
      missingLinks[row, default: []].insert(relationship.name)
    } else {
      missingLinks[row]?.remove(relationship.name)
    }
  }

  /// Refuses an object that would have nothing where its model says that it has something.
  private func checkLinks() throws {
    let missing = missingLinks.filter { row, names in
      !names.isEmpty && (kinds[row] == .insert || kinds[row] == .update)
    }
    let first = missing.min {
      ($0.key.entityName, $0.key.primaryKey) < ($1.key.entityName, $1.key.primaryKey)
    }
    if let (row, names) = first, let name = names.min() {
      throw StoreWriteError.missingValue(entity: row.entityName, attribute: name)
    }
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

  /// Whether an object is in the store, or about to be.
  private func isThere(_ object: StoreObject) throws -> Bool {
    guard object.primaryKey != nil else { return true }
    do {
      _ = try row(of: object)
      return true
    } catch StoreWriteError.missingObject {
      return false
    }
  }

  private func allocateKeys(for objects: [StoreObject]) throws {
    var byRoot: [String: [StoreObject]] = [:]
    var roots: [String] = []
    for object in objects {
      let rows = try rows(of: object.entityName)
      guard !rows.isAbstract else {
        throw StoreError.unknownEntity(name: object.entityName, isAbstract: true)
      }
      let root = rows.table.rootName
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
    let rows = try rows(of: object.entityName)
    var content = try rows.values(values)
    if !isBare {
      for place in rows.largePlaces {
        content[place] = try largeValues.column(
          for: content[place], of: object, rows.attributes[place].path)
      }
    }
    try rows.insert(row.primaryKey, isBare ? nil : content, with: statement)
    kinds[row] = .insert
    inserted.append(row)
    if !rows.requiredLinks.isEmpty { missingLinks[row] = Set(rows.requiredLinks) }
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
    // What is new has no value that was there before.
    if kinds[row] != .insert { try capture?.note(columns.map(\.name), of: row, in: table) }
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
    let rows = try rows(of: row.entityName)
    try noteReplaced(rows.largePlaces.map { rows.attributes[$0].column.name }, of: row)
    kinds[row] = .delete
    try statement.run(
      "DELETE FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(row.primaryKey)])
  }

  // MARK: - Values

  /// What is known of an entity's rows.
  func rows(of entityName: String) throws -> EntityRows {
    // Objects of one entity tend to stand together.
    if let lastRows, lastRows.entityName == entityName { return lastRows }
    let rows = try rowsByEntity[entityName] ?? EntityRows(entityName, schema: schema)
    rowsByEntity[entityName] = rows
    lastRows = rows
    return rows
  }

  func setIfPresent(_ values: [String: StoredValue], of object: StoreObject) throws {
    let row = Row(
      entityName: object.entityName,
      primaryKey: object.primaryKey ?? primaryKeys[object] ?? 0)
    if kinds[row] != .delete { try set(values, of: row, object) }
  }

  private func set(
    _ values: [String: StoredValue], of row: Row, _ object: StoreObject
  ) throws {
    let rows = try rows(of: row.entityName)
    try rows.check(values)
    var columns: [(name: String, value: StoredValue)] = []
    for attribute in rows.attributes {
      guard let value = values[attribute.path] else { continue }
      if value.isNull && !attribute.attribute.isOptional && !attribute.path.contains(".") {
        throw StoreWriteError.missingValue(entity: row.entityName, attribute: attribute.path)
      }
      if attribute.attribute.keepsLargeValues {
        try noteReplaced([attribute.column.name], of: row)
        columns.append(
          (attribute.column.name, try largeValues.column(for: value, of: object, attribute.path)))
      } else {
        columns.append((attribute.column.name, value))
      }
      let property = ManagedAttribute.propertyName(ofPath: attribute.path)
      try mark(row, property, [.attribute])
    }
    try set(columns, of: row)
  }

  /// Notes the files that some columns of a row name, which are about to change.
  private func noteReplaced(_ columns: [String], of row: Row) throws {
    guard !columns.isEmpty else { return }
    let table = try schema.table(of: row.entityName)
    let list = columns.map { "substr(\(quoted($0)), 1, \(LargeValueColumn.nameLength))" }
    let found = try statement.rows(
      "SELECT \(list.joined(separator: ", ")) FROM \(quoted(table.name)) WHERE Z_PK = ?",
      [.integer(row.primaryKey)])
    found.first?.forEach(largeValues.replaces)
  }

  /// The preserved values of a row, by slot.
  private func tombstone(of row: Row) throws -> [StoredValue] {
    let preserved = try schema.slots(of: row.entityName).tombstoneAttributes
    guard !preserved.isEmpty else { return [] }
    let table = try schema.table(of: row.entityName)
    let columns = try rows(of: row.entityName).attributes
    return try preserved.map { attribute in
      // Values in files beside the store leave nothing behind.
      guard !attribute.allowsExternalStorage,
        let column = columns.first(where: { $0.path == attribute.name })?.column
      else { return .null }
      if let value = withheld[row]?[column.name] { return attribute.type.restoring(value) }
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
      kind: kind, entityNumber: try rows(of: row.entityName).number,
      primaryKey: row.primaryKey,
      mask: kind == .update
        ? ColumnMask(slotCount: slotCount, settingSlots: touchedSlots[row] ?? []) : nil,
      tombstone: tombstones[row] ?? [],
      values: kind == .update ? try capture?.values(of: row) ?? [] : [])
  }
}
