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

  /// Whether the relationship is its own inverse, so that one row represents both directions.
  package var isReflexive: Bool { first == second }

  /// The columns in table order.
  package var columnNames: [String] {
    [firstOwnerColumn, secondOwnerColumn]
      + [secondOrderColumn, firstOrderColumn].compactMap { $0 }
  }

  /// Returns the table with the names that its columns have in a store.
  ///
  /// Where relationships to one entity have the same name, a digit tells their columns apart. The frameworks keep the
  /// digits of a migrated store, which then are not those of its model.
  func matching(_ present: [String]) -> JoinTable {
    func column(_ name: String) -> String {
      guard !present.contains(name) else { return name }
      let matches = present.filter { $0.withoutDigitsAtEnd == name.withoutDigitsAtEnd }
      return matches.count == 1 ? matches[0] : name
    }
    return JoinTable(
      name: name, first: first, second: second, firstOwnerColumn: column(firstOwnerColumn),
      secondOwnerColumn: column(secondOwnerColumn),
      firstOrderColumn: firstOrderColumn.map(column),
      secondOrderColumn: secondOrderColumn.map(column))
  }

  /// Returns the table without columns for places that a store does not have; `nil` if it lacks one of the keys.
  func present(in columns: Set<String>) -> JoinTable? {
    guard columns.contains(firstOwnerColumn), columns.contains(secondOwnerColumn) else {
      return nil
    }
    func kept(_ column: String?) -> String? { column.flatMap { columns.contains($0) ? $0 : nil } }
    return JoinTable(
      name: name, first: first, second: second, firstOwnerColumn: firstOwnerColumn,
      secondOwnerColumn: secondOwnerColumn, firstOrderColumn: kept(firstOrderColumn),
      secondOrderColumn: kept(secondOrderColumn))
  }

  /// The tables of a model, in the order in which they are created.
  static func tables(of hierarchy: EntityHierarchy) -> [JoinTable] {
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
        if own.isEmpty { continue }
        let byName = Dictionary(keepingFirst: own.map { ($0.name, $0) })
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
  /// The frameworks visit entities by name, and a sub-entity with its inherited relationships: the end that
  /// is visited first counts. Within one entity, it is the first in the framework's dictionary.
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

/// A model with its entities numbered, as far as tables depend on it.
struct EntityHierarchy {
  /// A to-many relationship without an inverse, for which its destination has a column.
  struct HiddenRelationship {
    let ownerNumber: Int64
    let ownerName: String
    let name: String
  }

  let model: ManagedModel
  /// The entities that inherit from none, by number.
  let roots: [String]
  private let numbers: [String: Int64]
  private let membersByRoot: [String: [String]]
  private let superentities: Set<String>
  private let hidden: [String: [HiddenRelationship]]
  private let firstNames: [String: String]

  /// - Throws: ``StoreError/invalidModel(detail:)`` where an entity has no number or its
  ///   hierarchy does not end.
  init(model: ManagedModel, numbering: EntityNumbering) throws {
    var numbers: [String: Int64] = [:]
    var firstNames: [String: String] = [:]
    var members: [String: [String]] = [:]
    for name in model.entities.keys {
      guard let number = numbering.number(of: name) else {
        throw StoreError.invalidModel(detail: "the store has no number for entity \(name)")
      }
      guard let lineage = model.lineage(of: name), let root = lineage.first?.name else {
        throw StoreError.invalidModel(
          detail: "what the entity \(name) inherits from is missing or does not end")
      }
      for ancestor in lineage.map(\.name) {
        let first = firstNames[ancestor] ?? name
        firstNames[ancestor] = EntityNumbering.precedes(name, first) ? name : first
      }
      numbers[name] = number
      members[root, default: []].append(name)
    }
    self.model = model
    self.firstNames = firstNames
    self.numbers = numbers
    membersByRoot = members.mapValues { $0.sorted { numbers[$0] ?? 0 < numbers[$1] ?? 0 } }
    roots = members.keys.sorted { numbers[$0] ?? 0 < numbers[$1] ?? 0 }
    superentities = Set(model.entities.values.compactMap(\.superentityName))
    var hidden: [String: [HiddenRelationship]] = [:]
    for entity in model.entities.values {
      for relationship in entity.relationships
      where relationship.isToMany && !relationship.isTransient {
        guard let destination = relationship.destinationName,
          Self.inverse(of: relationship, in: model) == nil
        else { continue }
        hidden[destination, default: []].append(
          HiddenRelationship(
            ownerNumber: numbers[entity.name] ?? 0, ownerName: entity.name,
            name: relationship.name))
      }
    }
    self.hidden = hidden.mapValues { relationships in
      relationships.sorted {
        $0.ownerNumber == $1.ownerNumber
          ? ordinally($0.name, $1.name) : $0.ownerNumber < $1.ownerNumber
      }
    }
  }

  /// The number of an entity of the model.
  func number(of name: String) -> Int64 { numbers[name] ?? 0 }

  /// The entities of a hierarchy, the root first, by number.
  func members(of root: String) -> [String] { membersByRoot[root] ?? [] }

  var entityNames: [String] { numbers.keys.sorted { number(of: $0) < number(of: $1) } }

  /// The first name, in the order of entities, among an entity and all that inherit from it.
  func firstName(under name: String) -> String { firstNames[name] ?? name }

  /// Returns the stored properties that an entity adds, by name.
  func storedProperties(of name: String) -> [ManagedProperty] {
    model.entities[name]?.storedProperties ?? []
  }

  /// The to-many relationships without an inverse that lead to an entity.
  func hiddenRelationships(to name: String) -> [HiddenRelationship] { hidden[name] ?? [] }

  /// The number in the name of a relationship's entity key column, or `nil` where it needs none, its
  /// destination having no sub-entities.
  func entityKeyNumber(of relationship: ManagedRelationship) -> Int64? {
    guard let name = relationship.destinationName, superentities.contains(name) else { return nil }
    return number(of: name)
  }

  func inverse(of relationship: ManagedRelationship) -> ManagedRelationship? {
    Self.inverse(of: relationship, in: model)
  }

  private static func inverse(
    of relationship: ManagedRelationship, in model: ManagedModel
  ) -> ManagedRelationship? {
    guard let destination = relationship.destinationName, let name = relationship.inverseName
    else { return nil }
    return model.relationship(name, of: destination)
  }
}

extension ManagedModel {
  /// The entity of a lineage that adds a property.
  package func declaringEntity(of property: String, in entityName: String) -> ManagedEntity? {
    lineage(of: entityName)?.first { $0.propertiesByName[property] != nil }
  }
}

extension String {
  fileprivate var withoutDigitsAtEnd: Substring {
    self[..<(lastIndex { !$0.isASCII || !$0.isNumber }.map(index(after:)) ?? startIndex)]
  }
}
