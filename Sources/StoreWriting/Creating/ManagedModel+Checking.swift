import StoreFormat
import StoreTransactions

extension ManagedModel {
  /// Checks that a store for the model could be read by the frameworks and by this code.
  ///
  /// - Throws: ``StoreError/invalidModel(detail:)``, ``StoreWriteError/wrongValue(entity:attribute:expected:found:)``.
  func check() throws {
    var tableNames: [String: String] = [:]
    for (key, entity) in entities.sorted(by: { ordinally($0.key, $1.key) }) {
      try check(name: key, of: "an entity")
      guard let lineage = self.lineage(of: key) else {
        throw StoreError.invalidModel(
          detail: "the inheritance of the entity \(key) has a missing entity or a cycle")
      }
      // Two entities whose names differ in case only would share a table.
      if let other = tableNames.updateValue(key, forKey: key.uppercased()) {
        throw StoreError.invalidModel(detail: "\(other) and \(key) differ in case only")
      }
      try check(entity, lineage: lineage)
    }
  }

  private func check(_ entity: ManagedEntity, lineage: [ManagedEntity]) throws {
    var seen = Set(lineage.dropLast().flatMap { $0.properties.map(\.name) })
    for property in entity.properties {
      try check(name: property.name, of: "a property of \(entity.name)")
      guard seen.insert(property.name).inserted else {
        throw StoreError.invalidModel(
          detail: "\(entity.name) has or inherits two properties \(property.name)")
      }
      if let relationship = property.relationship { try check(relationship, of: entity.name) }
      if let attribute = property.attribute { try check(attribute, of: entity.name, depth: 0) }
    }
  }

  private func check(_ attribute: ManagedAttribute, of entity: String, depth: Int) throws {
    guard depth < 8 else {
      throw StoreError.invalidModel(
        detail: "\(entity).\(attribute.name) has elements more than 8 levels deep")
    }
    if let value = attribute.defaultValue, !attribute.type.accepts(value) {
      throw StoreWriteError.wrongValue(
        entity: entity, attribute: attribute.name, expected: attribute.type.expectedValue,
        found: value.kindName)
    }
    for element in attribute.elements {
      try check(name: element.name, of: "an element of \(entity).\(attribute.name)")
      try check(element, of: entity, depth: depth + 1)
    }
  }

  private func check(_ relationship: ManagedRelationship, of entity: String) throws {
    guard let destination = relationship.destinationName, entities[destination] != nil else {
      throw StoreError.invalidModel(
        detail: "\(entity).\(relationship.name) leads to no entity of the model")
    }
    guard let name = relationship.inverseName else {
      if relationship.isOrdered {
        throw StoreError.invalidModel(
          detail: "\(entity).\(relationship.name) is ordered and has no inverse")
      }
      return
    }
    guard let inverse = self.relationship(name, of: destination),
      inverse.inverseName == relationship.name, let back = inverse.destinationName,
      isRelated(entity, back)
    else {
      throw StoreError.invalidModel(
        detail: "\(entity).\(relationship.name) has the inverse \(destination).\(name), which does "
          + "not lead back")
    }
  }

  /// Returns whether one of two entities inherits from the other; an inverse may lead to either.
  private func isRelated(_ left: String, _ right: String) -> Bool {
    lineage(of: left)?.contains { $0.name == right } ?? false
      || lineage(of: right)?.contains { $0.name == left } ?? false
  }

  /// Checks a name, which becomes part of table and column names.
  private func check(name: String, of what: String) throws {
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    guard isPlain, let first = name.unicodeScalars.first, !("0"..."9").contains(first),
      name.utf8.count <= 512
    else {
      throw StoreError.invalidModel(
        detail: "\"\(name)\" is not a name for \(what): it takes letters, digits and underscores")
    }
  }
}
