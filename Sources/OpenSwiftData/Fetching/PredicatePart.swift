import Foundation
import StoreWriting

/// A part of a predicate by what it says, without the generic types of Foundation's expression trees.
struct PredicatePart {
  typealias Variable = PredicateExpressions.VariableID
  typealias Comparison = ObjectExpression.Comparison

  indirect enum Form {
    case variable(Variable)
    /// A captured value.
    case constant(Any)
    case property(AnyKeyPath, of: PredicatePart)
    case compare(Comparison, PredicatePart, PredicatePart)
    case and(PredicatePart, PredicatePart)
    case or(PredicatePart, PredicatePart)
    case not(PredicatePart)
    case conditional(PredicatePart, PredicatePart, PredicatePart)
    case arithmetic(ObjectExpression.Arithmetic, PredicatePart, PredicatePart)
    case quotient(PredicatePart, PredicatePart)
    case negative(PredicatePart)
    case flatMap(PredicatePart, Variable, PredicatePart)
    case coalesce(PredicatePart, PredicatePart)
    case forcedUnwrap(PredicatePart)
    case range(PredicatePart, PredicatePart, includesUpper: Bool)
    case isInRange(PredicatePart, PredicatePart)
    case isElement(PredicatePart, of: PredicatePart)
    case isAnyElement(Variable, of: PredicatePart, where: PredicatePart)
    case isEveryElement(Variable, of: PredicatePart, where: PredicatePart)
    case filter(Variable, of: PredicatePart, where: PredicatePart)
    case text(ObjectExpression.TextMatch, PredicatePart, PredicatePart)
    case cast(PredicatePart, Any.Type)
    case isKind(PredicatePart, Any.Type)
    /// Any other part, also of an app's own.
    case other
  }

  let form: Form
  private let expression: any PredicateExpression

  init(_ expression: any PredicateExpression) {
    self.expression = expression
    form = (expression as? any FormedExpression)?.form ?? .other
  }

  /// The value of a part that looks at no variable, or `nil` for any other.
  ///
  /// An error here occurs again when the predicate is evaluated, and is thrown then.
  var value: Any? {
    func evaluate(_ part: some PredicateExpression) -> Any? {
      try? part.evaluate(PredicateBindings())
    }
    return evaluate(expression)
  }

  /// What the part consists of, whatever its form.
  var components: [Any] { Mirror(reflecting: expression).children.map(\.value) }

  // MARK: - Comparing

  /// Returns whether two predicates say the same, which Foundation does not tell.
  static func areSame<T>(_ left: Predicate<T>?, _ right: Predicate<T>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    // Variables of one predicate, with their counterparts in the other.
    var variables = [left.variable.key: right.variable.key]
    return areSame(left.expression, right.expression, &variables)
  }

  private static func areSame(
    _ left: Any, _ right: Any, _ variables: inout [Variable: Variable]
  ) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    if let left = left as? Variable, let right = right as? Variable {
      let known = variables[left] ?? right
      variables[left] = known
      return known == right
    }
    guard let left = left as? any PredicateExpression, let right = right as? any PredicateExpression
    else { return PropertyLayout.areEqual(left, right) }
    let (parts, others) = (PredicatePart(left).components, PredicatePart(right).components)
    guard parts.count == others.count else { return false }
    for (part, other) in zip(parts, others) {
      guard areSame(part, other, &variables) else { return false }
    }
    return true
  }
}

