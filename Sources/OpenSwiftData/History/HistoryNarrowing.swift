import Foundation
import PersistentHistory

/// What a predicate on transactions says of their numbers and authors, so that not the whole history
/// has to be read.
///
/// Only conditions that must all hold are looked at; where the predicate says anything else, it must be
/// evaluated as well.
struct HistoryNarrowing {
  /// Every transaction that is meant has a higher number.
  private(set) var after: Int64?
  /// Every transaction that is meant has this number or a lower one.
  private(set) var until: Int64?
  /// What the author of every transaction that is meant meets.
  private(set) var author = HistoryQuery.TextCondition()
  /// Numbers after which history is asked for, and which must therefore still be there.
  private(set) var positions: [Int64] = []
  /// Whether no transaction can be meant.
  private(set) var isEmpty = false
  /// Whether the predicate says nothing else.
  private(set) var isExact = true
  /// Whether the predicate may look at changes.
  private(set) var mayNeedChanges = false

  private let storeIdentifier: String

  /// Reads the transactions that can be meant, unless there can be none.
  var query: HistoryQuery { HistoryQuery(after: after, until: until, author: author) }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?, storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    if let predicate { add(predicate.expression) }
  }

  private mutating func add(_ part: any PredicateExpression) {
    if let part = part as? any NarrowingPredicatePart {
      part.narrow(&self)
    } else {
      cannotTell()
    }
  }

  fileprivate mutating func cannotTell() {
    isExact = false
    mayNeedChanges = true
  }

  /// Notes parts that need not all hold.
  fileprivate mutating func addAlternatives(_ parts: any PredicateExpression...) {
    isExact = false
    var alternatives = HistoryNarrowing(nil, storeIdentifier: storeIdentifier)
    for part in parts { alternatives.add(part) }
    if alternatives.mayNeedChanges { mayNeedChanges = true }
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
      guard let token = value as? DefaultHistoryToken, relation != .notEqual else {
        isExact = false
        return
      }
      // What a token says of other stores is a matter for its own comparison.
      if token.tokenValue?.count != 1 { isExact = false }
      note(relation, token.number(of: storeIdentifier), isToken: true)
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
      guard let number = value as? Int64, relation != .notEqual else {
        isExact = false
        return
      }
      note(relation, number, isToken: false)
    case \DefaultHistoryTransaction.author:
      note(relation, author: PropertyLayout.unwrapped(value) as? String)
    case \DefaultHistoryTransaction.changes: cannotTell()
    default: isExact = false
    }
  }

  private mutating func note(_ relation: Relation, author name: String?) {
    // Other texts can be written in several ways that are equal in Swift, and not for SQLite.
    let isUnambiguous = name?.utf8.allSatisfy { $0 < 0x80 } ?? true
    switch (relation, name) {
    case (.equal, let name?) where author.isEmpty && isUnambiguous: author.anyOf = [name]
    case (.equal, nil) where author.isEmpty:
      author.anyOf = []
      author.orNone = true
    // In Swift, what has no author is not by somebody; SQL would not know.
    case (.notEqual, let name?) where author.anyOf == nil && isUnambiguous:
      author.noneOf.append(name)
    default: isExact = false
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
    case .notEqual: isExact = false
    }
  }

  fileprivate enum Relation {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// The relation with its sides exchanged.
    var mirrored: Relation {
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
    } else {
      cannotTell()
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

extension PredicateExpressions.Disjunction: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.addAlternatives(lhs, rhs)
  }
}

extension PredicateExpressions.Negation: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.addAlternatives(wrapped)
  }
}

extension PredicateExpressions.Equal: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.note(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.note(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    switch op {
    case .lessThan: narrowing.note(lhs, .less, rhs)
    case .lessThanOrEqual: narrowing.note(lhs, .lessOrEqual, rhs)
    case .greaterThan: narrowing.note(lhs, .greater, rhs)
    case .greaterThanOrEqual: narrowing.note(lhs, .greaterOrEqual, rhs)
    @unknown default: narrowing.cannotTell()
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
