import GRDB

/// What an editor has to know of a store before it can write: model, numbers, tables and triggers.
struct EditorSchema: Sendable {
  let path: String
  let model: ManagedModel
  let numbering: EntityNumbering
  let tables: EntityTables
  let history: HistoryTables
  /// The attributes by entity whose large values stand in files.
  let largeAttributes: [String: Set<String>]
  private let slotsByName: LazySlots
  /// The columns of the tables that are really there, with the types they are declared with.
  private let presentColumns: [String: [String: String]]
  /// Tables with triggers that call functions of the frameworks.
  private let frameworkTriggers: [String: String]
  private let stamp: Stamp

  /// What moves when a store is migrated or given another model.
  struct Stamp: Hashable, Sendable {
    let version: Int64
    let properties: StoredValue

    init(_ statement: StatementRunner) throws {
      version = try statement.integer("PRAGMA schema_version") ?? 0
      properties =
        try statement.rows("SELECT Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1").first?
        .first ?? .null
    }
  }

  init(database: Database, path: String) throws {
    self.path = path
    let layout = try StoreLayout(database: database, path: path)
    guard let history = layout.history else { throw StoreError.withoutHistory(path: path) }
    for table in ["Z_METADATA", "Z_PRIMARYKEY"] where !layout.tableNames.contains(table) {
      throw StoreError.damaged(path: path, place: "its tables", detail: "\(table) is missing")
    }
    self.history = history
    stamp = try Stamp(StatementRunner(database))
    numbering = try EntityNumbering(database: database, layout: layout, path: path)
    switch ModelCache(try PackedModel(database: database, layout: layout)) {
    case .model(let model): self.model = model
    case .missing:
      throw StoreWriteError.withoutModel(path: path, reason: "the model cache is empty")
    case .unreadable(let reason): throw StoreWriteError.withoutModel(path: path, reason: reason)
    }
    do {
      tables = try EntityTables(
        model: model, numbering: EntityNumbering(entries: numbering.modelEntries))
    } catch StoreWriteError.invalidModel(let detail) {
      throw StoreWriteError.withoutModel(path: path, reason: detail)
    }
    slotsByName = LazySlots(model)
    largeAttributes = model.largeAttributes
    let names = tables.tables.map(\.name) + tables.joinTables.map(\.name)
    var columns: [String: [String: String]] = [:]
    for name in names where layout.tableNames.contains(name) {
      let rows = try StatementRunner(database).rows(
        "SELECT name, type FROM pragma_table_info(?)", [.text(name)])
      for row in rows {
        if case .text(let column) = row[0], case .text(let type) = row[1] {
          columns[name, default: [:]][column] = type
        }
      }
    }
    presentColumns = columns
    frameworkTriggers = try Self.frameworkTriggers(database)
  }

  /// Whether the store still is the one that was looked at.
  func isCurrent(_ statement: StatementRunner) throws -> Bool { try Stamp(statement) == stamp }

  /// Core Data's own functions are unknown to every other SQLite; a statement that fires a trigger
  /// with one of them cannot even be prepared.
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
  func number(of entityName: String) throws -> Int64 {
    guard model.entities[entityName] != nil, let number = numbering.number(of: entityName) else {
      throw StoreWriteError.unknownEntity(name: entityName, isAbstract: false)
    }
    return number
  }

  /// The table of an entity, for writing.
  ///
  /// - Throws: ``StoreWriteError/frameworkTrigger(table:detail:)`` where writing would fire a trigger
  ///   that only the frameworks can run.
  func table(of entityName: String) throws -> EntityTables.Table {
    guard let table = tables.table(of: entityName) else {
      throw StoreWriteError.unknownEntity(name: entityName, isAbstract: false)
    }
    try checkWritable(table.name, columns: ["Z_PK", "Z_ENT", "Z_OPT"])
    return table
  }

  /// Checks that a table has some columns and no trigger of the frameworks.
  func checkWritable(_ table: String, columns: [String]) throws {
    if let trigger = frameworkTriggers[table] {
      throw StoreWriteError.frameworkTrigger(table: table, detail: trigger)
    }
    guard let present = presentColumns[table] else {
      throw StoreWriteError.unexpectedTable(table: table, detail: "it is missing")
    }
    if let missing = columns.first(where: { present[$0] == nil }) {
      throw StoreWriteError.unexpectedTable(table: table, detail: "it has no column \(missing)")
    }
  }

