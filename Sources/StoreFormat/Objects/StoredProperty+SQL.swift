/// SQL for the objects at the other end of a to-many relationship.
extension StoredProperty {
  /// The condition that the rows at the other end of a to-many relationship meet.
  ///
  /// Returns `nil` for a to-one relationship, which is kept in a column of its owner.
  ///
  /// - Parameters:
  ///   - row: The SQL name of a row of the destination's table.
  ///   - owner: SQL for the primary key of the object that has the relationship.
  package func condition(row: String, owner: String) -> String? {
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
    case .value, .columns, nil:
      return nil
    }
  }

  /// SQL for the place of a row among those that meet ``condition(row:owner:)``; `nil` without an order.
  package func place(row: String, owner: String) -> String? {
    switch storage {
    case .inverseColumns(_, _, let place): return place.map { "\(row).\(quoted($0.name))" }
    case .join(let join, let end):
      let columns = join.columns(from: end)
      return columns.order.map {
        "(SELECT \(quoted($0)) FROM \(quoted(join.name)) WHERE \(quoted(columns.owner)) = \(owner) "
          + "AND \(quoted(columns.member)) = \(row).Z_PK)"
      }
    case .value, .columns, .hidden, nil: return nil
    }
  }

  /// The rows at the other end of a to-many relationship, from `FROM` on, and SQL for the primary key of
  /// the object that each is related to, or `nil` for a to-one relationship.
  ///
  /// - Parameters:
  ///   - table: The destination's table.
  ///   - row: The SQL name for one of its rows.
  package func ownedRows(of table: String, row: String) -> (rows: String, owner: String)? {
    let rows = "\(quoted(table)) AS \(row)"
    switch storage {
    case .inverseColumns(let key, _, _), .hidden(let key):
      return (rows, "\(row).\(quoted(key.name))")
    case .join(let join, let end):
      let columns = join.columns(from: end)
      let (own, member) = (quoted(columns.owner), quoted(columns.member))
      let pairs = "SELECT \(own) AS o, \(member) AS m FROM \(quoted(join.name))"
      // A relationship that is its own inverse has one row for both directions.
      let reverse =
        join.isReflexive ? " UNION SELECT \(member), \(own) FROM \(quoted(join.name))" : ""
      return ("(\(pairs)\(reverse)) AS x JOIN \(rows) ON \(row).Z_PK = x.m", "x.o")
    case .value, .columns, nil:
      return nil
    }
  }

  /// The column that keeps the order of an ordered relationship's objects in their own rows.
  package var placeColumn: EntityTables.Column? {
    guard case .inverseColumns(_, _, let place) = storage else { return nil }
    return place
  }

  /// The statement that counts the objects that are related to the one with a primary key; `nil` for a property of
  /// the object's own row.
  var countQuery: String? {
    guard let table else { return nil }
    // An entry that an index lost would make the count too low.
    let rows = quoted(table) + " NOT INDEXED"
    switch storage {
    case .inverseColumns(let key, _, _), .hidden(let key):
      return "SELECT count(*) FROM \(rows) WHERE \(quoted(key.name)) = ?1"
    case .join(let join, let end):
      let columns = join.columns(from: end)
      let (own, member) = (quoted(columns.owner), quoted(columns.member))
      guard join.isReflexive else { return "SELECT count(*) FROM \(rows) WHERE \(own) = ?1" }
      return """
        SELECT count(*) FROM (
          SELECT \(member) FROM \(rows) WHERE \(own) = ?1
          UNION SELECT \(own) FROM \(rows) WHERE \(member) = ?1)
        """
    case .value, .columns, nil: return nil
    }
  }
}
