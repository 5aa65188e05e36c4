import DurableFiles
import GRDB

/// The schema for reading and writing a store's objects: its model, entity numbers, tables, columns and
/// triggers.
package struct ObjectSchema: Sendable {
  package let path: String
  package let model: ManagedModel
  package let numbering: EntityNumbering
  package let tables: EntityTables
  package let history: HistoryTables
  /// Whether any attribute may have values in files of their own.
  package let keepsLargeValues: Bool
  private let slotsByName: LazySlots
  private let plans = LazyColumns()
  /// The columns of the tables that are really there, with the types they are declared with.
  package let presentColumns: [String: [String: String]]
  /// Tables with triggers that call functions of the frameworks.
  package let frameworkTriggers: [String: String]
  private let stamp: Stamp

  /// Values that change when a store is migrated or gets another model.
  struct Stamp: Hashable, Sendable {
    let version: Int64
    /// The digest of the properties, which may be large.
    let properties: [UInt8]

    init(_ statement: StatementRunner) throws {
      version = try statement.integer("PRAGMA schema_version") ?? 0
      let cursor = try statement.cursor(
        "SELECT Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      defer { cursor.reset() }
      var hasher = SHA256Hasher()
      if try cursor.step() { hasher.update(cursor.bytes(at: 0)) }
      properties = hasher.digest
    }
  }

  package init(database: Database, path: String) throws {
    let layout = try StoreLayout(database: database, path: path)
    try self.init(
      database, layout, ModelCache.read(database, layout).cache, path)
  }

  init(_ database: Database, _ layout: StoreLayout, _ cache: ModelCache, _ path: String) throws {
    self.path = path
    guard let history = layout.history else { throw StoreError.withoutHistory(path: path) }
    for table in ["Z_METADATA", "Z_PRIMARYKEY"] where !layout.tableNames.contains(table) {
      throw StoreError.damaged(path: path, place: "its tables", detail: "\(table) is missing")
    }
    self.history = history
    stamp = try Stamp(StatementRunner(database))
    numbering = try EntityNumbering(database: database, layout: layout, path: path)
    switch cache {
    case .model(let model): self.model = model
    case .missing:
      throw StoreError.withoutModel(path: path, reason: "the model cache is empty")
    case .unreadable(let reason): throw StoreError.withoutModel(path: path, reason: reason)
    }
    do {
      tables = try EntityTables(
        model: model, numbering: EntityNumbering(entries: numbering.modelEntries)
      ) { try TableDeclaration.columns(of: $0, in: database).map(\.name) }
    } catch StoreError.invalidModel(let detail) {
      throw StoreError.withoutModel(path: path, reason: detail)
    }
    slotsByName = LazySlots(model)
    keepsLargeValues = model.entities.values.contains { entity in
      entity.attributes.contains { $0.storedElements.contains(where: \.keepsLargeValues) }
    }
    let names = tables.tables.map(\.name) + tables.joinTables.map(\.name)
    var columns: [String: [String: String]] = [:]
    for name in names where layout.tableNames.contains(name) {
      for column in try TableDeclaration.columns(of: name, in: database) {
        columns[name, default: [:]][column.name] = column.type
      }
    }
    presentColumns = columns
    frameworkTriggers = try Self.frameworkTriggers(database)
  }

  /// SQLite's number of the schema, which changes with the tables.
  package var version: Int64 { stamp.version }

  /// Returns whether the schema is still that of the store.
  package func isCurrent(_ statement: StatementRunner) throws -> Bool {
    try Stamp(statement) == stamp
  }

  /// Whether another schema has the same model in the same tables.
  package func hasSameTables(as other: ObjectSchema) -> Bool {
    func names(_ schema: ObjectSchema) -> [String] {
      schema.numbering.modelEntries.map { "\($0.number) \($0.superNumber) \($0.name)" }
    }
    return model == other.model && presentColumns == other.presentColumns
      && names(self) == names(other)
  }

  /// Only Core Data's SQLite has its functions: elsewhere, a statement that fires a trigger with one of them
  /// cannot be prepared.
  private static func frameworkTriggers(_ database: Database) throws -> [String: String] {
    var triggers: [String: String] = [:]
    let rows = try StatementRunner(database).rows(
      """
      SELECT tbl_name, name FROM sqlite_master
      WHERE type = 'trigger' AND instr(sql, 'NSCoreData') > 0 ORDER BY name DESC
      """)
    for row in rows {
      if case .text(let table) = row[0], case .text(let name) = row[1] { triggers[table] = name }
    }
    return triggers
  }

  // MARK: - Looking things up

  /// The number of an entity that the model has.
  package func number(of entityName: String) throws -> Int64 {
    guard model.entities[entityName] != nil, let number = numbering.number(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    return number
  }

  /// Checks that a column is there with the type that the model asks for.
  package func check(_ column: EntityTables.Column, of table: EntityTables.Table) throws {
    try check(column, of: table.name)
  }

  private func check(_ column: EntityTables.Column, of table: String) throws {
    guard presentColumns[table]?[column.name] == column.declaredType else {
      throw StoreError.unexpectedTable(
        table: table,
        detail: "it has no column \(column.name) of type \(column.declaredType)")
    }
  }

  /// Checks that every table of the model is there with its columns.
  ///
  /// - Throws: ``StoreError/unexpectedTable(table:detail:)``.
  package func checkTables() throws {
    let wanted =
      tables.tables.map { ($0.name, ["Z_PK", "Z_ENT", "Z_OPT"] + $0.columns.map(\.name)) }
      + tables.joinTables.map { ($0.name, $0.columnNames) }
    for (table, columns) in wanted { try check(table, has: columns) }
  }

  /// Checks that a table is there and has some columns.
  package func check(_ table: String, has columns: [String]) throws {
    guard let present = presentColumns[table] else {
      throw StoreError.unexpectedTable(table: table, detail: "it is missing")
    }
    if let missing = columns.first(where: { present[$0] == nil }) {
      throw StoreError.unexpectedTable(table: table, detail: "it has no column \(missing)")
    }
  }

  package func slots(of entityName: String) throws -> EntitySlots {
    guard let slots = slotsByName.slots(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    return slots
  }

  /// Returns the plan of an entity's columns; `nil` if the model does not have the entity.
  package func columns(of entityName: String) -> EntityColumns? {
    plans.columns(of: entityName) {
      EntityColumns(
        of: entityName, model, tables, slots: slotsByName.slots(of: entityName))
    }
  }

  /// Returns whether the store has all columns of a property of an object's own row.
  package func has(_ property: StoredProperty) -> Bool {
    let present = property.table.flatMap { presentColumns[$0] }
    return property.columns.allSatisfy { present?[$0.name] != nil }
  }

  /// Checks that the columns of a property of an object's own row are there with the types that the model asks for.
  package func check(_ property: StoredProperty) throws {
    guard let table = property.table else {
      throw StoreError.unknownProperty(entity: property.entityName, property: property.path)
    }
    for column in property.columns { try check(column, of: table) }
  }

  /// All relationships of an entity that the store keeps.
  package func relationships(of entityName: String) -> [StoredProperty] {
    columns(of: entityName)?.relationships ?? []
  }

  package func relationship(_ name: String, of entityName: String) throws -> StoredProperty {
    guard let property = columns(of: entityName)?[name], property.relationship != nil else {
      throw StoreError.unknownProperty(entity: entityName, property: name)
    }
    return property
  }

  /// Whether an entity is another or inherits from it.
  package func isKind(_ entityName: String, of other: String) -> Bool {
    model.lineage(of: entityName)?.contains { $0.name == other } ?? false
  }
}

extension ObjectSchema {
  /// The model with the store's indexes for it, which the model cache does not contain.
  package func indexedModel(_ statement: StatementRunner) throws -> ManagedModel {
    var indexes: [String: [[String]]] = [:]
    for table in tables.tables {
      let paths = Dictionary(keepingFirst: table.columns.map { ($0.name, $0.path) })
      let present = try statement.rows(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 ORDER BY name",
        [.text(table.name)])
      for index in present {
        guard case .text(let name) = index[0] else { continue }
        let owner = table.memberNames.first {
          name.hasPrefix(EntityTables.indexPrefix(of: $0))
        }
        guard let owner else { continue }
        let columns = try statement.rows(
          "SELECT name FROM pragma_index_info(?1) ORDER BY seqno", [.text(name)])
        let properties = columns.enumerated().compactMap { place, row -> String? in
          let path: String? =
            if case .text(let column)? = row.first {
              paths[column]
            } else if case .text(let sql) = index[1] {
              // An expression, which only the statement shows.
              EntityTables.lastColumn(ofElement: place, in: sql).flatMap { paths[$0] }
            } else {
              nil
            }
          return path.map(ManagedAttribute.propertyName)
        }
        indexes[owner, default: []].append(properties)
      }
    }
    guard !indexes.isEmpty else { return model }
    return ManagedModel(
      entities: model.entities.values.map { entity in
        ManagedEntity(
          name: entity.name, superentityName: entity.superentityName,
          isAbstract: entity.isAbstract, properties: entity.properties,
          uniquenessConstraints: entity.uniquenessConstraints,
          indexes: indexes[entity.name] ?? [])
      }, versionIdentifiers: model.versionIdentifiers)
  }
}
