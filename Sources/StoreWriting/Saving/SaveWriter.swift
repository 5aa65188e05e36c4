import GRDB
import StoreFormat
import StoreTransactions

/// Writes one save into the tables of entities, and collects the change of each object.
///
/// It writes rows immediately, inside the editor's SQLite transaction. Destinations of relationships and
/// the objects that a deletion cascades to are read from the store as it is at that point.
final class SaveWriter {
  struct Row: Hashable {
    let entityName: String
    let primaryKey: Int64
  }

  let schema: ObjectSchema
  let statement: StatementRunner
  private let largeValues: LargeValueWriter
  /// Captures old and new values; `nil` if they are not recorded.
  private let capture: ValueCapture?

  /// The old and new values of updates, if they are recorded, by the place of the change.
  private(set) var values: [Int: [RecordedValue]] = [:]
  /// The kind of change of each object that the save touches.
  private(set) var kinds: [Row: ChangeKind] = [:]
  private var inserted: [Row] = []
  private var updated: [Row] = []
  private var deleted: [Row] = []
  private var touchedSlots: [Row: Set<Int>] = [:]
  private var tombstones: [Row: [StoredValue]] = [:]
  private var verified: Set<Row> = []
  private var rowsByEntity: [String: EntityRows] = [:]
  private var lastRows: EntityRows?
  /// The primary keys of the objects that the save inserts.
  private(set) var primaryKeys: [StoreObject: Int64] = [:]
  /// The required to-one relationships that have no destination so far.
  private var missingLinks: [Row: Set<String>] = [:]
  /// The objects that the save itself deletes, which cannot deny the deletion of others.
  var deletedRows: Set<Row> = []
  /// The destinations of to-one relationships whose columns are empty until they get new ones.
  var released: [Row: [String: Row]] = [:]
  /// The values of attributes whose columns are empty until they get new ones.
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
  }

  /// Writes everything except the history, and returns its changes, which have no numbers yet: inserts, updates,
  /// deletes.
  func write(_ save: StoreSave) throws -> [RecordedChange] {
    let save = try save.toleratesDeletions ? save.reduced(to: exists) : save
    // A unique value may move from a deleted object to another one, so values are written after
    // deletions; relationships before them, because a deletion cascades along them.
    let valuesComeLast = !save.deleted.isEmpty
    try allocateKeys(for: save)
    // A unique value may also move from an updated object to a new one.
    for (object, _) in save.updated { try touch(try row(of: object)) }
    try releaseLinks(of: save, withValues: valuesComeLast)
    if !valuesComeLast { try setAll(save.updated) }
    for (object, content) in save.inserted {
      try insert(object, content.values, isBare: valuesComeLast)
    }
    for (object, content) in save.inserted + save.updated {
      try relate(try row(of: object), content)
    }
    deletedRows = Set(try save.deleted.map(row))
    for object in save.deleted { try delete(try row(of: object)) }
    if valuesComeLast {
      try setAll(save.updated)
      for (object, content) in save.inserted {
        let rows = try rows(of: object.entityName)
        let values = try rows.values(content.values)
        try setIfPresent(
          Dictionary(keepingFirst: zip(rows.attributes.lazy.map(\.path), values)), of: object)
      }
    }
    try checkLinks()
    return try changes()
  }

  /// Notes the new destination of a to-one relationship, or that it has none.
  func note(_ relationship: StoredProperty, of row: Row, leadsTo target: Row?) {
    guard !relationship.isOptional else { return }
    if target == nil {
      missingLinks[row, default: []].insert(relationship.name)
    } else {
      missingLinks[row]?.remove(relationship.name)
    }
  }

  /// Checks that required to-one relationships have destinations.
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

  /// Returns the row of an object, after checking that it exists.
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
      guard try statement.integer(in: "Z_ENT", of: table, primaryKey) == number else {
        throw StoreWriteError.missingObject(entity: object.entityName, primaryKey: primaryKey)
      }
      verified.insert(row)
      return row
    }
  }

  /// Returns whether an object is in the store or will be.
  private func exists(_ object: StoreObject) throws -> Bool {
    guard object.primaryKey != nil else { return true }
    do {
      _ = try row(of: object)
      return true
    } catch StoreWriteError.missingObject {
      return false
    }
  }

  private func allocateKeys(for save: StoreSave) throws {
    var byRoot: [String: [StoreObject]] = [:]
    var roots: [String] = []
    for (object, _) in save.inserted {
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
      let new = objects.filter { save.formerKeys[$0] == nil }
      let first = try statement.nextNumber(
        entityNumber: try schema.number(of: root), entityName: root,
        table: try schema.table(of: root).name, count: new.count,
        atLeast: objects.compactMap { save.formerKeys[$0] }.max() ?? 0)
      // Counted from the first: the number after the last may not exist.
      for (offset, object) in new.enumerated() { primaryKeys[object] = first + Int64(offset) }
      for object in objects { primaryKeys[object] = save.formerKeys[object] ?? primaryKeys[object] }
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

  /// Marks an object as updated, unless the save inserts or deletes it.
  func touch(_ row: Row) throws {
    guard kinds[row] == nil else { return }
    _ = try schema.table(of: row.entityName)
    kinds[row] = .update
    updated.append(row)
  }

  /// Marks the slots of a property as touched.
  func mark(_ row: Row, _ property: String, _ roles: Set<EntitySlots.Role>) throws {
    try touch(row)
    guard kinds[row] == .update else { return }
    for (index, slot) in try schema.slots(of: row.entityName).slots.enumerated()
    where slot.name == property && roles.contains(slot.role) {
      touchedSlots[row, default: []].insert(index)
    }
  }

  func set(_ columns: [(name: String, value: StoredValue)], of row: Row) throws {
    guard !columns.isEmpty else { return }
    let table = try schema.table(of: row.entityName)
    // A new row has no old values.
    if kinds[row] != .insert { try capture?.note(columns.map(\.name), of: row) }
    let list = columns.map { "\(quoted($0.name)) = ?" }.joined(separator: ", ")
    try statement.run(
      "UPDATE \(quoted(table.name)) SET \(list) WHERE Z_PK = ?",
      columns.map(\.value) + [.integer(row.primaryKey)])
  }

  /// Reads the preserved values of a row and deletes it.
  func remove(_ row: Row) throws {
    let table = try schema.table(of: row.entityName)
    // An object that the save itself inserted leaves no trace.
    if kinds[row] != .insert {
      tombstones[row] = try tombstone(of: row)
      deleted.append(row)
    }
    let rows = try rows(of: row.entityName)
    try noteReplaced(rows.largePlaces.map { rows.attributes[$0].columnName }, of: row)
    kinds[row] = .delete
    try statement.run(
      "DELETE FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(row.primaryKey)])
  }

  // MARK: - Values

  func rows(of entityName: String) throws -> EntityRows {
    // Objects of one entity often follow each other.
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
      if value.isNull && attribute.isRequired {
        throw StoreWriteError.missingValue(entity: row.entityName, attribute: attribute.path)
      }
      if attribute.keepsLargeValues {
        try noteReplaced([attribute.columnName], of: row)
        columns.append(
          (attribute.columnName, try largeValues.column(for: value, of: object, attribute.path)))
      } else {
        columns.append((attribute.columnName, value))
      }
      try mark(row, attribute.name, [.attribute])
    }
    try set(columns, of: row)
  }

  /// Notes the files that columns of a row name and that are about to become obsolete.
  private func noteReplaced(_ columns: [String], of row: Row) throws {
    guard !columns.isEmpty else { return }
    let table = try schema.table(of: row.entityName)
    let list = columns.map { "substr(\(quoted($0)), 1, \(LargeValueColumn.nameLength))" }
    let found = try statement.rows(
      "SELECT \(list.joined(separator: ", ")) FROM \(quoted(table.name)) WHERE Z_PK = ?",
      [.integer(row.primaryKey)])
    found.first?.forEach(largeValues.replaces)
  }

  private func tombstone(of row: Row) throws -> [StoredValue] {
    let preserved = try schema.slots(of: row.entityName).tombstoneAttributes
    guard !preserved.isEmpty else { return [] }
    let table = try schema.table(of: row.entityName)
    let columns = try rows(of: row.entityName).attributes
    return try preserved.map { attribute in
      // Values in files beside the store are not preserved.
      guard !attribute.allowsExternalStorage,
        let column = columns.first(where: { $0.path == attribute.name })
      else { return .null }
      let value =
        try withheld[row]?[column.columnName]
        ?? statement.columns([column.columnName], of: table, row.primaryKey)?.first
      return attribute.type.restoring(value ?? .null)
    }
  }

  // MARK: - Changes

  private func changes() throws -> [RecordedChange] {
    var changes: [RecordedChange] = []
    for row in inserted where kinds[row] == .insert {
      changes.append(try change(.insert, row))
    }
    for row in updated where kinds[row] == .update {
      let table = try schema.table(of: row.entityName)
      try statement.run(
        "UPDATE \(quoted(table.name)) SET Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?",
        [.integer(row.primaryKey)])
      if let capture { values[changes.count] = try capture.values(of: row) }
      changes.append(try change(.update, row))
    }
    for row in deleted { changes.append(try change(.delete, row)) }
    return changes
  }

  private func change(_ kind: ChangeKind, _ row: Row) throws -> RecordedChange {
    var mask: ColumnMask?
    if kind == .update {
      mask = ColumnMask(
        slotCount: try schema.slots(of: row.entityName).slots.count,
        settingSlots: touchedSlots[row] ?? [])
    }
    return RecordedChange(
      number: 0, kind: kind, entityNumber: try rows(of: row.entityName).number,
      primaryKey: row.primaryKey, mask: mask, tombstone: tombstones[row] ?? [])
  }
}
