/// A model with its entities numbered, as far as tables depend on it.
package struct EntityHierarchy {
  /// A to-many relationship without an inverse, for which its destination has a column.
  struct HiddenRelationship {
    let ownerNumber: Int64
    let ownerName: String
    let name: String
  }

  /// The model.
  package let model: ManagedModel
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
  package func number(of name: String) -> Int64 { numbers[name] ?? 0 }

  /// The entities of a hierarchy, the root first, by number.
  func members(of root: String) -> [String] { membersByRoot[root] ?? [] }

  /// All entities by number.
  var entityNames: [String] { numbers.keys.sorted { number(of: $0) < number(of: $1) } }

  /// The first name, in the order of entities, among an entity and all that inherit from it.
  func firstName(under name: String) -> String { firstNames[name] ?? name }

  /// What an entity adds and a store keeps, by name.
  package func storedProperties(of name: String) -> [ManagedProperty] {
    model.entities[name]?.storedProperties.sortedByName() ?? []
  }

  /// The to-many relationships without an inverse that lead to an entity.
  func hiddenRelationships(to name: String) -> [HiddenRelationship] { hidden[name] ?? [] }

  /// The number in the name of a relationship's entity key column; nil where it needs none, its
  /// destination having no sub-entities.
  func entityKeyNumber(of relationship: ManagedRelationship) -> Int64? {
    guard let name = relationship.destinationName, superentities.contains(name) else { return nil }
    return number(of: name)
  }

  /// The relationship that leads back.
  package func inverse(of relationship: ManagedRelationship) -> ManagedRelationship? {
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
