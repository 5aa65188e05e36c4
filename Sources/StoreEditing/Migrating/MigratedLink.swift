import StoreFormat

/// A relationship with its inverse in the new model, and the one that it was.
///
/// Objects that are related stay so, however the relationship is kept: the pairs of a former
/// relationship are what a new one is filled with where its columns cannot just be copied.
struct MigratedLink {
  /// One of the two relationships, at the entity that adds it.
  struct End: Hashable {
    let entityName: String
    let relationship: ManagedRelationship

    var join: JoinTable.End {
      JoinTable.End(entityName: entityName, relationshipName: relationship.name)
    }
  }

  /// A relationship of the old model.
  struct Former {
    let end: End
    /// Whether it leads from the objects of ``MigratedLink/second`` to those of
    /// ``MigratedLink/first``.
    let isReversed: Bool
  }

  /// One end.
  let first: End
  /// The other end; nil for a relationship without an inverse.
  let second: End?
  /// The relationship that it was; nil for a new one.
  let former: Former?

  /// Whether the relationship is its own inverse.
  var isReflexive: Bool { second?.join == first.join }

  /// All relationships that a store of the new model keeps, each with its inverse once.
  ///
  /// - Throws: ``StoreWriteError/notInferable(entity:property:reason:remedy:)`` where the two ends of one
  ///   relationship were two.
  static func links(_ mapping: ModelMapping) throws -> [MigratedLink] {
    var links: [MigratedLink] = []
    var seen: Set<JoinTable.End> = []
    for name in mapping.new.entities.keys.sorted(by: ordinally) {
      let properties = mapping.new.entities[name]?.keptProperties.sortedByName() ?? []
      for relationship in properties.compactMap(\.relationship) {
        let first = End(entityName: name, relationship: relationship)
        guard seen.insert(first.join).inserted else { continue }
        let second = inverse(of: first, in: mapping.new)
        if let second { seen.insert(second.join) }
        links.append(
          MigratedLink(
            first: first, second: second, former: try former(first, second, mapping)))
      }
    }
    return links
  }

  /// The end at the other side.
  static func inverse(of end: End, in model: ManagedModel) -> End? {
    guard let name = end.relationship.inverseName,
      let destination = end.relationship.destinationName,
      let entity = model.declaringEntity(of: name, in: destination),
      let relationship = entity.propertiesByName[name]?.relationship
    else { return nil }
    return End(entityName: entity.name, relationship: relationship)
  }

  private static func former(
    _ first: End, _ second: End?, _ mapping: ModelMapping
  ) throws -> Former? {
    func formerEnd(_ end: End) -> End? {
      mapping.formerName(of: end.relationship.name, declaredIn: end.entityName)
        .flatMap { mapping.old.entities[end.entityName]?.propertiesByName[$0]?.relationship }
        .map { End(entityName: end.entityName, relationship: $0) }
    }
    let (ahead, behind) = (formerEnd(first), second.flatMap(formerEnd))
    if let ahead, let behind, second?.join != first.join,
      inverse(of: behind, in: mapping.old)?.join != ahead.join
    {
      throw StoreWriteError.notInferable(
        entity: first.entityName, property: first.relationship.name,
        obstacle: .separateRelationships)
    }
    return ahead.map { Former(end: $0, isReversed: false) }
      ?? behind.map { Former(end: $0, isReversed: true) }
  }
}