  /// Checks that a column is there with the type that the model asks for.
  func check(_ column: EntityTables.Column, of table: EntityTables.Table) throws {
    guard presentColumns[table.name]?[column.name] == column.declaredType else {
      throw StoreWriteError.unexpectedTable(
        table: table.name,
        detail: "it has no column \(column.name) of type \(column.declaredType)")
    }
  }

  /// The slots of an entity.
  func slots(of entityName: String) throws -> EntitySlots {
    guard let slots = slotsByName.slots(of: entityName) else {
      throw StoreWriteError.unknownEntity(name: entityName, isAbstract: false)
    }
    return slots
  }

  /// A property that the store keeps, and the entity that adds it.
  func property(
    _ name: String, of entityName: String
  ) throws -> (property: ManagedProperty, declaring: String) {
    guard let declaring = model.declaringEntity(of: name, in: entityName),
      let property = declaring.propertiesByName[name], !property.isTransient
    else { throw StoreWriteError.unknownProperty(entity: entityName, property: name) }
    return (property, declaring.name)
  }

  /// All relationships of an entity that the store keeps, with the entity that adds each.
  func relationships(of entityName: String) -> [Relationship] {
    (model.lineage(of: entityName) ?? []).flatMap { ownRelationships(of: $0.name) }
  }

  /// The relationships that an entity adds to those that it inherits, as far as the store keeps them.
  func ownRelationships(of entityName: String) -> [Relationship] {
    let properties = model.entities[entityName]?.storedProperties.sortedByName() ?? []
    return properties.compactMap(\.relationship).map {
      Relationship($0, declaring: entityName, model: model, tables: tables)
    }
  }

  /// A relationship of an entity.
  func relationship(_ name: String, of entityName: String) throws -> Relationship {
    let (property, declaring) = try property(name, of: entityName)
    guard let relationship = property.relationship else {
      throw StoreWriteError.unknownProperty(entity: entityName, property: name)
    }
    return Relationship(relationship, declaring: declaring, model: model, tables: tables)
  }

  /// Whether an entity is another or inherits from it.
  func isKind(_ entityName: String, of other: String) -> Bool {
    model.lineage(of: entityName)?.contains { $0.name == other } ?? false
  }
}

/// A relationship with its inverse and the columns it is kept in.
struct Relationship {
  /// How a relationship is kept.
  enum Storage {
    /// In columns of the object that has it.
    case columns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// In the columns of the objects at the other end.
    case inverseColumns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// In a column of the objects at the other end, which have no relationship for it.
    case hidden(EntityTables.Column)
    /// In a table of pairs.
    case join(JoinTable, JoinTable.End)
  }

  let name: String
  let destinationName: String
  let deleteRule: ManagedRelationship.DeleteRule
  let isToMany: Bool
  let isOrdered: Bool
  let isOptional: Bool
  let inverse: ManagedRelationship?
  let storage: Storage?

  init(
    _ relationship: ManagedRelationship, declaring: String, model: ManagedModel,
    tables: EntityTables
  ) {
    name = relationship.name
    destinationName = relationship.destinationName ?? ""
    deleteRule = relationship.deleteRule
    isToMany = relationship.isToMany
    isOrdered = relationship.isOrdered
    isOptional = relationship.isOptional
    let back = relationship.inverseName.flatMap { name in
      model.declaringEntity(of: name, in: relationship.destinationName ?? "")
    }
    inverse = relationship.inverseName.flatMap { back?.propertiesByName[$0]?.relationship }
    if !relationship.isToMany {
      storage = tables.toOneColumns(relationship.name, declaredIn: declaring)
        .map { .columns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else if let inverse, let back {
      storage =
        inverse.isToMany
        ? tables.joinTable(relationship.name, declaredIn: declaring).map {
          .join($0, JoinTable.End(entityName: declaring, relationshipName: relationship.name))
        }
        : tables.toOneColumns(inverse.name, declaredIn: back.name)
          .map { .inverseColumns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else {
      storage = tables.hiddenColumn(of: relationship.name, declaredIn: declaring)
        .map(Storage.hidden)
    }
  }
}
