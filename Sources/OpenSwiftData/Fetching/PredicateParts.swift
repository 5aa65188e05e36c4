import Foundation
import StoreFormat
import StoreWriting

extension PredicateExpressions.Equal: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      try translator.equal(try translator.translate(lhs), try translator.translate(rhs)))
  }
}

extension PredicateExpressions.NotEqual: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .not(try translator.equal(try translator.translate(lhs), try translator.translate(rhs))))
  }
}

extension PredicateExpressions.Comparison: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let comparison: ObjectExpression.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw PredicateTranslator.unsupported
      }
    return .expression(
      .compare(comparison, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Conjunction: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.and(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.or(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.not(try translator.scalar(of: wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .conditional(
        try translator.scalar(of: test), try translator.scalar(of: trueBranch),
        try translator.scalar(of: falseBranch)))
  }
}

extension PredicateExpressions.Arithmetic: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let operation: ObjectExpression.Arithmetic =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw PredicateTranslator.unsupported
      }
    return .expression(
      .arithmetic(operation, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.negative(try translator.scalar(of: wrapped)))
  }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    // Division by 0 is null in SQLite, and infinity or not a number in Swift.
    guard case .constant(let divisor) = try translator.translate(rhs),
      case .real(let number) = try translator.stored(divisor), number != 0
    else { throw PredicateTranslator.unsupported }
    return .expression(
      .arithmetic(.divide, try translator.scalar(of: lhs), .constant(.real(number))))
  }
}

extension PredicateExpressions.IntDivision: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .arithmetic(.divide, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.IntRemainder: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(
      .arithmetic(.remainder, try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.Variable: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    try translator.meaning(of: key)
  }
}

extension PredicateExpressions.Value: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .constant(Any?.none as Any)
  }
}

extension PredicateExpressions.KeyPath: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    switch try translator.translate(root) {
    case .constant(let value):
      guard let value = value as? Root.Output else { throw PredicateTranslator.unsupported }
      return .constant(value[keyPath: keyPath])
    case .object(let path, let layout):
      let meaning = try layout.meaning(of: keyPath, at: path)
      guard case .related(var related, let layout) = meaning else { return meaning }
      related.variable = translator.newVariable()
      return .related(related, layout)
    case .related(let related, let layout):
      func expression<Model: PersistentModel>(_ type: Model.Type) throws -> ObjectExpression {
        switch keyPath as AnyKeyPath {
        case \[Model].count: .count(related)
        case \[Model].isEmpty: .not(.exists(related))
        default: throw PredicateTranslator.unsupported
        }
      }
      return .expression(try expression(layout.type))
    case .expression(let expression):
      guard keyPath == \String.isEmpty else { throw PredicateTranslator.unsupported }
      return .expression(.compare(.equal, expression, .constant(.text(""))))
    case .coded, .range:
      throw PredicateTranslator.unsupported
    }
  }
}

