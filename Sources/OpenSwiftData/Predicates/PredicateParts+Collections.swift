import Foundation
import StoreFormat

extension PredicateExpressions.SequenceContains: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    let element = try translator.translate(self.element)
    switch try translator.translate(sequence) {
    case .constant(let value):
      guard let values = value as? any Sequence else { throw PredicateTranslator.unsupported }
      return .expression(try translator.contained(element, in: values))
    case .related(var related, let layout):
      related.condition = try translator.equal(
        .object(ObjectPath(variable: related.variable), layout), element)
      return .expression(.exists(related))
    default: throw PredicateTranslator.unsupported
    }
  }
}

extension PredicateTranslator {
  /// Whether a value is among captured ones.
  fileprivate func contained(
    _ element: Meaning, in values: any Sequence
  ) throws -> ObjectExpression {
    func list<S: Sequence>(_ values: S) -> [Any] { Array(values) }
    let values = list(values)
    switch element {
    case .object(let path, let layout), .identifier(let path, let layout):
      let keys = try values.compactMap { value in
        try PropertyLayout.unwrapped(value).map { try key(of: $0, layout) } ?? nil
      }
      return .contained(.primaryKey(path), keys.map(StoredValue.integer))
    default:
      return .contained(try scalar(element), try values.map { try stored($0) })
    }
  }

  /// The models of a relationship that meet what one of a predicate's blocks says.
  fileprivate mutating func chosen(
    _ related: RelatedObjects, _ layout: EntityLayout,
    variable: PredicateExpressions.VariableID, test: some PredicateExpression,
    isNegated: Bool = false
  ) throws -> RelatedObjects {
    var related = related
    define(variable, as: .object(ObjectPath(variable: related.variable), layout))
    var condition = try scalar(of: test)
    if isNegated { condition = .not(condition) }
    related.condition = related.condition.map { .and($0, condition) } ?? condition
    return related
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard case .related(let related, let layout) = try translator.translate(sequence) else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .exists(try translator.chosen(related, layout, variable: variable.key, test: test)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard case .related(let related, let layout) = try translator.translate(sequence) else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .not(
        .exists(
          try translator.chosen(
            related, layout, variable: variable.key, test: test, isNegated: true))))
  }
}

extension PredicateExpressions.Filter: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard case .related(let related, let layout) = try translator.translate(sequence) else {
      throw PredicateTranslator.unsupported
    }
    return .related(
      try translator.chosen(related, layout, variable: variable.key, test: filter), layout)
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard Base.Output.self == String.self, Other.Output.self == String.self else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .text(.contains, try translator.scalar(of: base), try translator.scalar(of: other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicatePart {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Meaning {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
      throw PredicateTranslator.unsupported
    }
    return .expression(
      .text(.startsWith, try translator.scalar(of: base), try translator.scalar(of: prefix)))
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
      guard let range = value as? any BoundedRange else { throw PredicateTranslator.unsupported }
      bounds = (
        .constant(try translator.stored(range.lowest)),
        .constant(try translator.stored(range.highest)), range.includesHighest
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

/// A range that can be asked for its bounds without knowing their type.
private protocol BoundedRange {
  var lowest: Any { get }
  var highest: Any { get }
  var includesHighest: Bool { get }
}

extension Range: BoundedRange {
  fileprivate var lowest: Any { lowerBound }
  fileprivate var highest: Any { upperBound }
  fileprivate var includesHighest: Bool { false }
}

extension ClosedRange: BoundedRange {
  fileprivate var lowest: Any { lowerBound }
  fileprivate var highest: Any { upperBound }
  fileprivate var includesHighest: Bool { true }
}
