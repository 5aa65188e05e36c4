import StoreFormat
import StoreTransactions

/// Migrates relationships whose columns cannot be copied.
///
/// The pairs of related objects are copied to temporary tables while the former columns or join tables
/// exist, and from there to the new ones.
struct LinkMigration {
  /// A relationship of the new model whose columns or table are empty at first.
  private struct Place {
    let relationship: StoredProperty
    /// Whether it is that of the first end.
    let isFirst: Bool
  }

  private struct Work {
    let link: MigratedLink
    let places: [Place]
    /// The name of the temporary table of pairs.
    let pairs: String
  }

  /// The former join tables that are dropped, or created again with another shape.
  let changedJoinTables: [JoinTable]
  private let schema: ObjectSchema
  private let mapping: ModelMapping
  private let statement: StatementRunner
  private let works: [Work]
  private let newJoinTables: [JoinTable]

  init(
    schema: ObjectSchema, mapping: ModelMapping, tables: EntityTables, migrated: [MigratedTable],
    statement: StatementRunner
  ) throws {
    self.schema = schema
    self.mapping = mapping
    self.statement = statement
    var kept: Set<String> = []
    var works: [Work] = []
    for link in try MigratedLink.links(mapping) {
      if let join = Self.keptJoin(link, schema.tables, tables) {
        kept.insert(join.name)
        continue
      }
      let places = Self.places(of: link, mapping.new, tables, migrated)
      guard !places.isEmpty else { continue }
      works.append(Work(link: link, places: places, pairs: "histctl_pairs_\(works.count)"))
    }
    self.works = works
    changedJoinTables = schema.tables.joinTables.filter { !kept.contains($0.name) }
    newJoinTables = tables.joinTables.filter { !kept.contains($0.name) }
  }

  private static func keptJoin(
    _ link: MigratedLink, _ old: EntityTables, _ new: EntityTables
  ) -> JoinTable? {
    guard let former = link.former,
      let before = old.joinTable(
        former.end.relationship.name, declaredIn: former.end.entityName),
      let now = new.joinTable(
        link.first.relationship.name, declaredIn: link.first.entityName),
      before == now
    else { return nil }
    return now
  }

  private static func places(
    of link: MigratedLink, _ model: ManagedModel, _ tables: EntityTables,
    _ migrated: [MigratedTable]
  ) -> [Place] {
    func isCopied(_ column: EntityTables.Column) -> Bool {
      migrated.contains { table in
        zip(table.table.columns, table.sources).contains { $0 == column && $1.column != nil }
      }
    }
    let second = link.isReflexive ? nil : link.second
    return [link.first, second].compactMap { end in
      guard let end else { return nil }
      let isFirst = end == link.first
      let relationship = StoredProperty(end.relationship, of: end.entityName, model, tables)
      switch relationship.storage {
      case .columns(let key, _, _), .hidden(let key): if isCopied(key) { return nil }
      // Both ends have the same table of pairs.
      case .join: if !isFirst { return nil }
      case .value, .inverseColumns, nil: return nil
      }
      return Place(relationship: relationship, isFirst: isFirst)
    }
  }

  // MARK: - Checking

  /// Copies the pairs of related objects to temporary tables.
  func collect() throws {
    for work in works {
      guard let former = work.link.former else { continue }
      try statement.run(
        "CREATE TEMP TABLE \(work.pairs) AS \(try pairs(of: former))")
      for column in ["owner", "member"] {
        try statement.run(
          "CREATE INDEX temp.\(work.pairs)_\(column) ON \(work.pairs) (\(column))")
      }
    }
  }

