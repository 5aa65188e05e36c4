import Foundation
import StoreFormat

/// Goes through the tree of a predicate's expression.
struct PredicateTranslator {
  /// What a part of a predicate means.
  enum Meaning {
    /// A value that is known already, captured from outside.
    case constant(Any)
    /// Something that a store works out for each object.
    case expression(ObjectExpression)
    /// An attribute that stands in one column, in a form that only its codec knows.
    case coded(ObjectExpression, AttributeCodec)
    /// A model.
    case object(ObjectPath, EntityLayout)
    /// A model's identifier.
    case identifier(ObjectPath, EntityLayout)
    /// The models at the other end of a to-many relationship.
    case related(RelatedObjects, EntityLayout)
    /// What lies between two values.
    case range(lower: ObjectExpression, upper: ObjectExpression, includesUpper: Bool)
  }

  let storeIdentifier: String
  /// The models of the store, by name.
  private let layouts: [String: EntityLayout]
  private var variables: [PredicateExpressions.VariableID: Meaning] = [:]
  private var variableCount = 1

  init(storeIdentifier: String, layouts: [String: EntityLayout]) {
    self.storeIdentifier = storeIdentifier
    self.layouts = layouts
  }

  /// What is thrown where a predicate must be evaluated in memory.
  static let unsupported = DataStoreError.preferInMemoryFilter

  mutating func define(_ variable: PredicateExpressions.VariableID, as meaning: Meaning) {
    variables[variable] = meaning
  }

  func meaning(of variable: PredicateExpressions.VariableID) throws -> Meaning {
    guard let meaning = variables[variable] else { throw Self.unsupported }
    return meaning
  }

  /// A number for a variable that nothing else uses.
  mutating func newVariable() -> Int {
    variableCount += 1
    return variableCount - 1
  }

  /// The meaning of a part.
  mutating func translate(_ part: some PredicateExpression) throws -> Meaning {
    guard let part = part as? any TranslatablePredicatePart else { throw Self.unsupported }
    return try part.translate(&self)
  }

  mutating func scalar(of part: some PredicateExpression) throws -> ObjectExpression {
    try scalar(translate(part))
  }

  /// A meaning as a single value.
  func scalar(_ meaning: Meaning) throws -> ObjectExpression {
    switch meaning {
    case .expression(let expression): return expression
    case .constant(let value): return .constant(try stored(value))
    case .coded, .object, .identifier, .related, .range: throw Self.unsupported
    }
  }

  /// A captured value as a store keeps it.
  func stored(_ value: Any) throws -> StoredValue {
    guard let value = PropertyLayout.unwrapped(value) else { return .null }
    guard let stored = (value as? any StorableValue)?.stored else { throw Self.unsupported }
    return stored
  }

  // MARK: - Comparing

  func equal(_ left: Meaning, _ right: Meaning) throws -> ObjectExpression {
    switch (left, right) {
    case (.object(let path, let layout), .constant(let value)),
      (.constant(let value), .object(let path, let layout)),
      (.identifier(let path, let layout), .constant(let value)),
      (.constant(let value), .identifier(let path, let layout)):
      return try isModel(value, path, layout)
    case (.object(let left, _), .object(let right, _)),
      (.identifier(let left, _), .identifier(let right, _)):
      return .compare(.equal, .primaryKey(left), .primaryKey(right))
    case (.coded(let expression, let codec), .constant(let value)),
      (.constant(let value), .coded(let expression, let codec)):
      guard let value = PropertyLayout.unwrapped(value) else { return .isNull(expression) }
      guard case .composite = codec.storage,
        let stored = try? codec.stored(value, name: ""), stored.count == 1
      else { throw Self.unsupported }
      return .compare(.equal, expression, .constant(stored[0]))
    default:
      return .compare(.equal, try scalar(left), try scalar(right))
    }
  }

  private func isModel(
    _ value: Any, _ path: ObjectPath, _ layout: EntityLayout
  ) throws -> ObjectExpression {
    guard let value = PropertyLayout.unwrapped(value) else { return .isNull(.primaryKey(path)) }
    guard let number = try key(of: value, layout) else { return .constant(.integer(0)) }
    return .compare(.equal, .primaryKey(path), .constant(.integer(number)))
  }

  /// The primary key of a captured model or identifier; nil where it is none of this store and entity.
  func key(of value: Any, _ layout: EntityLayout) throws -> Int64? {
    let identifier: PersistentIdentifier
    switch value {
    case let value as PersistentIdentifier: identifier = value
    case let model as any PersistentModel: identifier = model.persistentModelID
    default: throw Self.unsupported
    }
    guard identifier.storeIdentifier == storeIdentifier,
      identifier.entityName == layout.name
        || layouts[identifier.entityName]?.isKind(of: layout) ?? false
    else { return nil }
    return identifier.number
  }
}

/// A part of a predicate that a store may be able to work out.
protocol TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning
}
