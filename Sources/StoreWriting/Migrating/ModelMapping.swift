import StoreFormat
import StoreTransactions

/// The correspondence between the properties of a store's model and of another model.
///
/// A property keeps its name, or its renaming identifier is its former name. Everything that the two
/// models alone do not explain is an obstacle.
struct ModelMapping {
  /// The present model of the store.
  let old: ManagedModel
  /// The model to migrate to.
  let new: ManagedModel
  /// The former names of own properties, by name, for every entity in both models.
  private let formerNames: [String: [String: String]]
  /// The differences that are obstacles if the store has rows or values that they concern.
  private(set) var possibleObstacles: [PossibleObstacle] = []

  struct PossibleObstacle {
    let entity: String
    let property: String
    let obstacle: MigrationObstacle
    /// The former property whose values would be lost, or `nil` for a new property, which each object
    /// would lack.
    let formerName: String?
  }

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
    for name in formerNames.keys.sorted(by: ordinally) {
      let found = try Self.possibleObstacles(
        name, kept: formerNames[name] ?? [:], from: old, to: new)
      // A property whose form has changed begins without values.
      for possible in found where possible.formerName != nil {
        formerNames[name]?[possible.property] = nil
      }
      possibleObstacles += found
    }
    self.formerNames = formerNames
  }

  var commonEntities: [String] { formerNames.keys.sorted(by: ordinally) }

  /// Returns the former name of an own property of an entity; `nil` for a new one.
  func formerName(of property: String, declaredIn entity: String) -> String? {
    formerNames[entity]?[property]
  }

  /// Returns the own property of an entity in the store's model that became one of the new model; `nil` for
  /// a new one.
  func former(_ property: String, declaredIn entity: String) -> ManagedProperty? {
    formerName(of: property, declaredIn: entity)
      .flatMap { old.entities[entity]?.propertiesByName[$0] }
  }

  /// Returns the present names of own and inherited properties of an entity, by former name.
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
    // Renamed properties come first, because a new property may have the former name.
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

  private static func possibleObstacles(
    _ name: String, kept: [String: String], from old: ManagedModel, to new: ManagedModel
  ) throws -> [PossibleObstacle] {
    guard let former = old.entities[name], let present = new.entities[name] else { return [] }
    var possibleObstacles: [PossibleObstacle] = []
    let formerOnes = former.propertiesByName
    for property in present.keptProperties.sortedByName() {
      func note(_ obstacle: MigrationObstacle, formerName: String?) {
        possibleObstacles.append(
          PossibleObstacle(
            entity: name, property: property.name, obstacle: obstacle, formerName: formerName))
      }
      if let formerName = kept[property.name], let other = formerOnes[formerName] {
        guard let found = obstacle(from: other, to: property) else { continue }
        note(found, formerName: formerName)
      } else {
        for candidate in [property.name, property.renamingIdentifier].compactMap({ $0 }) {
          if let owner = old.declaringEntity(of: candidate, in: name)?.name, owner != name {
            throw StoreWriteError.notInferable(
              entity: name, property: property.name,
              obstacle: .anotherOwner(former: owner, present: name))
          }
        }
      }
      if let attribute = property.attribute, !attribute.isOptional, !attribute.hasDefault {
        note(.withoutDefault, formerName: nil)
      }
    }
    // The values of a property that moved to a super-entity would be lost silently.
    let names = Set(kept.values)
    for property in former.keptProperties where !names.contains(property.name) {
      if let owner = new.declaringEntity(of: property.name, in: name)?.name, owner != name {
        throw StoreWriteError.notInferable(
          entity: name, property: property.name,
          obstacle: .anotherOwner(former: name, present: owner))
      }
    }
    return possibleObstacles
  }

  private static func obstacle(
    from former: ManagedProperty, to present: ManagedProperty
  ) -> MigrationObstacle? {
    switch (former, present) {
    case (.attribute(let former), .attribute(let present)):
      // Values stay in the column if they may be in files from now on.
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
  /// The attributes and relationships that are stored.
  var keptProperties: [ManagedProperty] {
    storedProperties.filter { $0.attribute != nil || $0.relationship != nil }
  }
}

extension ManagedProperty {
  /// The name in a former model.
  var renamingIdentifier: String? {
    attribute?.renamingIdentifier ?? relationship?.renamingIdentifier
  }
}

extension ManagedAttribute {
  /// Whether a new object gets a value by default.
  var hasDefault: Bool { defaultValue != nil || elements.contains(where: \.hasDefault) }

  /// The name of the type with its elements.
  var typeInWords: String {
    guard !elements.isEmpty else { return type.name }
    let parts = elements.map { "\($0.name): \($0.typeInWords)" }.sorted(by: ordinally)
    return "\(type.name) of \(parts.joined(separator: ", "))"
  }
}

/// A difference between two models that the models alone do not explain.
struct MigrationObstacle {
  /// The problem, as the rest of a sentence that begins with the property's name.
  let message: String
  let remedy: String

  private init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  private static let renameInstead =
    "leave it as it was, or give the new one another name and copy the values in a custom migration "
    + "stage"

  static func anotherType(former: String, present: String) -> MigrationObstacle {
    .init("was \(former) and is \(present)", remedy: renameInstead)
  }
  static let anotherKind = MigrationObstacle(
    "was an attribute or a relationship, and is the other one", remedy: renameInstead)
  static func anotherDestination(former: String, present: String) -> MigrationObstacle {
    .init("led to \(former) and leads to \(present)", remedy: renameInstead)
  }
  static let anotherPlaceOfValues = MigrationObstacle(
    "kept large values in files beside the store, and no longer does", remedy: renameInstead)
  static func anotherOwner(former: String, present: String) -> MigrationObstacle {
    .init("was a property of \(former) and is one of \(present)", remedy: renameInstead)
  }
  static let anotherHierarchy = MigrationObstacle(
    "inherits from an entity of another table",
    remedy: "leave the inheritance as it was, or add a new model and copy the objects in a custom "
      + "migration stage")
  static let withoutDefault = MigrationObstacle(
    "is new, must have a value, and has no default",
    remedy: "make it optional, or give it a default value where it is declared")
  static let missingValues = MigrationObstacle(
    "must have a value now, and some objects have none",
    remedy:
      "give it a default value where it is declared, or set the values in willMigrate of a custom "
      + "migration stage")
  /// - Parameter example: One of the values, and the objects that have it.
  static func sharedValues(_ example: String?) -> MigrationObstacle {
    .init(
      "must be unique now, and some objects have the same values"
        + (example.map { ", such as \($0)" } ?? ""),
      remedy: "leave it out, or make the values unique in willMigrate of a custom migration stage")
  }
  static let severalObjects = MigrationObstacle(
    "leads to one object at most now, and for some objects led to several",
    remedy: "leave it to-many, or take objects out of it in willMigrate of a custom migration stage"
  )
  static let sharedObjects = MigrationObstacle(
    "is to-many without an inverse now, where an object can be in one only, and some were in several",
    remedy:
      "give it an inverse that is to-many, or take objects out of it in willMigrate of a custom "
      + "migration stage")
  static let separateRelationships = MigrationObstacle(
    "has an inverse now that was a relationship of its own", remedy: renameInstead)
}

extension StoreWriteError {
  static func notInferable(
    entity: String, property: String?, obstacle: MigrationObstacle
  ) -> StoreWriteError {
    .notInferable(
      entity: entity, property: property, reason: obstacle.message, remedy: obstacle.remedy)
  }
}
