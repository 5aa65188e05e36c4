import GRDB
import StoreFormat
import Synchronization

/// Fetches objects of a store by conditions in terms of its model.
///
/// Every fetch sees the current state of the store, including saves of other programs.
package final class ObjectFetcher: Sendable {
  let file: StoreFile
  private let known: Mutex<Known>

  /// What is the same for all fetches until the schema changes.
  private struct Known {
    var schema: ObjectSchema
    /// SQLite's count of the changes by others when the schema was last compared.
    var dataVersion: Int64?
    /// The columns of fetches that read all properties, by entity.
    var columns: [String: FetchedColumns] = [:]
  }

  /// Missing files of large values that rows name; such names are never reused.
  private let lost = Mutex<Set<LargeValueName>>([])

  /// Opens a store for fetching.
  ///
  /// - Throws: ``StoreWriteError`` if the store has no readable model, ``StoreError``.
  package init(file: StoreFile) throws {
    self.file = file
    known = Mutex(
      Known(
        schema: try file.readDatabase { try ObjectSchema(database: $0, path: file.location.path) }))
  }

  /// The model that the store was last seen with.
  var model: ManagedModel { known.withLock { $0.schema.model } }

  /// The present model of the store, with its indexes.
  package func indexedModel() throws -> ManagedModel {
    try read { schema, statement in try schema.indexedModel(statement) }
  }

  /// Checks that every table of the store's model is there with its columns.
  package func checkTables() throws { try read { schema, _ in try schema.checkTables() } }

  /// Lets a body step through the objects that a fetch asks for.
  ///
  /// - Parameter body: Called again if all objects must be read again.
  /// - Returns: The last result of the body.
  package func read<Result>(
    _ fetch: ObjectFetch, _ body: (FetchedRows) throws -> Result
  ) throws -> Result {
    try lookUntilComplete { schema, statement in
      let columns = try columns(fetch.entityName, schema, only: fetch.properties)
      try statement.add(fetch.order.compactMap(\.collation))
      var query = ObjectQuery(schema: schema)
      let sql = try query.statement(for: fetch, columns: columns.names)
      return try FetchedRows.reading(
        columns, statement.cursor(sql), query.arguments, in: file.location, body)
    }
  }

  private func columns(
    _ entityName: String, _ schema: ObjectSchema, only properties: Set<EntityTables.Property>? = nil
  ) throws -> FetchedColumns {
    guard properties == nil else {
      return try FetchedColumns(entityName, schema: schema, only: properties)
    }
    if let columns = known.withLock({ $0.columns[entityName] }) { return columns }
    let columns = try FetchedColumns(entityName, schema: schema)
    known.withLock { $0.columns[entityName] = columns }
    return columns
  }

  /// Fetches again while files of large values that the rows name are missing.
  ///
  /// - Parameter body: Returns its result, and the missing files.
  private func lookUntilComplete<Result>(
    _ body: (ObjectSchema, StatementRunner) throws -> (Result, missing: Set<LargeValueName>)
  ) throws -> Result {
    var missing: Set<LargeValueName>?
    while true {
      let (found, missingNow) = try read(body)
      if missingNow.isEmpty { return found }
      // A file that was replaced or deleted after the rows were read is no longer named.
      let known = missing ?? lost.withLock { $0 }
      guard !missingNow.isSubset(of: known) else {
        lost.withLock { $0.formUnion(missingNow) }
        return found
      }
      missing = known.union(missingNow)
    }
  }

  /// The objects that a fetch asks for, without their values.
  package func identifiers(_ fetch: ObjectFetch) throws -> [StoreObject] {
    var objects: [StoreObject] = []
    try forEachIdentifier(fetch) { name, primaryKey in
      objects.append(StoreObject(entityName: name, primaryKey: primaryKey))
    }
    return objects
  }

  /// Visits the objects that a fetch asks for: the name of the entity and the primary key of each.
  package func forEachIdentifier(_ fetch: ObjectFetch, _ body: (String, Int64) -> Void) throws {
    try read { schema, statement in
      try statement.add(fetch.order.compactMap(\.collation))
      var query = ObjectQuery(schema: schema)
      let sql = try query.statement(for: fetch) { row in ["\(row).Z_PK", "\(row).Z_ENT"] }
      let cursor = try statement.cursor(sql)
      defer { cursor.reset() }
      try cursor.bind(query.arguments)
      while try cursor.step() {
        let object = try schema.object(at: cursor, key: 0, number: 1)
        body(object.entityName, object.primaryKey ?? 0)
      }
    }
  }

  package func count(_ fetch: ObjectFetch) throws -> Int {
    try read { schema, statement in
      try statement.add(fetch.order.compactMap(\.collation))
      var query = ObjectQuery(schema: schema)
      let sql = try query.statement(for: fetch) { _ in ["1"] }
      return Int(
        try statement.integer("SELECT count(*) FROM (\(sql))", query.arguments) ?? 0)
    }
  }

  /// The objects at the other end of a to-many relationship, in their order where there is one.
  package func related(to object: StoreObject, by name: String) throws -> [StoreObject] {
    try read { schema, statement in
      let relationship = try schema.relationship(name, of: object.entityName)
      guard let table = schema.tables.table(of: relationship.destinationName),
        let condition = relationship.condition(row: "t", owner: "?1")
      else {
        throw StoreError.unknownProperty(entity: object.entityName, property: name)
      }
      let place = relationship.placeColumn.map { "t.\(quoted($0.name)), " } ?? ""
      return try statement.map(
        "SELECT t.Z_PK, t.Z_ENT FROM \(quoted(table.name)) AS t WHERE \(condition) "
          + "ORDER BY \(place)t.Z_PK", [.integer(object.primaryKey ?? 0)]
      ) { cursor in try schema.object(at: cursor, key: 0, number: 1) }
    }
  }

  func read<Result>(
    _ body: (ObjectSchema, StatementRunner) throws -> Result
  ) throws -> Result {
    try file.readDatabase { database in
      let statement = StatementRunner(database)
      let version = file.ownsConnection ? try statement.integer("PRAGMA data_version") : nil
      var (schema, isSame) = known.withLock {
        ($0.schema, version != nil && $0.dataVersion == version)
      }
      if !isSame {
        if try !schema.isCurrent(statement) {
          schema = try ObjectSchema(database: database, path: file.location.path)
          known.withLock { [schema] in $0 = Known(schema: schema) }
        }
        known.withLock { $0.dataVersion = version }
      }
      return try body(schema, statement)
    }
  }
}

