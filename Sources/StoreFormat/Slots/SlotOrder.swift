/// Works out the slots of a model's entities.
///
/// What several entities need (which have sub-entities, how a hierarchy's properties add up, the
/// hash table that a sub-entity inherits) is worked out once.
package struct SlotOrder {
  private let model: ManagedModel
  private let superentities: Set<String>
  private var tables: [String: PropertyHashTable] = [:]

  init(_ model: ManagedModel) {
    self.model = model
    superentities = Set(model.entities.values.compactMap(\.superentityName))
  }

  /// The slots of an entity; nil for one that the model does not have, or that has more properties
  /// than the framework's order is known for.
  package mutating func slots(of entityName: String) -> EntitySlots? {
    guard let lineage = model.lineage(of: entityName) else { return nil }
    let properties = lineage.flatMap { entity in entity.storedProperties.sortedByName() }
    let toOne = properties.compactMap { $0.relationship }.filter { !$0.isToMany }
    let attributes = properties.compactMap { $0.attribute }
    guard let tableOrder = table(of: lineage)?.keys else { return nil }

    var slots = toOne.map { EntitySlots.Slot(name: $0.name, role: .toOne) }
    slots += toOne.filter(destinationHasSubentities).map { .init(name: $0.name, role: .entityKey) }
    slots += toOne.filter(inverseIsOrdered).map { .init(name: $0.name, role: .orderKey) }
    for attribute in attributes {
      let slot = EntitySlots.Slot(name: attribute.name, role: .attribute)
      slots += Array(repeating: slot, count: attribute.storedElementCount)
    }
    var toMany: [EntitySlots.Slot] = []
    var manyToMany: [EntitySlots.Slot] = []
    let toManyByName = Dictionary(
      properties.compactMap { $0.relationship }.filter(\.isToMany).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    for name in tableOrder {
      guard let relationship = toManyByName[name] else { continue }
      if inverse(of: relationship)?.isToMany == true {
        manyToMany.append(.init(name: name, role: .manyToMany))
      } else {
        toMany.append(.init(name: name, role: .toMany))
      }
    }
    return EntitySlots(
      slots: slots + toMany + manyToMany,
      tombstoneAttributes: attributes.filter(\.preservesValueOnDeletion).flatMap(\.storedElements))
  }

  // MARK: - Relationships

  private func inverse(of relationship: ManagedRelationship) -> ManagedRelationship? {
    guard let destination = relationship.destinationName, let name = relationship.inverseName else {
      return nil
    }
    return model.relationship(name, of: destination)
  }

  private func destinationHasSubentities(_ relationship: ManagedRelationship) -> Bool {
    relationship.destinationName.map(superentities.contains) ?? false
  }

  private func inverseIsOrdered(_ relationship: ManagedRelationship) -> Bool {
    inverse(of: relationship)?.isOrdered ?? false
  }

  // MARK: - The dictionary of an entity's properties

  /// The table that the last entity of a lineage ends up with, its order keys included.
  private mutating func table(of lineage: [ManagedEntity]) -> PropertyHashTable? {
    guard var table = inheritedTable(of: lineage) else { return nil }
    let ordered = lineage.flatMap { $0.storedProperties }.compactMap { $0.relationship }
      .filter { !$0.isToMany }.filter(inverseIsOrdered).map(\.name).sorted(by: ordinally)
    for name in ordered where !table.add("_Z_FOK_" + name.uppercased()) { return nil }
    return table
  }

  /// The table without order keys, which is what a sub-entity starts from.
  private mutating func inheritedTable(of lineage: [ManagedEntity]) -> PropertyHashTable? {
    var table: PropertyHashTable?
    for (index, entity) in lineage.enumerated() {
      if let known = tables[entity.name] {
        table = known
        continue
      }
      var own = index == 0 ? PropertyHashTable() : (table ?? PropertyHashTable()).copy()
      let properties = entity.storedProperties.sortedByName()
      var keys = index == 0 ? ["_ek", "_pk", "_opt"] : []
      keys += properties.filter { $0.relationship == nil }.map(\.name)
      for relationship in properties.compactMap({ $0.relationship }) {
        if !relationship.isToMany {
          keys.append("_Z" + relationship.name.uppercased())
          if destinationHasSubentities(relationship) {
            keys.append("_Z0_" + relationship.name.uppercased())
          }
        }
        keys.append(relationship.name)
      }
      for key in keys where !own.add(key) { return nil }
      tables[entity.name] = own
      table = own
    }
    return table
  }
}

/// Ordinal, case-sensitive order of UTF-16 units, which is how the framework sorts properties.
package func ordinally(_ left: String, _ right: String) -> Bool {
  left.utf16.lexicographicallyPrecedes(right.utf16)
}

extension [ManagedProperty] {
  /// The properties by name, ordinally.
  package func sortedByName() -> [ManagedProperty] { sorted { ordinally($0.name, $1.name) } }
}
