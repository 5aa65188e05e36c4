import Foundation
import StoreFormat
import StoreWriting

/// Translates predicates on models into conditions that a store can check.
struct PredicateTranslator {
  /// The meaning of a part of a predicate.
  fileprivate enum Meaning {
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

  private let storeIdentifier: String
  private let layouts: [String: EntityLayout]
  private var variables: [PredicatePart.Variable: Meaning] = [:]
  private var variableCount = 1
  /// Whether a row for which the part is null does not match.
  private var skipsNull = true

  private init(storeIdentifier: String, layouts: [String: EntityLayout]) {
    self.storeIdentifier = storeIdentifier
    self.layouts = layouts
  }

  private static let unsupported = DataStoreError.preferInMemoryFilter

  private mutating func newVariable() -> Int {
    variableCount += 1
    return variableCount - 1
  }

  private mutating func translate(_ part: PredicatePart) throws -> Meaning {
    let skippedNull = skipsNull
    skipsNull = skipsNull && part.skipsNull
    defer { skipsNull = skippedNull }
    switch part.form {
    case .variable(let variable):
      guard let meaning = variables[variable] else { throw Self.unsupported }
      return meaning
    case .constant(let value): return .constant(value)
    case .property(let keyPath, let owner): return try property(keyPath, of: translate(owner))
    case .flatMap(let wrapped, let variable, let transform):
      return try mapped(translate(wrapped), variable, transform)
    case .range(let lower, let upper, let includesUpper):
      return .range(
        lower: try scalar(of: lower), upper: try scalar(of: upper), includesUpper: includesUpper)
    case .filter(let variable, let sequence, let test):
      let (related, layout) = try chosen(sequence, variable, test)
      return .related(related, layout)
    case .cast(let input, let type): return try translate(input).cast(to: type)
    default: return .expression(try expression(part))
    }
  }

  private mutating func scalar(of part: PredicatePart) throws -> ObjectExpression {
    try scalar(translate(part))
  }

  private func scalar(_ meaning: Meaning) throws -> ObjectExpression {
    switch meaning {
    case .expression(let expression): return expression
    case .constant(let value): return .constant(try stored(value))
    case .coded, .object, .related, .range: throw Self.unsupported
    }
  }

  private mutating func expression(_ part: PredicatePart) throws -> ObjectExpression {
    switch part.form {
    case .compare(.equal, let left, let right): return try equal(translate(left), translate(right))
    case .compare(.notEqual, let left, let right):
      return .not(try equal(translate(left), translate(right)))
    case .compare(let comparison, let left, let right):
      return .compare(comparison, try scalar(of: left), try scalar(of: right))
    case .and(let left, let right): return .and(try scalar(of: left), try scalar(of: right))
    case .or(let left, let right): return .or(try scalar(of: left), try scalar(of: right))
    case .not(let part): return .not(try scalar(of: part))
    case .conditional(let test, let yes, let no):
      return .conditional(try scalar(of: test), try scalar(of: yes), try scalar(of: no))
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, try scalar(of: left), try scalar(of: right))
    case .quotient(let dividend, let divisor): return try quotient(dividend, divisor)
    case .negative(let part): return .negative(try scalar(of: part))
    case .coalesce(let left, let right):
      return .coalesce(try scalar(of: left), try scalar(of: right))
    case .forcedUnwrap(let part):
      // A row without the value does not match, in SQL because it is null, and in memory because
      // unwrapping is an error.
      guard skipsNull, case .expression(let value) = try translate(part) else {
        throw Self.unsupported
      }
      return value
    case .isInRange(let element, let range): return try isInRange(element, range)
    case .isElement(let element, let sequence): return try isElement(element, sequence)
    case .isAnyElement(let variable, let sequence, let test):
      return .exists(try chosen(sequence, variable, test).0)
    case .isEveryElement(let variable, let sequence, let test):
      return .not(.exists(try chosen(sequence, variable, test, isNegated: true).0))
    case .text(let match, let text, let part):
      return .text(match, try scalar(of: text), try scalar(of: part))
    case .isKind(let input, let type):
      guard case .object(let path, _) = try translate(input).cast(to: type) else {
        return .constant(.integer(0))
      }
      return .not(.isNull(.primaryKey(path)))
    case .variable, .constant, .property, .flatMap, .range, .filter, .cast, .other:
      throw Self.unsupported
    }
  }

