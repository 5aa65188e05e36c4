import Foundation

/// Compares predicates part by part, since Foundation does not compare them.
struct PredicateComparison {
  /// Which variable of the one is which of the other.
  private var variables: [PredicateExpressions.VariableID: PredicateExpressions.VariableID]

  /// Whether two predicates are built alike with equal values.
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
      return (left as? any Equatable).map { Self.isEqual($0, right) } ?? false
    }
    let (parts, others) = (Mirror(reflecting: left).children, Mirror(reflecting: right).children)
    guard parts.count == others.count else { return false }
    for (part, other) in zip(parts, others) {
      guard areSame(part.value, other.value) else { return false }
    }
    return true
  }

  private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    (right as? Value) == left
  }
}
