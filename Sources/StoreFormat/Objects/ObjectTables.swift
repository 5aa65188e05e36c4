import GRDB

/// The tables of a store's objects, and the columns of their properties.
final class ObjectTables {
  /// The table of one hierarchy of entities, as it really is.
  package final class Table {
    let name: String
    /// The columns, in table order.
    let columns: [String]
    private let owners: StatementCursor

    init(_ database: Database, name: String, columns: [String]) throws {
      self.name = name
      self.columns = columns
      func expression(_ column: String) -> String { columns.contains(column) ? column : "NULL" }
      owners = try StatementCursor(
        database,
        sql: """
          SELECT \(expression("Z_ENT")), \(expression("Z_OPT")) FROM \(quoted(name))
          WHERE Z_PK = ?1
          """)
    }

    /// The entity number and the version of an object, or `nil` where there is no row with this key.
    func owner(of primaryKey: Int64) throws -> (entityNumber: Int64?, version: Int64?)? {
      try owners.bind(primaryKey)
      defer { owners.reset() }
      guard try owners.step() else { return nil }
      return (owners.integerIfAny(at: 0), owners.integerIfAny(at: 1))
    }
  }

  /// The maximum number of cached tables; a hostile file can name any number of entities.
  private static let maxTables = 512

  private let database: Database
  private let layout: StoreLayout
  let entities: EntityNumbering
  let model: ManagedModel?
  /// The tables that the model asks for, or `nil` without a model, or for one that asks for none.
  let modelTables: EntityTables?
  private var tablesByEntity: [Int64: Table?] = [:]

  init(_ snapshot: StoreSnapshot) throws {
    database = snapshot.database
    layout = snapshot.layout
    entities = snapshot.entities
    model = try snapshot.modelCache().model
    modelTables = model.flatMap { model in
      try? EntityTables(
        model: model, numbering: EntityNumbering(entries: snapshot.entities.modelEntries)
      ) { try TableDeclaration.columns(of: $0, in: snapshot.database).map(\.name) }
    }
  }

  /// The table of an entity, or `nil` where the store has none.
  func table(ofEntity number: Int64) throws -> Table? {
    if let known = tablesByEntity[number] { return known }
    guard let root = entities.root(of: number) else { return nil }
    var table = tablesByEntity[root] ?? nil
    if table == nil, let name = entities.name(of: root) {
      table = try self.table(named: "Z" + name.uppercased())
    }
    if tablesByEntity.count >= Self.maxTables { tablesByEntity.removeAll() }
    tablesByEntity[root] = .some(table)
    tablesByEntity[number] = .some(table)
    return table
  }

  private func table(named name: String) throws -> Table? {
    let columns = try columns(of: name)
    guard columns.contains("Z_PK") else { return nil }
    return try Table(database, name: name, columns: columns)
  }

  /// The columns of a table; none where there is no such table.
  private func columns(of name: String) throws -> [String] {
    try declaredColumns(of: name).map(\.name)
  }

  /// The columns of a table with the types that they are declared with; none where there is no such
  /// table.
  func declaredColumns(of name: String) throws -> [EntityOutline.Column] {
    guard layout.tableNames.contains(name) else { return [] }
    return try TableDeclaration.columns(of: name, in: database).map {
      EntityOutline.Column(name: $0.name, declaredType: $0.type)
    }
  }

  // MARK: - Columns of properties

  func plan(ofEntity number: Int64, in table: Table) throws -> ObjectPlan {
    guard let model, let modelTables, let name = entities.name(of: number),
      modelTables.table(of: name)?.name == table.name, let lineage = model.lineage(of: name)
    else { return ObjectPlan(columns: table.columns) }
    var plan = ObjectPlan()
    for entity in lineage {
      for property in entity.storedProperties {
        switch property {
        case .attribute(let attribute):
          plan.add(
            attribute, path: attribute.name, declaredIn: entity.name, modelTables, table.columns)
        case .relationship(let relationship):
          let relationship = Relationship(
            relationship, declaring: entity.name, model: model, tables: modelTables)
          try add(relationship, to: &plan, table)
        case .other: break
        }
      }
    }
    return plan
  }

  private func add(
    _ relationship: Relationship, to plan: inout ObjectPlan, _ table: Table
  ) throws {
    /// A count over a column that is really there.
    func count(
      _ table: String, _ column: String, reverse: String? = nil
    ) throws -> ObjectPlan.Count? {
      let columns = try columns(of: table)
      guard columns.contains(column), reverse.map(columns.contains) ?? true else { return nil }
      return ObjectPlan.Count(
        name: relationship.name, table: table, column: column, reverseColumn: reverse)
    }
    let counted: ObjectPlan.Count?
    switch relationship.storage {
    case .columns(let key, let entityKey, _):
      guard table.columns.contains(key.name) else {
        plan.missing.append(relationship.name)
        return
      }
      plan.references.append(
        entityKey.map { table.columns.contains($0.name) } ?? true ? key : key.withoutEntityKey)
      return
    case .inverseColumns(let key, _, _), .hidden(let key):
      counted = try modelTables?.table(of: relationship.destinationName)
        .flatMap { try count($0.name, key.name) }
    case .join(let join, let end):
      let columns = join.columns(from: end)
      counted = try count(
        join.name, columns.owner, reverse: join.isReflexive ? columns.member : nil)
    case nil:
      counted = nil
    }
    if let counted { plan.counts.append(counted) } else { plan.missing.append(relationship.name) }
  }
}

/// The columns in which the properties of one entity are kept.
struct ObjectPlan {
  struct Count {
    let name: String
    let table: String
    let column: String
    /// The other column of a relationship that is its own inverse: one row represents both directions.
    let reverseColumn: String?
  }

  var attributes: [EntityTables.Column] = []
  var references: [EntityTables.Column] = []
  var counts: [Count] = []
  var missing: [String] = []
  let isNamedByModel: Bool

  init() { isNamedByModel = true }

  /// The columns under their own names, without a model.
  init(columns: [String]) {
    isNamedByModel = false
    attributes = columns.filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }.map {
      EntityTables.Column(
        name: $0, declaredType: "", entityName: "", path: $0,
        role: .attribute(ManagedAttribute(name: $0, type: .undefined)))
    }
  }

  /// Adds an attribute, or the elements of a composite one.
  mutating func add(
    _ attribute: ManagedAttribute, path: String, declaredIn entityName: String,
    _ tables: EntityTables, _ columns: [String]
  ) {
    if !attribute.elements.isEmpty {
      for element in attribute.elements {
        add(
          element, path: path + "." + element.name, declaredIn: entityName, tables, columns)
      }
      return
    }
    guard let column = tables.attributeColumn(path, declaredIn: entityName),
      columns.contains(column.name)
    else {
      missing.append(path)
      return
    }
    attributes.append(column)
  }
}

extension EntityTables.Column {
  /// The column of a to-one relationship in a table that lacks the column of the entity's number.
  fileprivate var withoutEntityKey: Self {
    guard case .toOne(let destination, _) = role else { return self }
    return Self(
      name: name, declaredType: declaredType, entityName: entityName, path: path,
      role: .toOne(destination: destination, entityKey: nil))
  }
}
