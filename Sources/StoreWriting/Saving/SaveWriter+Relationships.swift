import StoreFormat
import StoreTransactions

extension SaveWriter {
  /// The slots that a change of a to-one relationship touches.
  private static let toOneRoles: Set<EntitySlots.Role> = [.toOne, .entityKey, .orderKey]
  /// The slots that a change of a to-many relationship touches.
  private static let toManyRoles: Set<EntitySlots.Role> = [.toMany, .manyToMany]
  /// The first place in an ordered relationship, and the distance between two, as in the frameworks.
  private static let firstPlace: Int64 = 2048
  private static let placeStep: Int64 = 1024

  /// Sets an object's relationships to the destinations that a save names.
  func relate(_ row: Row, _ content: ObjectContent) throws {
    for (name, target) in content.toOne.sorted(by: { ordinally($0.key, $1.key) }) {
      let relationship = try schema.relationship(name, of: row.entityName)
      guard !relationship.isToMany else {
        throw StoreError.unknownProperty(entity: row.entityName, property: name)
      }
      try mark(row, name, Self.toOneRoles)
      try set(
        relationship, of: row, to: try target.map { try member($0, of: relationship, row) })
    }
    for (name, objects) in content.toMany.sorted(by: { ordinally($0.key, $1.key) }) {
      let relationship = try schema.relationship(name, of: row.entityName)
      guard relationship.isToMany else {
        throw StoreError.unknownProperty(entity: row.entityName, property: name)
      }
      try mark(row, name, Self.toManyRoles)
      let members = try objects.map { try member($0, of: relationship, row) }
      try set(relationship, of: row, to: members.uniqued { $0 })
    }
    for (name, objects) in content.added.sorted(by: { ordinally($0.key, $1.key) }) {
      let relationship = try schema.relationship(name, of: row.entityName)
      let present = try members(of: relationship, row)
      let known = Set(present)
      let new = try objects.map { try member($0, of: relationship, row) }.uniqued { $0 }
        .filter { !known.contains($0) }
      guard !new.isEmpty else { continue }
      try mark(row, name, Self.toManyRoles)
      try set(relationship, of: row, to: present + new)
    }
  }

  private func member(
    _ object: StoreObject, of relationship: StoredProperty, _ row: Row
  ) throws -> Row {
    guard schema.isKind(object.entityName, of: relationship.destinationName) else {
      throw StoreWriteError.wrongDestination(
        entity: row.entityName, relationship: relationship.name,
        expected: relationship.destinationName, found: object.entityName)
    }
    return try self.row(of: object)
  }

  // MARK: - To one

  private func set(_ relationship: StoredProperty, of row: Row, to target: Row?) throws {
    guard case .columns? = relationship.storage else { throw unkept(relationship, row) }
    let current = try self.target(of: relationship, row)
    if current == target {
      // The column may still have the key of an object that was deleted before.
      guard target == nil, try holdsKey(relationship, row) else { return }
    }
    if let current { try detach(current, relationship) }
    if let target, let inverse = relationship.inverse, !inverse.isToMany {
      let back = try schema.relationship(inverse.name, of: target.entityName)
      if let former = try self.target(of: back, target), former != row {
        try write(nil, to: relationship, of: former, place: nil)
        try mark(former, relationship.name, Self.toOneRoles)
      }
      try point(target, inverse.name, at: row)
    } else if let target {
      try markBack(target, relationship)
    }
    let place = try target.flatMap { try nextPlace(in: relationship, of: row, target: $0) }
    try write(target, to: relationship, of: row, place: place)
  }

  /// Updates a row that a relationship no longer leads to; its pair in a join table is deleted apart.
  private func detach(_ target: Row, _ relationship: StoredProperty) throws {
    if case .hidden(let column)? = relationship.storage {
      return try set([(column.name, .null)], of: target)
    }
    guard let inverse = relationship.inverse else { return }
    if inverse.isToMany {
      try mark(target, inverse.name, Self.toManyRoles)
    } else {
      try point(target, inverse.name, at: nil)
    }
  }

  /// Sets the to-one relationship with a name of a row, without a place in an ordered inverse.
  private func point(_ row: Row, _ name: String, at target: Row?) throws {
    try write(
      target, to: try schema.relationship(name, of: row.entityName), of: row, place: nil)
    try mark(row, name, Self.toOneRoles)
  }

  /// Returns whether the column of a to-one relationship has a key, even of an object that is missing.
  private func holdsKey(_ relationship: StoredProperty, _ row: Row) throws -> Bool {
    guard kinds[row] != .insert, case .columns(let key, _, _)? = relationship.storage else {
      return false
    }
    let table = try schema.table(of: row.entityName)
    return try statement.columns([key.name], of: table, row.primaryKey)?.first?.isNull == false
  }