  /// Returns the query for the pairs of a former relationship, seen from the first end of the new one.
  private func pairs(of former: MigratedLink.Former) throws -> String {
    let end = former.end
    let relationship = StoredProperty(
      end.relationship, of: end.entityName, mapping.old, schema.tables)
    func select(
      _ owner: String, _ member: String, _ place: String?, _ back: String?, from table: String
    ) -> String {
      let (owner, member, place, back) =
        former.isReversed ? (member, owner, back, place) : (owner, member, place, back)
      func column(_ name: String?) -> String { name.map(quoted) ?? "NULL" }
      return "SELECT \(quoted(owner)) AS owner, \(quoted(member)) AS member, "
        + "\(column(place)) AS place, \(column(back)) AS back FROM \(quoted(table)) "
        + "WHERE \(quoted(owner)) IS NOT NULL AND \(quoted(member)) IS NOT NULL"
    }
    switch relationship.storage {
    case .columns(let key, _, let orderKey):
      let table = try schema.table(of: end.entityName)
      try schema.check(key, of: table)
      return select("Z_PK", key.name, nil, orderKey?.name, from: table.name)
    case .inverseColumns(let key, _, let orderKey):
      let table = try schema.table(of: relationship.destinationName)
      try schema.check(key, of: table)
      return select(key.name, "Z_PK", orderKey?.name, nil, from: table.name)
    case .hidden(let column):
      let table = try schema.table(of: relationship.destinationName)
      try schema.check(column, of: table)
      return select(column.name, "Z_PK", nil, nil, from: table.name)
    case .join(let join, let joinEnd):
      try schema.checkWritable(join.name, columns: join.columnNames)
      let columns = join.columns(from: joinEnd)
      let pairs = select(
        columns.owner, columns.member, columns.order, columns.back, from: join.name)
      guard join.isReflexive else { return pairs }
      // One row represents both directions.
      return pairs + " UNION ALL "
        + select(columns.member, columns.owner, nil, nil, from: join.name)
    case .value, nil:
      throw StoreError.unknownProperty(
        entity: end.entityName, property: end.relationship.name)
    }
  }

  /// Checks that the new relationships can store the pairs.
  func check(_ migrated: [MigratedTable]) throws {
    for work in works {
      for place in work.places {
        let relationship = place.relationship
        switch relationship.storage {
        case .columns(let key, _, _):
          let side = place.isFirst ? "owner" : "member"
          if try isShared(side, place.isFirst ? "member" : "owner", in: work) {
            throw obstacle(.severalObjects, relationship)
          }
          try checkPresence(of: key, relationship, side: side, work, migrated)
        case .hidden:
          if try isShared("member", "owner", in: work) {
            throw obstacle(.sharedObjects, relationship)
          }
        case .value, .inverseColumns, .join, nil: break
        }
      }
    }
  }

  private func isShared(_ side: String, _ other: String, in work: Work) throws -> Bool {
    guard work.link.former != nil else { return false }
    return try statement.integer(
      "SELECT \(side) FROM temp.\(work.pairs) GROUP BY \(side) "
        + "HAVING count(DISTINCT \(other)) > 1 LIMIT 1") != nil
  }

  /// Checks that a required to-one relationship has a destination in every object.
  private func checkPresence(
    of column: EntityTables.Column, _ relationship: StoredProperty, side: String, _ work: Work,
    _ migrated: [MigratedTable]
  ) throws {
    guard !relationship.isOptional, mapping.old.entities[relationship.entityName] != nil,
      let table = migrated.first(where: { $0.table.memberNames.contains(relationship.entityName) }),
      let former = table.former
    else { return }
    let isNew = work.link.former == nil
    let empty = try statement.integer(
      "SELECT Z_PK FROM \(quoted(former.name)) WHERE Z_ENT IN "
        + "(\(table.formerNumbers(having: column))) "
        + (isNew ? "" : "AND Z_PK NOT IN (SELECT \(side) FROM temp.\(work.pairs)) ") + "LIMIT 1")
    if empty != nil { throw obstacle(isNew ? .withoutDefault : .missingValues, relationship) }
  }

  private func obstacle(
    _ obstacle: MigrationObstacle, _ relationship: StoredProperty
  ) -> StoreWriteError {
    .notInferable(
      entity: relationship.entityName, property: relationship.name, obstacle: obstacle)
  }

  // MARK: - Writing

  /// Creates the new join tables and fills the empty places.
  func write() throws {
    for join in newJoinTables { try statement.run(join.statement) }
    for work in works where work.link.former != nil {
      for place in work.places {
        let isFirst = place.isFirst
        switch place.relationship.storage {
        case .columns(let key, _, let orderKey):
          try fill(
            [(key, isFirst ? "member" : "owner")]
              + (orderKey.map { [($0, isFirst ? "back" : "place")] } ?? []),
            of: place.relationship, side: isFirst ? "owner" : "member", work)
        case .hidden(let column):
          try fill([(column, "owner")], of: place.relationship, side: "member", work)
        case .join(let join, _): try fill(join, work)
        case .value, .inverseColumns, nil: break
        }
      }
    }
  }

