import StoreFormat

/// Values that together no two objects may share.
struct UniqueKey: Hashable {
  /// What an object has in one of the properties.
  enum Part: Hashable {
    /// A value of an attribute.
    case value(StoredValue)
    /// The primary key of the object that a relationship leads to.
    case object(Int64)
    /// A relationship leads to an object that the same save inserts; the number is its own there.
    case new(Int)
  }

  /// The entity that declares the properties unique.
  let entityName: String
  let names: [String]
  let parts: [Part]

  /// The keys of a new object.
  ///
  /// - Parameters:
  ///   - values: The attributes' values, by name.
  ///   - target: Gives what a relationship leads to; nil for nothing, and where it is not known yet.
  static func keys(
    of layout: EntityLayout, _ values: [String: StoredValue], target: (Int) throws -> Part?
  ) rethrows -> [UniqueKey] {
    try layout.allUniquenessConstraints.compactMap { entityName, names in
      var parts: [Part] = []
      parts.reserveCapacity(names.count)
      for name in names {
        if let value = values[name] {
          // Nothing is never equal to nothing in a unique index.
          guard !value.isNull else { return nil }
          parts.append(.value(value))
        } else if let place = layout.index(named: name), let part = try target(place) {
          parts.append(part)
        } else {
          return nil
        }
      }
      return UniqueKey(entityName: entityName, names: names, parts: parts)
    }
  }

  /// Whether an object of the store may have the key: none leads to what is only about to be there.
  var mayBePresent: Bool {
    !parts.contains { if case .new = $0 { true } else { false } }
  }

  /// What an object that has the key meets.
  var condition: ObjectExpression {
    let object = ObjectPath(variable: 0)
    let conditions = zip(names, parts).map { name, part in
      switch part {
      case .value(let value):
        ObjectExpression.compare(.equal, .attribute(object, name), .constant(value))
      case .object(let primaryKey):
        ObjectExpression.compare(
          .equal, .primaryKey(object.following(name)), .constant(.integer(primaryKey)))
      case .new: ObjectExpression.constant(.integer(0))
      }
    }
    return conditions.dropFirst().reduce(conditions.first ?? .constant(.integer(0))) {
      .and($0, $1)
    }
  }
}