  private mutating func quotient(
    _ dividend: PredicatePart, _ divisor: PredicatePart
  ) throws -> ObjectExpression {
    // Division by 0 is null in SQLite, and infinity or not a number in Swift.
    guard case .constant(let divisor) = try translate(divisor),
      case .real(let number) = try stored(divisor), number != 0
    else { throw Self.unsupported }
    return .arithmetic(.divide, try scalar(of: dividend), .constant(.real(number)))
  }

  private mutating func isInRange(
    _ element: PredicatePart, _ range: PredicatePart
  ) throws -> ObjectExpression {
    let bounds: (lower: ObjectExpression, upper: ObjectExpression, includesUpper: Bool)
    switch try translate(range) {
    case .range(let lower, let upper, let includesUpper): bounds = (lower, upper, includesUpper)
    case .constant(let value):
      guard let ends = (value as? any BoundedRange)?.ends, let upper = ends.upper else {
        throw Self.unsupported
      }
      bounds = (
        .constant(try stored(ends.lower)), .constant(try stored(upper)), ends.includesUpper
      )
    default: throw Self.unsupported
    }
    let element = try scalar(of: element)
    return .and(
      .compare(.greaterOrEqual, element, bounds.lower),
      .compare(bounds.includesUpper ? .lessOrEqual : .less, element, bounds.upper))
  }

  // MARK: - Properties

  private mutating func property(_ keyPath: AnyKeyPath, of owner: Meaning) throws -> Meaning {
    switch owner {
    case .constant(let value):
      guard let property = value[keyPath: keyPath] else { throw Self.unsupported }
      return .constant(property)
    case .object(let path, let layout):
      let meaning = try self.meaning(of: keyPath, at: path, layout)
      guard case .related(var related, let layout) = meaning else { return meaning }
      related.variable = newVariable()
      return .related(related, layout)
    case .related(let related, let layout):
      func expression<Model: PersistentModel>(_ type: Model.Type) throws -> ObjectExpression {
        switch keyPath {
        case \[Model].count: .count(related)
        case \[Model].isEmpty: .not(.exists(related))
        default: throw Self.unsupported
        }
      }
      return .expression(try expression(layout.type))
    case .expression(let expression):
      guard keyPath == \String.isEmpty else { throw Self.unsupported }
      return .expression(.compare(.equal, expression, .constant(.text(""))))
    case .coded, .range: throw Self.unsupported
    }
  }

  private func meaning(
    of keyPath: AnyKeyPath, at path: ObjectPath, _ layout: EntityLayout
  ) throws -> Meaning {
    guard let index = layout.indexIfAny(of: keyPath) else {
      guard layout.isIdentifier(keyPath) else { throw Self.unsupported }
      return .object(path, layout)
    }
    let property = layout.properties[index]
    if let relationship = property.relationship {
      let destination = relationship.destinationLayout
      if relationship.isToMany {
        // The caller numbers the variable.
        return .related(
          RelatedObjects(owner: path, relationship: property.name, variable: 0), destination)
      }
      return .object(path.following(property.name), destination)
    }
    guard let codec = property.codec, !property.isTransient else { throw Self.unsupported }
    switch codec.storage {
    // The column of a value in a file does not hold the value.
    case .plain where property.keepsLargeValues:
      return .coded(.attribute(path, property.name), codec)
    case .plain: return .expression(.attribute(path, property.name))
    case .composite(let shape):
      guard shape.form != .structure else { throw Self.unsupported }
      // At most one column has a value.
      let columns = codec.paths(of: property.name).map { ObjectExpression.attribute(path, $0) }
      let value = columns.dropLast().reversed().reduce(columns[columns.count - 1]) {
        .coalesce($1, $0)
      }
      return .coded(value, codec)
    case .coded, .transformed: return .coded(.attribute(path, property.name), codec)
    }
  }

