/// A relationship with its inverse and the columns it is kept in.
package struct Relationship {
  package enum Storage {
    /// In columns of the object that has it.
    case columns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// In the columns of the objects at the other end.
    case inverseColumns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// In a column of the objects at the other end, which have no relationship for it.
    case hidden(EntityTables.Column)
    case join(JoinTable, JoinTable.End)
  }

  package let name: String
  package let destinationName: String
  package let deleteRule: ManagedRelationship.DeleteRule
  package let isToMany: Bool
  package let isOrdered: Bool
  package let isOptional: Bool
  package let inverse: ManagedRelationship?
  package let storage: Storage?

  package init(
    _ relationship: ManagedRelationship, declaring: String, model: ManagedModel,
    tables: EntityTables
  ) {
    name = relationship.name
    destinationName = relationship.destinationName ?? ""
    deleteRule = relationship.deleteRule
    isToMany = relationship.isToMany
    isOrdered = relationship.isOrdered
    isOptional = relationship.isOptional
    let back = relationship.inverseName.flatMap { name in
      model.declaringEntity(of: name, in: relationship.destinationName ?? "")
    }
    inverse = relationship.inverseName.flatMap { back?.propertiesByName[$0]?.relationship }
    if !relationship.isToMany {
      storage = tables.toOneColumns(relationship.name, declaredIn: declaring)
        .map { .columns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else if let inverse, let back {
      storage =
        inverse.isToMany
        ? tables.joinTable(relationship.name, declaredIn: declaring).map {
          .join($0, JoinTable.End(entityName: declaring, relationshipName: relationship.name))
        }
        : tables.toOneColumns(inverse.name, declaredIn: back.name)
          .map { .inverseColumns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else {
      storage = tables.hiddenColumn(of: relationship.name, declaredIn: declaring)
        .map(Storage.hidden)
    }
  }
}

extension Relationship {
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
    case .columns, nil:
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
    case .hidden, .columns, nil: return nil
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
    case .columns, nil:
      return nil
    }
  }

  /// The column that keeps the order of an ordered relationship's objects in their own rows.
  package var placeColumn: EntityTables.Column? {
    guard case .inverseColumns(_, _, let place) = storage else { return nil }
    return place
  }
}

/// An object in a store, or one that a save will insert.
package struct StoreObject: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case stored(primaryKey: Int64)
    case inserted(number: Int)
  }

  package let entityName: String
  package let place: Place

  package init(entityName: String, primaryKey: Int64) {
    self.entityName = entityName
    place = .stored(primaryKey: primaryKey)
  }

  package init(entityName: String, insertedAs number: Int) {
    self.entityName = entityName
    place = .inserted(number: number)
  }

  /// The primary key, or `nil` for an object that a save will insert; ``AppendedTransaction/primaryKey(of:)``
  /// then returns it.
  package var primaryKey: Int64? {
    if case .stored(let primaryKey) = place { primaryKey } else { nil }
  }
}
