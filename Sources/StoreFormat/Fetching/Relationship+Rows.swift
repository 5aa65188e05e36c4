extension Relationship {
  /// The condition that the rows at the other end of a to-many relationship meet.
  ///
  /// Nil for a to-one relationship, which stands in a column of its owner.
  ///
  /// - Parameters:
  ///   - row: What SQL calls a row of the destination's table.
  ///   - owner: SQL for the primary key of the object that has the relationship.
  func condition(row: String, owner: String) -> String? {
    switch storage {
    case .inverseColumns(let key, _, _), .hidden(let key):
      return "\(row).\(quoted(key.name)) = \(owner)"
    case .join(let join, let end):
      let columns = join.columns(from: end)
      let (own, member, table) = (
        quoted(columns.owner), quoted(columns.member), quoted(join.name)
      )
      // A relationship that is its own inverse has one row for both directions.
      let reverse =
        join.isReflexive ? " UNION SELECT \(own) FROM \(table) WHERE \(member) = \(owner)" : ""
      return "\(row).Z_PK IN (SELECT \(member) FROM \(table) WHERE \(own) = \(owner)\(reverse))"
    case .columns, nil:
      return nil
    }
  }

  /// The column that keeps the order of an ordered relationship's objects in their own rows.
  var placeColumn: EntityTables.Column? {
    guard case .inverseColumns(_, _, let place) = storage else { return nil }
    return place
  }
}
