import StoreFormat
import StoreTransactions
import StoreWriting

/// Values that no two objects may share.
struct UniqueKey: Hashable {
  enum Part: Hashable {
    case value(StoredValue)
    /// The value of an enumeration, in its only column or in that of a case.
    case element(path: String, StoredValue)
    /// The primary key of a relationship's target.
    case object(Int64)
    /// The number of a relationship's target that the same save inserts.
    case new(Int)
  }

  let entityName: String
  let names: [String]
  let parts: [Part]

  /// Returns the keys of a new object.
  ///
  /// - Parameter target: Returns the target of a relationship, or `nil` if it has none or a yet
  ///   unknown one.
  static func keys(
    of layout: EntityLayout, _ values: [String: StoredValue], target: (Int) throws -> Part?
  ) rethrows -> [UniqueKey] {
    try layout.allUniquenessConstraints.compactMap { entityName, names in
      var parts: [Part] = []
      parts.reserveCapacity(names.count)
      for name in names {
        if let value = values[name] {
          // Null never equals null in a unique index.
          guard !value.isNull else { return nil }
          parts.append(.value(value))
        } else if let paths = layout.elementPaths(of: name) {
          guard let part = Part(elements: paths, in: values) else { return nil }
          parts.append(part)
        } else if let place = layout.index(named: name), let part = try target(place) {
          parts.append(part)
        } else {
          return nil
        }
      }
      return UniqueKey(entityName: entityName, names: names, parts: parts)
    }
  }

  /// Whether an object of the store can have the key; none refers to an object that is still to be
  /// inserted.
  var mayBePresent: Bool {
    !parts.contains { if case .new = $0 { true } else { false } }
  }

  var condition: ObjectExpression {
    let object = ObjectPath(variable: 0)
    let conditions = zip(names, parts).map { name, part in
      switch part {
      case .value(let value):
        ObjectExpression.compare(.equal, .attribute(object, name), .constant(value))
      case .element(let path, let value):
        ObjectExpression.compare(.equal, .attribute(object, path), .constant(value))
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

extension UniqueKey.Part {
  /// The filled column of an enumeration, or `nil` if all are null.
  init?(elements paths: [String], in values: [String: StoredValue]) {
    let filled = paths.lazy.compactMap { path in
      values[path].flatMap { $0.isNull ? nil : (path: path, value: $0) }
    }
    guard let found = filled.first else { return nil }
    self = .element(path: found.path, found.value)
  }
}

extension UniqueKey {
  /// The names and values, for an error message.
  var text: String {
    zip(names, parts).map { name, part in
      switch part {
      case .value(let value), .element(_, let value): "\(name) \(value.shortText)"
      case .object(let primaryKey): "\(name) p\(primaryKey)"
      case .new: "\(name) of this save"
      }
    }.joined(separator: ", ")
  }
}
