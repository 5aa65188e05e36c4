import StoreFormat

/// Which property of a store's model becomes which one of another model.
///
/// A property keeps its name, or names by its renaming identifier the one that it was. Whatever cannot
/// be told from the two models alone is an obstacle.
struct ModelMapping {
  /// The model that the store has.
  let old: ManagedModel
  /// The model that it gets.
  let new: ManagedModel
  /// For every entity that both models have, the former names of the properties that it adds.
  private let formerNames: [String: [String: String]]

  /// - Throws: ``StoreWriteError/notInferable(entity:property:reason:remedy:)``.
  init(from old: ManagedModel, to new: ManagedModel) throws {
    self.old = old
    self.new = new
    var formerNames: [String: [String: String]] = [:]
    for name in new.entities.keys.sorted(by: ordinally) {
      guard let former = old.entities[name], let present = new.entities[name] else { continue }
      guard old.lineage(of: name)?.first?.name == new.lineage(of: name)?.first?.name else {
        throw StoreWriteError.notInferable(
          entity: name, property: nil, obstacle: .anotherHierarchy)
      }
      formerNames[name] = Self.names(of: present, formerly: former)
    }
    self.formerNames = formerNames
    for name in formerNames.keys.sorted(by: ordinally) { try check(name) }
  }

  /// The entities that both models have.
  var commonEntities: [String] { formerNames.keys.sorted(by: ordinally) }

  /// The former name of a property that an entity adds; nil for a new one.
  func formerName(of property: String, declaredIn entity: String) -> String? {
    formerNames[entity]?[property]
  }

  /// The present names of the properties of an entity, inherited ones included, by the former names.
  func presentNames(of entity: String) -> [String: String] {
    var names: [String: String] = [:]
    for ancestor in new.lineage(of: entity) ?? [] {
      for (present, former) in formerNames[ancestor.name] ?? [:] { names[former] = present }
    }
    return names
  }

  // MARK: - Names

  private static func names(
    of present: ManagedEntity, formerly former: ManagedEntity
  ) -> [String: String] {
    let formerOnes = Set(former.keptProperties.map(\.name))
    var names: [String: String] = [:]
    var claimed: Set<String> = []
    // What says that it had another name comes first: a new property may have that name by now.
    for property in present.keptProperties {
      guard let identifier = property.renamingIdentifier, identifier != property.name,
        !formerOnes.contains(property.name), formerOnes.contains(identifier),
        claimed.insert(identifier).inserted
      else { continue }
      names[property.name] = identifier
    }
    for property in present.keptProperties
    where formerOnes.contains(property.name) && !claimed.contains(property.name) {
      names[property.name] = property.name
    }
    return names
  }

  // MARK: - Obstacles

  private func check(_ name: String) throws {
    guard let former = old.entities[name], let present = new.entities[name] else { return }
    let kept = formerNames[name] ?? [:]
    let formerOnes = former.propertiesByName
    for property in present.keptProperties.sortedByName() {
      func obstacle(_ obstacle: MigrationObstacle) -> StoreWriteError {
        .notInferable(entity: name, property: property.name, obstacle: obstacle)
      }
      if let formerName = kept[property.name], let other = formerOnes[formerName] {
        if let found = Self.obstacle(from: other, to: property) { throw obstacle(found) }
        continue
      }
      for candidate in [property.name, property.renamingIdentifier].compactMap({ $0 }) {
        if let owner = old.declaringEntity(of: candidate, in: name)?.name, owner != name {
          throw obstacle(.anotherOwner(former: owner, present: name))
        }
      }
      if let attribute = property.attribute, !attribute.isOptional, !attribute.hasDefault {
        throw obstacle(.withoutDefault)
      }
    }
    // A property that moved up would be lost without a word.
    let names = Set(kept.values)
    for property in former.keptProperties where !names.contains(property.name) {
      if let owner = new.declaringEntity(of: property.name, in: name)?.name, owner != name {
        throw StoreWriteError.notInferable(
          entity: name, property: property.name,
          obstacle: .anotherOwner(former: name, present: owner))
      }
    }
  }

  private static func obstacle(
    from former: ManagedProperty, to present: ManagedProperty
  ) -> MigrationObstacle? {
    switch (former, present) {
    case (.attribute(let former), .attribute(let present)):
      // Values stay in the column when they may stand in files from now on.
      if former.allowsExternalStorage != present.allowsExternalStorage,
        former.allowsExternalStorage || !present.keepsLargeValues
      {
        return .anotherPlaceOfValues
      }
      let (before, now) = (former.typeInWords, present.typeInWords)
      return before == now ? nil : .anotherType(former: before, present: now)
    case (.relationship(let former), .relationship(let present)):
      let (before, now) = (
        former.destinationName ?? "nothing", present.destinationName ?? "nothing"
      )
      return before == now ? nil : .anotherDestination(former: before, present: now)
    default: return .anotherKind
    }
  }
}

extension ManagedEntity {
  /// The attributes and relationships that the store keeps.
  var keptProperties: [ManagedProperty] {
    storedProperties.filter { $0.attribute != nil || $0.relationship != nil }
  }
}

extension ManagedProperty {
  /// The name that it had in the model before.
  var renamingIdentifier: String? {
    attribute?.renamingIdentifier ?? relationship?.renamingIdentifier
  }
}

extension ManagedAttribute {
  /// Whether a new object has a value there that nobody gave it.
  var hasDefault: Bool { defaultValue != nil || elements.contains(where: \.hasDefault) }

  /// The type with its elements.
  var typeInWords: String {
    guard !elements.isEmpty else { return type.name }
    let parts = elements.map { "\($0.name): \($0.typeInWords)" }.sorted(by: ordinally)
    return "\(type.name) of \(parts.joined(separator: ", "))"
  }
}
