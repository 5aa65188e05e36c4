/// The table of a many-to-many relationship and its inverse.
///
/// One row per pair of objects. The table is named after the relationship of one of the two ends,
/// here the first.
package struct JoinTable: Hashable, Sendable {
  /// One of the two relationships, at the entity that adds it.
  package struct End: Hashable, Sendable {
    package let entityName: String
    package let relationshipName: String

    package init(entityName: String, relationshipName: String) {
      self.entityName = entityName
      self.relationshipName = relationshipName
    }
  }

  /// The table's name.
  package let name: String
  /// The relationship that the table is named after.
  package let first: End
  /// Its inverse; the same for a relationship that is its own inverse.
  package let second: End
  /// The column that holds the primary key of the object that has the first relationship.
  package let firstOwnerColumn: String
  /// The column that holds the primary key of the object that has the second relationship.
  package let secondOwnerColumn: String
  /// The column for the place of the second's owner in the first relationship, if that is ordered.
  let firstOrderColumn: String?
  /// The column for the place of the first's owner in the second relationship, if that is ordered.
  let secondOrderColumn: String?

  /// The columns as they are seen from an object that has one of the two relationships.
  package func columns(
    from end: End
  ) -> (owner: String, member: String, order: String?, back: String?) {
    end == first
      ? (firstOwnerColumn, secondOwnerColumn, firstOrderColumn, secondOrderColumn)
      : (secondOwnerColumn, firstOwnerColumn, secondOrderColumn, firstOrderColumn)
  }

  /// Whether the relationship is its own inverse, so that a pair stands in two rows.
  package var isReflexive: Bool { first == second }

  /// The columns in table order.
  package var columnNames: [String] {
    [firstOwnerColumn, secondOwnerColumn]
      + [secondOrderColumn, firstOrderColumn].compactMap { $0 }
  }

  /// The tables of a model, in the order in which they are created.
  package static func tables(of hierarchy: EntityHierarchy) -> [JoinTable] {
    // Every relationship has a column that names its destination's number; a clash gets a digit.
    var columnNames = UnusedNames()
    var memberColumns: [End: String] = [:]
    var order = SlotOrder(hierarchy.model)
    for entityName in hierarchy.entityNames {
      for relationship in manyToMany(of: entityName, hierarchy) {
        let destination = hierarchy.number(of: relationship.destinationName ?? "")
        memberColumns[End(entityName: entityName, relationshipName: relationship.name)] =
          columnNames.take("Z_\(destination)\(relationship.name.uppercased())")
      }
    }
    var tables: [JoinTable] = []
    var tableNames = UnusedNames()
    for root in hierarchy.roots {
      for entityName in hierarchy.members(of: root) {
        let own = manyToMany(of: entityName, hierarchy)
        let byName = Dictionary(own.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let slots = order.slots(of: entityName)?.slots.filter { $0.role == .manyToMany } ?? []
        for relationship in slots.compactMap({ byName[$0.name] }) {
          let end = End(entityName: entityName, relationshipName: relationship.name)
          guard let other = otherEnd(of: relationship, hierarchy),
            isFirst(end, other, ownOrder: slots.map(\.name), hierarchy),
            let ownMember = memberColumns[end], let otherMember = memberColumns[other]
          else { continue }
          let number = hierarchy.number(of: entityName)
          let isOrdered = relationship.isOrdered
          let isBackOrdered = hierarchy.inverse(of: relationship)?.isOrdered ?? false
          tables.append(
            JoinTable(
              name: tableNames.take("Z_\(number)\(relationship.name.uppercased())"),
              first: end, second: other,
              firstOwnerColumn: otherMember,
              secondOwnerColumn: end == other ? "REFLEXIVE" : ownMember,
              firstOrderColumn: isOrdered && end != other
                ? "Z_FOK_" + ownMember.dropFirst(2) : nil,
              secondOrderColumn: isBackOrdered && end != other
                ? "Z_FOK_" + otherMember.dropFirst(2) : nil))
        }
      }
    }
    return tables
  }

  private static func manyToMany(
    of entityName: String, _ hierarchy: EntityHierarchy
  ) -> [ManagedRelationship] {
    hierarchy.storedProperties(of: entityName).compactMap(\.relationship).filter {
      $0.isToMany && hierarchy.inverse(of: $0)?.isToMany ?? false
    }
  }

  /// The inverse, at the entity that adds it.
  private static func otherEnd(
    of relationship: ManagedRelationship, _ hierarchy: EntityHierarchy
  ) -> End? {
    guard let destination = relationship.destinationName, let name = relationship.inverseName,
      let entity = hierarchy.model.declaringEntity(of: name, in: destination)
    else { return nil }
    return End(entityName: entity.name, relationshipName: name)
  }

  /// Whether the table is named after this end.
  ///
  /// The frameworks go through the entities by name, and a sub-entity brings what it inherits: the end
  /// that is met first is the one. Inside one entity, it is the one that the framework's dictionary
  /// gives first.
  private static func isFirst(
    _ end: End, _ other: End, ownOrder: [String], _ hierarchy: EntityHierarchy
  ) -> Bool {
    if end == other { return true }
    if end.entityName == other.entityName {
      return ownOrder.first { [end.relationshipName, other.relationshipName].contains($0) }
        == end.relationshipName
    }
    let (own, others) = (
      hierarchy.firstName(under: end.entityName), hierarchy.firstName(under: other.entityName)
    )
    // One of the two inherits from the other, and brings the relationships of both.
    if own == others {
      return hierarchy.number(of: end.entityName) < hierarchy.number(of: other.entityName)
    }
    return EntityNumbering.precedes(own, others)
  }
}
