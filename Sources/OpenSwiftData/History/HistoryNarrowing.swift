import Foundation

/// What a predicate on transactions says of their numbers and authors, so that not the whole history
/// has to be read.
///
/// Only conditions that must all hold are looked at; whatever else the predicate says is left to its
/// evaluation.
struct HistoryNarrowing {
  /// Every transaction that is meant has a higher number.
  private(set) var after: Int64?
  /// Every transaction that is meant has this number or a lower one.
  private(set) var until: Int64?
  /// Every transaction that is meant is by this author; an inner nil for nobody.
  private(set) var author: String??
  /// Numbers after which history is asked for, and which must therefore still be there.
  private(set) var positions: [Int64] = []
  /// Whether no transaction can be meant.
  private(set) var isEmpty = false

  private let storeIdentifier: String

  init(_ predicate: Predicate<DefaultHistoryTransaction>?, storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    if let predicate { add(predicate.expression) }
  }

  private mutating func add(_ part: any PredicateExpression) {
    (part as? any NarrowingPredicatePart)?.narrow(&self)
  }

  fileprivate mutating func addBoth(
    _ left: any PredicateExpression, _ right: any PredicateExpression
  ) {
    add(left)
    add(right)
  }

  /// Notes that a property of every transaction compares with a value in a certain way.
  fileprivate mutating func note(
    _ keyPath: AnyKeyPath, _ relation: Relation, _ value: Any
  ) {
    switch keyPath {
    case \DefaultHistoryTransaction.token:
      guard let token = value as? DefaultHistoryToken else { return }
      note(relation, token.number(of: storeIdentifier), isToken: true)
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
      if let number = value as? Int64 { note(relation, number, isToken: false) }
    case \DefaultHistoryTransaction.author:
      guard relation == .equal else { return }
      author = .some(PropertyLayout.unwrapped(value) as? String)
    default: break
    }
  }

  private mutating func note(_ relation: Relation, _ number: Int64?, isToken: Bool) {
    // A token that does not name this store is neither before nor after any of its transactions.
    guard let number else {
      isEmpty = true
      return
    }
    switch relation {
    case .greater:
      after = max(after ?? .min, number)
      if isToken { positions.append(number) }
    case .greaterOrEqual:
      after = max(after ?? .min, number == .min ? .min : number - 1)
      if isToken { positions.append(number) }
    case .less: until = min(until ?? .max, number == .min ? .min : number - 1)
    case .lessOrEqual: until = min(until ?? .max, number)
    case .equal:
      after = max(after ?? .min, number == .min ? .min : number - 1)
      until = min(until ?? .max, number)
    }
  }

  fileprivate enum Relation {
    case equal, less, lessOrEqual, greater, greaterOrEqual

    /// The relation with its sides exchanged.
    var mirrored: Relation {
      switch self {
      case .equal: .equal
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      }
    }
  }

  /// Notes a comparison of two parts, of which one is a property and the other a captured value.
  fileprivate mutating func note(
    _ left: any PredicateExpression, _ relation: Relation, _ right: any PredicateExpression
  ) {
    if let keyPath = (left as? any TransactionProperty)?.transactionKeyPath,
      let value = (right as? any CapturedValue)?.captured
    {
      note(keyPath, relation, value)
    } else if let keyPath = (right as? any TransactionProperty)?.transactionKeyPath,
      let value = (left as? any CapturedValue)?.captured
    {
      note(keyPath, relation.mirrored, value)
    }
  }
}

/// A part of a predicate that says something of every transaction that is meant.
private protocol NarrowingPredicatePart {
  func narrow(_ narrowing: inout HistoryNarrowing)
}

extension PredicateExpressions.Conjunction: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) { narrowing.addBoth(lhs, rhs) }
}

extension PredicateExpressions.Equal: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.note(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.Comparison: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    switch op {
    case .lessThan: narrowing.note(lhs, .less, rhs)
    case .lessThanOrEqual: narrowing.note(lhs, .lessOrEqual, rhs)
    case .greaterThan: narrowing.note(lhs, .greater, rhs)
    case .greaterThanOrEqual: narrowing.note(lhs, .greaterOrEqual, rhs)
    @unknown default: break
    }
  }
}

/// A property of the transaction that a predicate is about.
private protocol TransactionProperty {
  /// The property; nil for one of anything else.
  var transactionKeyPath: AnyKeyPath? { get }
}

extension PredicateExpressions.KeyPath: TransactionProperty {
  fileprivate var transactionKeyPath: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
}

/// A value that a predicate has captured from outside.
private protocol CapturedValue {
  var captured: Any { get }
}

extension PredicateExpressions.Value: CapturedValue {
  fileprivate var captured: Any { value }
}

extension PredicateExpressions.NilLiteral: CapturedValue {
  fileprivate var captured: Any { Any?.none as Any }
}