  /// Returns the destination of a to-one relationship; `nil` for none, or for one that is missing.
  func target(of relationship: StoredProperty, _ row: Row) throws -> Row? {
    guard case .columns(let key, _, _)? = relationship.storage else { return nil }
    if let target = released[row]?[relationship.name] { return target }
    let table = try schema.table(of: row.entityName)
    try schema.check(key, of: table)
    guard let primaryKey = try statement.integer(in: key.name, of: table, row.primaryKey) else {
      return nil
    }
    return try self.row(primaryKey, ofKind: relationship.destinationName)
  }

  /// Returns the row with a primary key in the table of an entity; its own entity may be another one.
  private func row(_ primaryKey: Int64, ofKind entityName: String) throws -> Row? {
    guard let table = schema.tables.table(of: entityName) else { return nil }
    guard
      let number = try statement.integer(
        "SELECT Z_ENT FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(primaryKey)])
    else { return nil }
    return try row(primaryKey, number, in: table)
  }

  private func row(
    _ primaryKey: Int64, _ number: Int64, in table: EntityTables.Table
  ) throws -> Row {
    guard let name = schema.numbering.name(of: number),
      schema.tables.table(of: name)?.name == table.name
    else {
      throw StoreError.unexpectedTable(
        table: table.name, detail: "the row \(primaryKey) has the entity number \(number)")
    }
    return Row(entityName: name, primaryKey: primaryKey)
  }

  /// Writes the columns of a to-one relationship.
  private func write(
    _ target: Row?, to relationship: StoredProperty, of row: Row, place: Int64?
  ) throws {
    guard case .columns(let key, let entityKey, let orderKey)? = relationship.storage else {
      throw unkept(relationship, row)
    }
    note(relationship, of: row, leadsTo: target)
    if !released.isEmpty { released[row]?[relationship.name] = nil }
    let table = try schema.table(of: row.entityName)
    var columns: [(name: String, value: StoredValue)] = [
      (key.name, target.map { .integer($0.primaryKey) } ?? .null)
    ]
    try schema.check(key, of: table)
    if let entityKey {
      try schema.check(entityKey, of: table)
      let number = try target.map { try schema.number(of: $0.entityName) }
      columns.append((entityKey.name, number.map(StoredValue.integer) ?? .null))
    }
    if let orderKey {
      try schema.check(orderKey, of: table)
      columns.append((orderKey.name, place.map(StoredValue.integer) ?? .null))
    }
    try set(columns, of: row)
  }

  /// Returns the place after the last object of an ordered relationship, seen from its to-one inverse.
  private func nextPlace(
    in relationship: StoredProperty, of row: Row, target: Row
  ) throws -> Int64? {
    guard case .columns(let key, _, let orderKey?)? = relationship.storage else { return nil }
    let table = try schema.table(of: row.entityName)
    let last = try statement.integer(
      "SELECT max(\(quoted(orderKey.name))) FROM \(quoted(table.name)) WHERE \(quoted(key.name)) = ?",
      [.integer(target.primaryKey)])
    return try Self.place(after: last, table: table.name)
  }

  private static func place(after last: Int64?, table: String) throws -> Int64 {
    guard let last else { return firstPlace }
    let (place, overflows) = last.addingReportingOverflow(placeStep)
    guard !overflows else { throw StoreWriteError.numbersExhausted(table: table) }
    return place
  }

  // MARK: - To many

  private func set(_ relationship: StoredProperty, of row: Row, to members: [Row]) throws {
    let current = try self.members(of: relationship, row)
    let wanted = Set(members)
    let present = Set(current)
    for member in current where !wanted.contains(member) {
      if case .join(let join, let end)? = relationship.storage {
        try unjoin(join, end, row, member)
      }
      try detach(member, relationship)
    }
    let added = members.filter { !present.contains($0) }
    switch relationship.storage {
    case .inverseColumns(_, _, let orderKey):
      guard let inverse = relationship.inverse else { throw unkept(relationship, row) }
      for member in added {
        let back = try schema.relationship(inverse.name, of: member.entityName)
        if let former = try target(of: back, member) {
          try mark(former, relationship.name, Self.toManyRoles)
        }
        try point(member, inverse.name, at: row)
      }
      if let orderKey {
        try place(members, inverse: inverse.name, orderKey: orderKey)
      }
    case .hidden(let column):
      for member in added { try set([(column.name, .integer(row.primaryKey))], of: member) }
    case .join(let join, let end):
      for member in added {
        try insert(member, of: row, into: join, end)
        try markBack(member, relationship)
      }
      if let order = join.columns(from: end).order {
        try place(members, of: row, in: join, end, order: order)
      }
    case .value, .columns, nil: throw unkept(relationship, row)
    }
  }

  /// Gives the objects of an ordered relationship their places; those in order keep theirs.
  private func place(_ members: [Row], inverse: String, orderKey: EntityTables.Column) throws {
    var last: Int64?
    for member in members {
      let table = try schema.table(of: member.entityName)
      let present = try statement.integer(in: orderKey.name, of: table, member.primaryKey)
      if let present, present > last ?? .min {
        last = present
        continue
      }
      let place = try Self.place(after: last, table: table.name)
      try set([(orderKey.name, .integer(place))], of: member)
      try mark(member, inverse, [.orderKey])
      last = place
    }
  }

  private func insert(
    _ member: Row, of row: Row, into join: JoinTable, _ end: JoinTable.End
  ) throws {
    let columns = join.columns(from: end)
    var names = [columns.owner, columns.member]
    var pair = [row.primaryKey, member.primaryKey]
    // One row represents both directions, with the lower key first.
    if join.isReflexive { pair.sort() }
    if let back = columns.back {
      names.append(back)
      let last = try statement.integer(
        "SELECT max(\(quoted(back))) FROM \(quoted(join.name)) "
          + "WHERE \(quoted(columns.member)) = ?", [.integer(member.primaryKey)])
      pair.append(try Self.place(after: last, table: join.name))
    }
    try statement.insert(into: join.name, names, pair.map(StoredValue.integer))
  }

  private func place(
    _ members: [Row], of row: Row, in join: JoinTable, _ end: JoinTable.End, order: String
  ) throws {
    let columns = join.columns(from: end)
    var place: Int64?
    for member in members {
      let next = try Self.place(after: place, table: join.name)
      try statement.run(
        "UPDATE \(quoted(join.name)) SET \(quoted(order)) = ? "
          + "WHERE \(quoted(columns.owner)) = ? AND \(quoted(columns.member)) = ?",
        [.integer(next), .integer(row.primaryKey), .integer(member.primaryKey)])
      place = next
    }
  }

  private func unjoin(
    _ join: JoinTable, _ end: JoinTable.End, _ row: Row, _ member: Row
  ) throws {
    let columns = join.columns(from: end)
    let condition = "\(quoted(columns.owner)) = ?1 AND \(quoted(columns.member)) = ?2"
    let reverse = "\(quoted(columns.owner)) = ?2 AND \(quoted(columns.member)) = ?1"
    try statement.run(
      "DELETE FROM \(quoted(join.name)) WHERE \(condition)"
        + (join.isReflexive ? " OR \(reverse)" : ""),
      [.integer(row.primaryKey), .integer(member.primaryKey)])
  }

  private func markBack(_ member: Row, _ relationship: StoredProperty) throws {
    guard let inverse = relationship.inverse else { return }
    try mark(member, inverse.name, Self.toManyRoles)
  }

  /// Returns the destinations of a relationship, in order if it is ordered.
  private func members(of relationship: StoredProperty, _ row: Row) throws -> [Row] {
    guard let table = schema.tables.table(of: relationship.destinationName) else { return [] }
    switch relationship.storage {
    case .columns: return try target(of: relationship, row).map { [$0] } ?? []
    case .inverseColumns(let key, _, _), .hidden(let key): try schema.check(key, of: table)
    case .join(let join, _): try schema.checkWritable(join.name, columns: join.columnNames)
    case .value, nil: break
    }
    guard let condition = relationship.condition(row: "t", owner: "?1") else { return [] }
    let place = relationship.placeColumn.map { "t.\(quoted($0.name)), " } ?? ""
    let rows = try statement.rows(
      "SELECT t.Z_PK, t.Z_ENT FROM \(quoted(table.name)) AS t WHERE \(condition) "
        + "ORDER BY \(place)t.Z_PK", [.integer(row.primaryKey)])
    return try rows.compactMap { values in
      guard case .integer(let key) = values[0], case .integer(let number) = values[1] else {
        return nil
      }
      return try self.row(key, number, in: table)
    }
  }

  private func unkept(_ relationship: StoredProperty, _ row: Row) -> StoreError {
    .unknownProperty(entity: row.entityName, property: relationship.name)
  }

  // MARK: - Deleting

  /// Deletes an object, and those that the delete rules cascade to.
  func delete(_ row: Row) throws {
    var pending = [row]
    while let next = pending.popLast() {
      guard kinds[next] != .delete else { continue }
      for relationship in schema.relationships(of: next.entityName) {
        pending += try release(next, relationship)
      }
      try remove(next)
    }
  }

  /// Detaches the destinations of a relationship of an object that is about to be deleted.
  ///
  /// - Returns: The objects to be deleted with it.
  private func release(_ row: Row, _ relationship: StoredProperty) throws -> [Row] {
    let members = try self.members(of: relationship, row)
    let left = members.filter { $0 != row }
    if relationship.deleteRule == .deny, left.contains(where: { !deletedRows.contains($0) }) {
      throw StoreWriteError.deletionDenied(
        entity: row.entityName, primaryKey: row.primaryKey, relationship: relationship.name)
    }
    if case .join(let join, let end)? = relationship.storage {
      // A pair without one of its objects is useless, whatever the rule.
      for member in members { try unjoin(join, end, row, member) }
    }
    if relationship.deleteRule == .noAction { return [] }
    for member in left { try detach(member, relationship) }
    return relationship.deleteRule == .cascade ? left.reversed() : []
  }
}
