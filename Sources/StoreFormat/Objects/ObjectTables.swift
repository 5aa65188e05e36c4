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
  private var columnNames: [String: Set<String>] = [:]

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

  /// The columns of a table; none where there is no such table.
  func columnNames(of name: String) throws -> Set<String> {
    if let known = columnNames[name] { return known }
    let names = Set(try columns(of: name))
    if columnNames.count >= Self.maxTables { columnNames.removeAll() }
    columnNames[name] = names
    return names
  }

  // MARK: - Columns of properties

  /// Returns where the objects of an entity really keep its properties; without a model, the columns of their table.
  func plan(ofEntity number: Int64, in table: Table) throws -> EntityColumns {
    guard let name = entities.name(of: number), let modelTables = modelTables(of: name, table),
      let plan = try plan(of: name, modelTables)
    else {
      return EntityColumns(
        columns: table.columns.filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }, of: table.name)
    }
    return plan
  }

  /// Returns where the objects of an entity of the model really keep its properties.
  func plan(
    of entityName: String, _ modelTables: EntityTables?, slots: EntitySlots? = nil
  ) throws -> EntityColumns? {
    guard let model, let plan = EntityColumns(of: entityName, model, modelTables, slots: slots)
    else { return nil }
    return try plan.present { try columnNames(of: $0) }
  }

  /// Returns the tables of the model, unless an entity has a table by another name than the model asks for.
  func modelTables(of entityName: String, _ table: Table?) -> EntityTables? {
    modelTables.flatMap { $0.table(of: entityName)?.name == table?.name ? $0 : nil }
  }
}
