import StoreFormat

/// Why a store cannot be brought to another model by looking at the two models alone.
package enum MigrationObstacle: Hashable, Sendable {
  /// The attribute is of another type.
  case anotherType(former: String, present: String)
  /// An attribute has become a relationship, or the other way round.
  case anotherKind
  /// The relationship leads to objects of another entity.
  case anotherDestination(former: String, present: String)
  /// The values would have to move out of files beside the store.
  case anotherPlaceOfValues
  /// The property belongs to another entity of its hierarchy.
  case anotherOwner(former: String, present: String)
  /// The entity's objects would have to move to another table.
  case anotherHierarchy
  /// What is new must have a value, and has no default.
  case withoutDefault
  /// What must have a value now has none in some objects.
  case missingValues
  /// Objects share values that must be unique now.
  case sharedValues
  /// A relationship that leads to one object at most now would lead to several.
  case severalObjects
  /// Objects are in several to-many relationships that have no inverse, where an object can be in one
  /// only.
  case sharedObjects
  /// The relationship and its inverse had nothing to do with each other.
  case separateRelationships
}

extension MigrationObstacle {
  /// What is wrong, as the rest of a sentence that begins with the property's name.
  var message: String {
    switch self {
    case .anotherType(let former, let present): "was \(former) and is \(present)"
    case .anotherKind: "was an attribute or a relationship, and is the other one"
    case .anotherDestination(let former, let present): "led to \(former) and leads to \(present)"
    case .anotherPlaceOfValues: "kept large values in files beside the store, and does so no more"
    case .anotherOwner(let former, let present):
      "was a property of \(former) and is one of \(present)"
    case .anotherHierarchy: "inherits from an entity of another table"
    case .withoutDefault: "is new, must have a value, and has no default"
    case .missingValues: "must have a value now, and some objects have none"
    case .sharedValues: "must be unique now, and some objects have the same values"
    case .severalObjects: "leads to one object at most now, and for some objects led to several"
    case .sharedObjects:
      "is to-many without an inverse now, where an object can be in one only, and some were in several"
    case .separateRelationships: "has an inverse now that was a relationship of its own"
    }
  }

  /// What to do about it.
  var remedy: String {
    switch self {
    case .anotherType, .anotherKind, .anotherDestination, .anotherPlaceOfValues, .anotherOwner,
      .separateRelationships:
      "leave it as it was, or give what is new another name and copy the values in a custom "
        + "migration stage"
    case .anotherHierarchy:
      "leave the inheritance as it was, or add a new model and copy the objects in a custom "
        + "migration stage"
    case .withoutDefault: "make it optional, or give it a default value where it is declared"
    case .missingValues:
      "give it a default value where it is declared, or set the values in willMigrate of a custom "
        + "migration stage"
    case .sharedValues:
      "leave it out, or make the values unique in willMigrate of a custom migration stage"
    case .severalObjects:
      "leave it to-many, or take objects out of it in willMigrate of a custom migration stage"
    case .sharedObjects:
      "give it an inverse that is to-many, or take objects out of it in willMigrate of a custom "
        + "migration stage"
    }
  }
}

extension StoreWriteError {
  /// What cannot be told from the two models, for a known obstacle.
  static func notInferable(
    entity: String, property: String?, obstacle: MigrationObstacle
  ) -> StoreWriteError {
    .notInferable(
      entity: entity, property: property, reason: obstacle.message, remedy: obstacle.remedy)
  }
}