extension ObjectSchema {
  /// The object that a row names by its primary key and the number of its entity.
  func object(
    at cursor: StatementCursor, key: Int, number: Int
  ) throws -> StoreObject {
    guard let name = numbering.name(of: cursor.integer(at: number)) else {
      throw StoreError.damaged(
        path: path, place: "the row \(cursor.integer(at: key))",
        detail: "its entity number \(cursor.integer(at: number)) is unknown")
    }
    return StoreObject(entityName: name, primaryKey: cursor.integer(at: key))
  }
}

extension StatementRunner {
  /// Maps each row of a statement.
  package func map<Element>(
    _ sql: String, _ values: [StoredValue], _ element: (StatementCursor) throws -> Element
  ) throws -> [Element] {
    let cursor = try cursor(sql)
    defer { cursor.reset() }
    try cursor.bind(values)
    var elements: [Element] = []
    while try cursor.step() { elements.append(try element(cursor)) }
    return elements
  }
}

extension ObjectFetcher {
  /// Lets a body step through the targets of a to-many relationship of some objects, in order where the
  /// relationship has one. A target of several of the objects comes once for each.
  ///
  /// - Parameters:
  ///   - owners: The primary keys of the objects.
  ///   - entityName: Their entity, or one that they inherit from; it has the relationship.
  ///   - name: The relationship.
  ///   - body: Receives the targets, each with the ``FetchedRows/ownerKey`` of its owner. Called again if all
  ///     must be read again.
  /// - Returns: The last result of the body.
  package func readTargets<Result>(
    ofAll owners: [Int64], of entityName: String, by name: String,
    _ body: (FetchedRows) throws -> Result
  ) throws -> Result {
    try lookUntilComplete { schema, statement in
      let relationship = try schema.relationship(name, of: entityName)
      guard let table = schema.tables.table(of: relationship.destinationName),
        let (tables, owner) = relationship.ownedRows(of: table.name, row: "t")
      else { throw StoreError.unknownProperty(entity: entityName, property: name) }
      let columns = try columns(relationship.destinationName, schema)
      let names = columns.names(row: "t") + [owner]
      let place = relationship.placeColumn.map { "t.\(quoted($0.name)), " } ?? ""
      // Digits only, so that many keys do not count as many arguments.
      let keys = owners.map(String.init).joined(separator: ", ")
      let cursor = try statement.cursor(
        "SELECT \(names.joined(separator: ", ")) FROM \(tables) WHERE \(owner) IN (\(keys)) "
          + "ORDER BY \(place)t.Z_PK")
      return try FetchedRows.reading(columns, cursor, [], in: file.location, body)
    }
  }
}
