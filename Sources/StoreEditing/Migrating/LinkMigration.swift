import StoreFormat

/// Carries related objects over to another model, where their columns cannot just be copied.
///
/// The pairs of a former relationship are put aside while its columns or its table are still there, and
/// fill the new ones.
struct LinkMigration {
  /// What keeps a relationship in the new model and is empty at first.
  private enum Place {
    /// The column of a to-one relationship, in the objects of the first end or of the second.
    case key(EntityTables.Column, orderKey: EntityTables.Column?, MigratedLink.End, isFirst: Bool)
    /// The column at the other end of a to-many relationship without an inverse.
    case hidden(EntityTables.Column)
    /// A table of pairs.
    case join(JoinTable)
  }

  private struct Work {
    let link: MigratedLink
    let places: [Place]
    /// Where the pairs are put aside.
    let pairs: String
  }

  /// The tables of pairs that go, or are made anew.
  let changedJoinTables: [JoinTable]
  private let schema: ObjectSchema
  private let mapping: ModelMapping
  private let tables: EntityTables
  private let statement: StatementRunner
  private let works: [Work]
  private let newJoinTables: [JoinTable]

  init(
    schema: ObjectSchema, mapping: ModelMapping, tables: EntityTables, migrated: [MigratedTable],
    statement: StatementRunner
  ) throws {
    self.schema = schema
    self.mapping = mapping
    self.tables = tables
    self.statement = statement
    var kept: Set<String> = []
    var works: [Work] = []
    for link in try MigratedLink.links(mapping) {
      if let join = Self.keptJoin(link, schema.tables, tables) {
        kept.insert(join.name)
        continue
      }
      let places = Self.places(of: link, tables: tables, migrated: migrated)
      guard !places.isEmpty else { continue }
      works.append(Work(link: link, places: places, pairs: "histctl_pairs_\(works.count)"))
    }
    self.works = works
    changedJoinTables = schema.tables.joinTables.filter { !kept.contains($0.name) }
    newJoinTables = tables.joinTables.filter { !kept.contains($0.name) }
  }

  /// The table of pairs that stays as it is.
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
    of link: MigratedLink, tables: EntityTables, migrated: [MigratedTable]
  ) -> [Place] {
    func isCopied(_ column: EntityTables.Column) -> Bool {
      migrated.contains { table in
        zip(table.table.columns, table.sources).contains { $0 == column && $1.column != nil }
      }
    }
    func key(_ end: MigratedLink.End, isFirst: Bool) -> Place? {
      guard !end.relationship.isToMany,
        let columns = tables.toOneColumns(
          end.relationship.name, declaredIn: end.entityName),
        !isCopied(columns.key)
      else { return nil }
      return .key(columns.key, orderKey: columns.orderKey, end, isFirst: isFirst)
    }
    let (first, second) = (link.first, link.second)
    var places = [key(first, isFirst: true)].compactMap { $0 }
    if let second, !link.isReflexive { places += [key(second, isFirst: false)].compactMap { $0 } }
    if let join = tables.joinTable(first.relationship.name, declaredIn: first.entityName) {
      places.append(.join(join))
    } else if second == nil, first.relationship.isToMany,
      let column = tables.hiddenColumn(
        of: first.relationship.name, declaredIn: first.entityName), !isCopied(column)
    {
      places.append(.hidden(column))
    }
    return places
  }

  // MARK: - Looking

  /// Puts the pairs aside that new columns and tables are filled with.
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

  /// The pairs of a former relationship, seen from the first end of the new one.
  private func pairs(of former: MigratedLink.Former) throws -> String {
    let end = former.end
    let relationship = Relationship(
      end.relationship, declaring: end.entityName, model: mapping.old, tables: schema.tables)
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
      // One row stands for both directions.
      return pairs + " UNION ALL "
        + select(columns.member, columns.owner, nil, nil, from: join.name)
    case nil:
      throw StoreError.unknownProperty(
        entity: end.entityName, property: end.relationship.name)
    }
  }

  /// Finds relationships that the pairs do not fit.
  func check(_ migrated: [MigratedTable]) throws {
    for work in works {
      for place in work.places {
        switch place {
        case .key(let column, _, let end, let isFirst):
          let side = isFirst ? "owner" : "member"
          if try isShared(side, isFirst ? "member" : "owner", in: work) {
            throw obstacle(.severalObjects, end)
          }
          try checkPresence(of: column, end, side: side, work, migrated)
        case .hidden:
          if try isShared("member", "owner", in: work) {
            throw obstacle(.sharedObjects, work.link.first)
          }
        case .join: break
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

  /// A to-one relationship that is not optional must lead somewhere.
  private func checkPresence(
    of column: EntityTables.Column, _ end: MigratedLink.End, side: String, _ work: Work,
    _ migrated: [MigratedTable]
  ) throws {
    guard !end.relationship.isOptional, mapping.old.entities[end.entityName] != nil,
      let table = migrated.first(where: { $0.table.memberNames.contains(end.entityName) }),
      let former = table.former
    else { return }
    guard work.link.former != nil else { throw obstacle(.withoutDefault, end) }
    let empty = try statement.integer(
      "SELECT Z_PK FROM \(quoted(former.name)) WHERE Z_ENT IN "
        + "(\(table.formerNumbers(having: column))) "
        + "AND Z_PK NOT IN (SELECT \(side) FROM temp.\(work.pairs)) LIMIT 1")
    if empty != nil { throw obstacle(.missingValues, end) }
  }

  private func obstacle(
    _ obstacle: MigrationObstacle, _ end: MigratedLink.End
  ) -> StoreWriteError {
    .notInferable(
      entity: end.entityName, property: end.relationship.name, obstacle: obstacle)
  }

  // MARK: - Writing

  /// Makes the new tables of pairs and fills what is empty.
  func write() throws {
    for join in newJoinTables { try statement.run(join.statement) }
    for work in works where work.link.former != nil {
      for place in work.places {
        switch place {
        case .key(let column, let orderKey, let end, let isFirst):
          guard let table = tables.table(of: end.entityName) else { continue }
          try fill(
            [(column, isFirst ? "member" : "owner")]
              + (orderKey.map { [($0, isFirst ? "back" : "place")] } ?? []),
            of: table, side: isFirst ? "owner" : "member", work)
        case .hidden(let column):
          guard let destination = work.link.first.relationship.destinationName,
            let table = tables.table(of: destination)
          else { continue }
          try fill([(column, "owner")], of: table, side: "member", work)
        case .join(let join): try fill(join, work)
        }
      }
    }
  }

  private func fill(
    _ columns: [(column: EntityTables.Column, value: String)], of table: EntityTables.Table,
    side: String, _ work: Work
  ) throws {
    let name = quoted(table.name)
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

  /// Removes what was put aside.
  func discard() throws {
    for work in works where work.link.former != nil {
      try statement.run("DROP TABLE temp.\(work.pairs)")
    }
  }
}