  private func fill(
    _ columns: [(column: EntityTables.Column, value: String)], of relationship: StoredProperty,
    side: String, _ work: Work
  ) throws {
    let name = quoted(relationship.table ?? "")
    let list = columns.map { column, value in
      "\(quoted(column.name)) = (SELECT p.\(value) FROM temp.\(work.pairs) AS p "
        + "WHERE p.\(side) = \(name).Z_PK LIMIT 1)"
    }
    try statement.run(
      "UPDATE \(name) SET \(list.joined(separator: ", ")) "
        + "WHERE Z_PK IN (SELECT \(side) FROM temp.\(work.pairs))")
  }

  private func fill(_ join: JoinTable, _ work: Work) throws {
    let columns = join.columns(from: work.link.first.join)
    var names = [columns.owner, columns.member]
    var values = ["owner", "member"]
    if let order = columns.order {
      names.append(order)
      values.append("place")
    }
    if let back = columns.back {
      names.append(back)
      values.append("back")
    }
    try statement.run(
      "INSERT OR IGNORE INTO \(quoted(join.name)) (\(names.map(quoted).joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM temp.\(work.pairs)"
        + (join.isReflexive ? " WHERE owner <= member" : ""))
  }

  func discard() throws {
    for work in works where work.link.former != nil {
      try statement.run("DROP TABLE temp.\(work.pairs)")
    }
  }
}

/// A relationship of the new model with its inverse, and the former relationship whose pairs it gets.
struct MigratedLink {
  /// One of the two relationships, at the entity that declares it.
  struct End: Hashable {
    let entityName: String
    let relationship: ManagedRelationship

    var join: JoinTable.End {
      JoinTable.End(entityName: entityName, relationshipName: relationship.name)
    }
  }

  struct Former {
    let end: End
    /// Whether it leads from the objects of ``MigratedLink/second`` to those of
    /// ``MigratedLink/first``.
    let isReversed: Bool
  }

  let first: End
  /// The inverse; `nil` if there is none.
  let second: End?
  /// The former relationship; `nil` for a new one.
  let former: Former?

  /// Whether the relationship is its own inverse.
  var isReflexive: Bool { second?.join == first.join }

  /// Returns all stored relationships of the new model, each with its inverse once.
  ///
  /// - Throws: ``StoreWriteError/notInferable(entity:property:reason:remedy:)`` if the two ends of a
  ///   relationship were two separate relationships.
  static func links(_ mapping: ModelMapping) throws -> [MigratedLink] {
    var links: [MigratedLink] = []
    var seen: Set<JoinTable.End> = []
    for name in mapping.new.entities.keys.sorted(by: ordinally) {
      let properties = mapping.new.entities[name]?.keptProperties.sortedByName() ?? []
      for relationship in properties.compactMap(\.relationship) {
        let first = End(entityName: name, relationship: relationship)
        guard seen.insert(first.join).inserted else { continue }
        let second = inverse(of: first, in: mapping.new)
        if let second { seen.insert(second.join) }
        links.append(
          MigratedLink(
            first: first, second: second, former: try former(first, second, mapping)))
      }
    }
    return links
  }

  static func inverse(of end: End, in model: ManagedModel) -> End? {
    guard let name = end.relationship.inverseName,
      let destination = end.relationship.destinationName,
      let entity = model.declaringEntity(of: name, in: destination),
      let relationship = entity.propertiesByName[name]?.relationship
    else { return nil }
    return End(entityName: entity.name, relationship: relationship)
  }

  private static func former(
    _ first: End, _ second: End?, _ mapping: ModelMapping
  ) throws -> Former? {
    func formerEnd(_ end: End) -> End? {
      mapping.former(end.relationship.name, declaredIn: end.entityName)?.relationship
        .map { End(entityName: end.entityName, relationship: $0) }
    }
    let (formerFirst, formerSecond) = (formerEnd(first), second.flatMap(formerEnd))
    if let formerFirst, let formerSecond, second?.join != first.join,
      inverse(of: formerSecond, in: mapping.old)?.join != formerFirst.join
    {
      throw StoreWriteError.notInferable(
        entity: first.entityName, property: first.relationship.name,
        obstacle: .separateRelationships)
    }
    return formerFirst.map { Former(end: $0, isReversed: false) }
      ?? formerSecond.map { Former(end: $0, isReversed: true) }
  }
}
