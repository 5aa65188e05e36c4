import Foundation
import StoreFormat
import StoreWriting

/// Translates predicates on models into conditions that a store can check, by walking through their
/// expression trees.
struct PredicateTranslator {
  /// The meaning of a part of a predicate.
  enum Meaning {
    /// A captured value.
    case constant(Any)
    /// A value that the store computes for each object.
    case expression(ObjectExpression)
    /// An attribute in one column whose form only its codec knows.
    case coded(ObjectExpression, AttributeCodec)
    /// A model, or its identifier, which a store compares alike.
    case object(ObjectPath, EntityLayout)
    /// The models of a to-many relationship.
    case related(RelatedObjects, EntityLayout)
    case range(lower: ObjectExpression, upper: ObjectExpression, includesUpper: Bool)
  }

  let storeIdentifier: String
  private let layouts: [String: EntityLayout]
  private var variables: [PredicateExpressions.VariableID: Meaning] = [:]
  private var variableCount = 1
  /// Whether a row for which the part is null does not match.
  private(set) var skipsNull = true

  private init(storeIdentifier: String, layouts: [String: EntityLayout]) {
    self.storeIdentifier = storeIdentifier
    self.layouts = layouts
  }

  static let unsupported = DataStoreError.preferInMemoryFilter

  mutating func define(_ variable: PredicateExpressions.VariableID, as meaning: Meaning) {
    variables[variable] = meaning
  }

  func meaning(of variable: PredicateExpressions.VariableID) throws -> Meaning {
    guard let meaning = variables[variable] else { throw Self.unsupported }
    return meaning
  }

  mutating func newVariable() -> Int {
    variableCount += 1
    return variableCount - 1
  }

  mutating func translate(_ part: some PredicateExpression) throws -> Meaning {
    guard let part = part as? any TranslatablePredicatePart else { throw Self.unsupported }
    let skippedNull = skipsNull
    skipsNull = skipsNull && part is any NullSkippingPredicatePart
    defer { skipsNull = skippedNull }
    return try part.translate(&self)
  }

  mutating func scalar(of part: some PredicateExpression) throws -> ObjectExpression {
    try scalar(translate(part))
  }

  func scalar(_ meaning: Meaning) throws -> ObjectExpression {
    switch meaning {
    case .expression(let expression): return expression
    case .constant(let value): return .constant(try stored(value))
    case .coded, .object, .related, .range: throw Self.unsupported
    }
  }

  func stored(_ value: Any) throws -> StoredValue {
    guard let value = PropertyLayout.unwrapped(value) else { return .null }
    guard let stored = (value as? any StorableValue)?.stored else { throw Self.unsupported }
    return stored
  }

  // MARK: - Comparing

  func equal(_ left: Meaning, _ right: Meaning) throws -> ObjectExpression {
    switch (left, right) {
    case (.object(let path, let layout), .constant(let value)),
      (.constant(let value), .object(let path, let layout)):
      return try isModel(value, path, layout)
    case (.object(let left, let layout), .object(let right, let other)):
      // Keys are unique within a hierarchy of classes.
      guard layout.lineage.last === other.lineage.last else { throw Self.unsupported }
      return .compare(.equal, .primaryKey(left), .primaryKey(right))
    case (.coded(let expression, let codec), .constant(let value)),
      (.constant(let value), .coded(let expression, let codec)):
      guard let value = PropertyLayout.unwrapped(value) else { return .isNull(expression) }
      guard case .composite = codec.storage,
        let stored = try? codec.stored(value, name: "").first(where: { !$0.isNull })
      else { throw Self.unsupported }
      return .compare(.equal, expression, .constant(stored))
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

/// A part of a predicate that does not match if one of its parts is null.
protocol NullSkippingPredicatePart {}

extension PredicateExpressions.Conjunction: NullSkippingPredicatePart {}
extension PredicateExpressions.Comparison: NullSkippingPredicatePart {}
extension PredicateExpressions.ForcedUnwrap: NullSkippingPredicatePart {}

/// A part of a predicate that a store may be able to evaluate.
protocol TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning
}

extension PredicateTranslator {
  /// Returns the condition with exactly the meaning of a predicate.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if there is none.
  static func condition<T: PersistentModel>(
    _ predicate: Predicate<T>, layout: EntityLayout, storeIdentifier: String,
    layouts: [String: EntityLayout]
  ) throws -> ObjectExpression {
    var translator = PredicateTranslator(storeIdentifier: storeIdentifier, layouts: layouts)
    translator.define(
      predicate.variable.key, as: .object(ObjectPath(variable: 0), layout))
    return try translator.scalar(translator.translate(predicate.expression))
  }

  /// Returns whether a predicate needs more than the model's own attributes, or may need it.
  static func looksAtRelatedModels<T: PersistentModel>(_ predicate: Predicate<T>) -> Bool {
    guard
      let condition = try? condition(
        predicate, layout: EntityLayout.of(T.self), storeIdentifier: "", layouts: [:])
    else { return true }
    return condition.looksAtRelatedObjects
  }
}

extension ObjectExpression {
  fileprivate var looksAtRelatedObjects: Bool {
    switch self {
    case .constant: false
    // The key of a to-one relationship is a column of the object itself.
    case .primaryKey(let path): path.relationships.count > 1
    case .attribute(let path, _), .entityNumber(let path): !path.relationships.isEmpty
    case .compare(_, let left, let right), .and(let left, let right), .or(let left, let right),
      .arithmetic(_, let left, let right), .text(_, let left, let right),
      .coalesce(let left, let right):
      left.looksAtRelatedObjects || right.looksAtRelatedObjects
    case .not(let operand), .isNull(let operand), .negative(let operand),
      .contained(let operand, _):
      operand.looksAtRelatedObjects
    case .conditional(let condition, let yes, let no):
      [condition, yes, no].contains(where: \.looksAtRelatedObjects)
    case .count, .exists: true
    }
  }
}

/// Compares predicates part by part, because Foundation does not.
struct PredicateComparison {
  /// Variables of one predicate, with their counterparts in the other.
  private var variables: [PredicateExpressions.VariableID: PredicateExpressions.VariableID]

  static func areSame<T>(_ left: Predicate<T>?, _ right: Predicate<T>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    var comparison = PredicateComparison(variables: [left.variable.key: right.variable.key])
    return comparison.areSame(left.expression, right.expression)
  }

  private mutating func areSame(_ left: Any, _ right: Any) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    if let left = left as? PredicateExpressions.VariableID,
      let right = right as? PredicateExpressions.VariableID
    {
      let known = variables[left] ?? right
      variables[left] = known
      return known == right
    }
    guard left is any PredicateExpression else {
      return PropertyLayout.areEqual(left, right)
    }
    let (parts, others) = (Mirror(reflecting: left).children, Mirror(reflecting: right).children)
    guard parts.count == others.count else { return false }
    for (part, other) in zip(parts, others) {
      guard areSame(part.value, other.value) else { return false }
    }
    return true
  }
}