extension ObjectExpression.Comparison {
  /// The comparison with its sides exchanged.
  var mirrored: ObjectExpression.Comparison {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
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

// MARK: - Foundation's expressions

private protocol FormedExpression {
  var form: PredicatePart.Form { get }
}

private typealias Part = PredicatePart

extension PredicateExpressions.Variable: FormedExpression {
  fileprivate var form: Part.Form { .variable(key) }
}

extension PredicateExpressions.Value: FormedExpression {
  fileprivate var form: Part.Form { .constant(value) }
}

extension PredicateExpressions.NilLiteral: FormedExpression {
  fileprivate var form: Part.Form { .constant(Any?.none as Any) }
}

extension PredicateExpressions.KeyPath: FormedExpression {
  fileprivate var form: Part.Form { .property(keyPath, of: Part(root)) }
}

extension PredicateExpressions.Equal: FormedExpression {
  fileprivate var form: Part.Form { .compare(.equal, Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.NotEqual: FormedExpression {
  fileprivate var form: Part.Form { .compare(.notEqual, Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.Comparison: FormedExpression {
  fileprivate var form: Part.Form {
    switch op {
    case .lessThan: .compare(.less, Part(lhs), Part(rhs))
    case .lessThanOrEqual: .compare(.lessOrEqual, Part(lhs), Part(rhs))
    case .greaterThan: .compare(.greater, Part(lhs), Part(rhs))
    case .greaterThanOrEqual: .compare(.greaterOrEqual, Part(lhs), Part(rhs))
    @unknown default: .other
    }
  }
}

extension PredicateExpressions.Conjunction: FormedExpression {
  fileprivate var form: Part.Form { .and(Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.Disjunction: FormedExpression {
  fileprivate var form: Part.Form { .or(Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.Negation: FormedExpression {
  fileprivate var form: Part.Form { .not(Part(wrapped)) }
}

extension PredicateExpressions.Conditional: FormedExpression {
  fileprivate var form: Part.Form {
    .conditional(Part(test), Part(trueBranch), Part(falseBranch))
  }
}

extension PredicateExpressions.Arithmetic: FormedExpression {
  fileprivate var form: Part.Form {
    switch op {
    case .add: .arithmetic(.add, Part(lhs), Part(rhs))
    case .subtract: .arithmetic(.subtract, Part(lhs), Part(rhs))
    case .multiply: .arithmetic(.multiply, Part(lhs), Part(rhs))
    @unknown default: .other
    }
  }
}

extension PredicateExpressions.UnaryMinus: FormedExpression {
  fileprivate var form: Part.Form { .negative(Part(wrapped)) }
}

extension PredicateExpressions.FloatDivision: FormedExpression {
  fileprivate var form: Part.Form { .quotient(Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.IntDivision: FormedExpression {
  fileprivate var form: Part.Form { .arithmetic(.divide, Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.IntRemainder: FormedExpression {
  fileprivate var form: Part.Form { .arithmetic(.remainder, Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.OptionalFlatMap: FormedExpression {
  fileprivate var form: Part.Form { .flatMap(Part(wrapped), variable.key, Part(transform)) }
}

extension PredicateExpressions.NilCoalesce: FormedExpression {
  fileprivate var form: Part.Form { .coalesce(Part(lhs), Part(rhs)) }
}

extension PredicateExpressions.ForcedUnwrap: FormedExpression {
  fileprivate var form: Part.Form { .forcedUnwrap(Part(inner)) }
}

extension PredicateExpressions.Range: FormedExpression {
  fileprivate var form: Part.Form { .range(Part(lower), Part(upper), includesUpper: false) }
}

extension PredicateExpressions.ClosedRange: FormedExpression {
  fileprivate var form: Part.Form { .range(Part(lower), Part(upper), includesUpper: true) }
}

extension PredicateExpressions.RangeExpressionContains: FormedExpression {
  fileprivate var form: Part.Form { .isInRange(Part(element), Part(range)) }
}

extension PredicateExpressions.SequenceContains: FormedExpression {
  fileprivate var form: Part.Form { .isElement(Part(element), of: Part(sequence)) }
}

extension PredicateExpressions.SequenceContainsWhere: FormedExpression {
  fileprivate var form: Part.Form {
    .isAnyElement(variable.key, of: Part(sequence), where: Part(test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: FormedExpression {
  fileprivate var form: Part.Form {
    .isEveryElement(variable.key, of: Part(sequence), where: Part(test))
  }
}

extension PredicateExpressions.Filter: FormedExpression {
  fileprivate var form: Part.Form {
    .filter(variable.key, of: Part(sequence), where: Part(filter))
  }
}

extension PredicateExpressions.CollectionContainsCollection: FormedExpression {
  fileprivate var form: Part.Form {
    guard Base.Output.self == String.self, Other.Output.self == String.self else { return .other }
    return .text(.contains, Part(base), Part(other))
  }
}

extension PredicateExpressions.SequenceStartsWith: FormedExpression {
  fileprivate var form: Part.Form {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else { return .other }
    return .text(.startsWith, Part(base), Part(prefix))
  }
}

extension PredicateExpressions.ConditionalCast: FormedExpression {
  fileprivate var form: Part.Form { .cast(Part(input), Desired.self) }
}

extension PredicateExpressions.TypeCheck: FormedExpression {
  fileprivate var form: Part.Form { .isKind(Part(input), Desired.self) }
}
