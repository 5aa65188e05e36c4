/// What a to-many relationship of many objects leads to.
package struct RelatedObjectLists: Sendable {
  /// The objects by the primary key of the one that leads to them, in their order where there is one.
  package let lists: [Int64: [StoreObject]]
  /// All of them with their values, each once.
  package let objects: FetchedObjects
}

extension ObjectFetcher {
  /// What a to-many relationship of some objects leads to, read by one statement.
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