  private mutating func mapped(
    _ wrapped: Meaning, _ variable: PredicatePart.Variable, _ transform: PredicatePart
  ) throws -> Meaning {
    let presence: ObjectExpression
    switch wrapped {
    case .constant(let value):
      guard let unwrapped = PropertyLayout.unwrapped(value) else {
        return .expression(.constant(.null))
      }
      variables[variable] = .constant(unwrapped)
      return try translate(transform)
    case .expression(let expression), .coded(let expression, _): presence = expression
    case .object(let path, _): presence = .primaryKey(path)
    case .related, .range: presence = .constant(.integer(1))
    }
    variables[variable] = wrapped
    let result = try translate(transform)
    guard case .expression(let expression) = result else { return result }
    // The attribute of a missing object is null anyway.
    if case .attribute = expression { return result }
    return .expression(.conditional(.isNull(presence), .constant(.null), expression))
  }

  // MARK: - Collections

  private mutating func isElement(
    _ element: PredicatePart, _ sequence: PredicatePart
  ) throws -> ObjectExpression {
    let element = try translate(element)
    switch try translate(sequence) {
    case .constant(let value):
      guard let values = value as? any Sequence else { throw Self.unsupported }
      return try contained(element, in: values)
    case .related(var related, let layout):
      related.condition = try equal(
        .object(ObjectPath(variable: related.variable), layout), element)
      return .exists(related)
    default: throw Self.unsupported
    }
  }

  private func contained(_ element: Meaning, in values: any Sequence) throws -> ObjectExpression {
    func list<S: Sequence>(_ values: S) -> [Any] { Array(values) }
    let values = list(values)
    guard case .object(let path, let layout) = element else {
      return .contained(try scalar(element), try values.map { try stored($0) })
    }
    let keys = try values.compactMap { value in
      try PropertyLayout.unwrapped(value).map { try key(of: $0, layout) } ?? nil
    }
    return .contained(.primaryKey(path), keys.map(StoredValue.integer))
  }

  private mutating func chosen(
    _ sequence: PredicatePart, _ variable: PredicatePart.Variable, _ test: PredicatePart,
    isNegated: Bool = false
  ) throws -> (RelatedObjects, EntityLayout) {
    guard case .related(var related, let layout) = try translate(sequence) else {
      throw Self.unsupported
    }
    variables[variable] = .object(ObjectPath(variable: related.variable), layout)
    var condition = try scalar(of: test)
    if isNegated { condition = .not(condition) }
    related.condition = related.condition.map { .and($0, condition) } ?? condition
    return (related, layout)
  }

  // MARK: - Comparing

  private func stored(_ value: Any) throws -> StoredValue {
    guard let value = PropertyLayout.unwrapped(value) else { return .null }
    guard let stored = (value as? any StorableValue)?.stored else { throw Self.unsupported }
    return stored
  }

  private func equal(_ left: Meaning, _ right: Meaning) throws -> ObjectExpression {
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

  private func key(of value: Any, _ layout: EntityLayout) throws -> Int64? {
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

extension PredicatePart {
  /// Whether the part does not match if one of its parts is null.
  fileprivate var skipsNull: Bool {
    switch form {
    case .compare(.equal, _, _), .compare(.notEqual, _, _): false
    case .compare, .and, .forcedUnwrap: true
    default: false
    }
  }
}

extension PredicateTranslator.Meaning {
  fileprivate func cast(to type: Any.Type) throws -> PredicateTranslator.Meaning {
    guard case .object(let path, let layout) = self, let type = type as? any PersistentModel.Type
    else { throw DataStoreError.preferInMemoryFilter }
    let wanted = EntityLayout.of(type)
    if layout.isKind(of: wanted) { return self }
    guard wanted.isKind(of: layout) else { return .constant(Any?.none as Any) }
    return .object(path.cast(to: wanted.name), wanted)
  }
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
    translator.variables[predicate.variable.key] = .object(ObjectPath(variable: 0), layout)
    return try translator.scalar(of: PredicatePart(predicate.expression))
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