extension EntityLayout {
  fileprivate func meaning(
    of keyPath: AnyKeyPath, at path: ObjectPath
  ) throws -> PredicateTranslator.Meaning {
    guard let index = indexIfAny(of: keyPath) else {
      guard isIdentifier(keyPath) else { throw PredicateTranslator.unsupported }
      return .object(path, self)
    }
    let property = properties[index]
    if let relationship = property.relationship {
      let destination = relationship.destinationLayout
      if relationship.isToMany {
        // The caller numbers the variable.
        return .related(
          RelatedObjects(owner: path, relationship: property.name, variable: 0), destination)
      }
      return .object(path.following(property.name), destination)
    }
    guard let codec = property.codec, !property.isTransient else {
      throw PredicateTranslator.unsupported
    }
    switch codec.storage {
    // The column of a value in a file does not hold the value.
    case .plain where property.keepsLargeValues:
      return .coded(.attribute(path, property.name), codec)
    case .plain: return .expression(.attribute(path, property.name))
    case .composite(let shape):
      guard shape.form != .structure else { throw PredicateTranslator.unsupported }
      // At most one column has a value.
      let columns = codec.paths(of: property.name).map { ObjectExpression.attribute(path, $0) }
      let value = columns.dropLast().reversed().reduce(columns[columns.count - 1]) {
        .coalesce($1, $0)
      }
      return .coded(value, codec)
    case .coded, .transformed: return .coded(.attribute(path, property.name), codec)
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let inner = try translator.translate(wrapped)
    let presence: ObjectExpression
    switch inner {
    case .constant(let value):
      guard let unwrapped = PropertyLayout.unwrapped(value) else {
        return .expression(.constant(.null))
      }
      translator.define(variable.key, as: .constant(unwrapped))
      return try translator.translate(transform)
    case .expression(let expression), .coded(let expression, _): presence = expression
    case .object(let path, _): presence = .primaryKey(path)
    case .related, .range: presence = .constant(.integer(1))
    }
    translator.define(variable.key, as: inner)
    let result = try translator.translate(transform)
    guard case .expression(let expression) = result else { return result }
    // The attribute of a missing object is null anyway.
    if case .attribute = expression { return result }
    return .expression(.conditional(.isNull(presence), .constant(.null), expression))
  }
}

extension PredicateExpressions.NilCoalesce: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .expression(.coalesce(try translator.scalar(of: lhs), try translator.scalar(of: rhs)))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    // A row without the value does not match, in SQL because it is null, and in memory because
    // unwrapping is an error.
    guard translator.skipsNull, case .expression(let value) = try translator.translate(inner)
    else { throw PredicateTranslator.unsupported }
    return .expression(value)
  }
}

extension PredicateExpressions.Range: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .range(
      lower: try translator.scalar(of: lower), upper: try translator.scalar(of: upper),
      includesUpper: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    .range(
      lower: try translator.scalar(of: lower), upper: try translator.scalar(of: upper),
      includesUpper: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let bounds: (lower: ObjectExpression, upper: ObjectExpression, includesUpper: Bool)
    switch try translator.translate(range) {
    case .range(let lower, let upper, let includesUpper): bounds = (lower, upper, includesUpper)
    case .constant(let value):
      guard let ends = (value as? any BoundedRange)?.ends, let upper = ends.upper else {
        throw PredicateTranslator.unsupported
      }
      bounds = (
        .constant(try translator.stored(ends.lower)), .constant(try translator.stored(upper)),
        ends.includesUpper
      )
    default: throw PredicateTranslator.unsupported
    }
    let element = try translator.scalar(of: element)
    return .expression(
      .and(
        .compare(.greaterOrEqual, element, bounds.lower),
        .compare(bounds.includesUpper ? .lessOrEqual : .less, element, bounds.upper)))
  }
}

/// A range whose ends can be read without knowing their type.
protocol BoundedRange {
  var ends: (lower: Any, upper: Any?, includesUpper: Bool) { get }
}

extension Range: BoundedRange {
  var ends: (lower: Any, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: BoundedRange {
  var ends: (lower: Any, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: BoundedRange {
  var ends: (lower: Any, upper: Any?, includesUpper: Bool) { (lowerBound, nil, false) }
}

extension PredicateExpressions.ConditionalCast: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    try translator.translate(input).cast(to: Desired.self)
  }
}

extension PredicateExpressions.TypeCheck: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard case .object(let path, _) = try translator.translate(input).cast(to: Desired.self) else {
      return .expression(.constant(.integer(0)))
    }
    return .expression(.not(.isNull(.primaryKey(path))))
  }
}

extension PredicateTranslator.Meaning {
  fileprivate func cast(to type: Any.Type) throws -> PredicateTranslator.Meaning {
    guard case .object(let path, let layout) = self, let type = type as? any PersistentModel.Type
    else { throw PredicateTranslator.unsupported }
    let wanted = EntityLayout.of(type)
    if layout.isKind(of: wanted) { return self }
    guard wanted.isKind(of: layout) else { return .constant(Any?.none as Any) }
    return .object(path.cast(to: wanted.name), wanted)
  }
}
