import GRDB
import StoreFormat
import Synchronization

/// Fetches objects of a store by conditions in terms of its model.
///
/// Every fetch sees the current state of the store, including saves of other programs.
package final class ObjectFetcher: Sendable {
  let file: StoreFile
  private let schema: Mutex<ObjectSchema>
  /// Missing files of large values that rows name; such names are never reused.
  private let lost = Mutex<Set<LargeValueName>>([])

  /// Opens a store for fetching.
  ///
  /// - Throws: ``StoreWriteError`` if the store has no readable model, ``StoreError``.
  package init(file: StoreFile) throws {
    self.file = file
    schema = Mutex(
      try file.readDatabase { try ObjectSchema(database: $0, path: file.location.path) })
  }

  /// The model that the store was last seen with.
  var model: ManagedModel { schema.withLock { $0.model } }

  /// The present model of the store, with its indexes.
  package func indexedModel() throws -> ManagedModel {
    try read { schema, statement in try schema.indexedModel(statement) }
  }

  /// Checks that every table of the store's model is there with its columns.
  package func checkTables() throws { try read { schema, _ in try schema.checkTables() } }

  /// The objects that a fetch asks for, with their values.
  package func objects(_ fetch: ObjectFetch) throws -> FetchedObjects {
    var result = FetchedObjects(attributes: [], references: [], objects: [])
    try forEachObject(fetch) { found in
      result = found
      return { result.objects.append($0) }
    }
    return result
  }

  /// Visits the objects that a fetch asks for, with their values.
  ///
  /// - Parameter receiver: Returns the closure that receives the objects. It is passed the result without objects,
  ///   and called again if all objects must be read again; discard those received before.
  package func forEachObject(
    _ fetch: ObjectFetch,
    _ receiver: (FetchedObjects) throws -> (FetchedObjects.Object) throws -> Void
  ) throws {
    try lookUntilComplete { schema, statement in
      let plan = try ObjectColumns(fetch.entityName, schema: schema, only: fetch.properties)
      try statement.add(fetch.order.compactMap(\.collation))
      var query = ObjectQuery(schema: schema)
      let sql = try query.statement(for: fetch) { row in plan.columns(row: row) }
      let reader = plan.keepsLargeValues ? LargeValueReader(file.location) : nil
      let receive = try receiver(plan.fetched([]))
      let cursor = try statement.cursor(sql)
      defer { cursor.reset() }
      try cursor.bind(query.arguments)
      while try cursor.step() { try receive(try plan.object(at: cursor, schema: schema, reader)) }
      return ((), reader?.missing ?? [])
    }
  }

  /// Fetches again while files of large values that the rows name are missing.
  ///
  /// - Parameter body: Returns its result, and the missing files.
  func lookUntilComplete<Result>(
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
      var current = schema.withLock { $0 }
      if try !current.isCurrent(statement) {
        current = try ObjectSchema(database: database, path: file.location.path)
        schema.withLock { [current] in $0 = current }
      }
      return try body(current, statement)
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

/// The targets of one to-many relationship of many objects.
package struct RelatedObjectLists: Sendable {
  /// The targets by the primary key of their owner, in order where the relationship has one.
  package let lists: [Int64: [StoreObject]]
  /// All of them with their values, each once.
  package let objects: FetchedObjects
}

extension ObjectFetcher {
  /// Reads the targets of a to-many relationship of some objects in one statement.
  ///
  /// - Parameters:
  ///   - owners: The primary keys of the objects.
  ///   - entityName: Their entity, or one that they inherit from; it has the relationship.
  ///   - name: The relationship.
  package func related(
    toAll owners: [Int64], of entityName: String, by name: String
  ) throws -> RelatedObjectLists {
    try lookUntilComplete { schema, statement in
      let relationship = try schema.relationship(name, of: entityName)
      guard let table = schema.tables.table(of: relationship.destinationName),
        let (rows, owner) = relationship.ownedRows(of: table.name, row: "t")
      else { throw StoreError.unknownProperty(entity: entityName, property: name) }
      let plan = try ObjectColumns(relationship.destinationName, schema: schema)
      let reader = plan.keepsLargeValues ? LargeValueReader(file.location) : nil
      let columns = plan.columns(row: "t") + [owner]
      let place = relationship.placeColumn.map { "t.\(quoted($0.name)), " } ?? ""
      var lists: [Int64: [StoreObject]] = [:]
      var objects: [FetchedObjects.Object] = []
      var seen: Set<Int64> = []
      // Digits only, so that many keys do not count as many arguments.
      let keys = owners.map(String.init).joined(separator: ", ")
      let cursor = try statement.cursor(
        "SELECT \(columns.joined(separator: ", ")) FROM \(rows) WHERE \(owner) IN (\(keys)) "
          + "ORDER BY \(place)t.Z_PK")
      defer { cursor.reset() }
      try cursor.bind([])
      while try cursor.step() {
        let object = try schema.object(at: cursor, key: 0, number: 1)
        lists[cursor.integer(at: columns.count - 1), default: []].append(object)
        if seen.insert(cursor.integer(at: 0)).inserted {
          objects.append(try plan.object(at: cursor, schema: schema, reader))
        }
      }
      return (
        RelatedObjectLists(lists: lists, objects: plan.fetched(objects)), reader?.missing ?? []
      )
    }
  }
}
