import Foundation
import PersistentHistory

/// What a predicate on transactions says of their numbers and authors, so that not the whole history
/// has to be read.
///
/// Only conditions that must all hold narrow anything; where the predicate says anything else, it must
/// be evaluated as well. Numbers after which history is asked for are found wherever they stand.
struct HistoryNarrowing {
  /// Every transaction that is meant has a higher number.
  private(set) var after: Int64?
  /// Every transaction that is meant has this number or a lower one.
  private(set) var until: Int64?
  /// What the author of every transaction that is meant meets.
  private(set) var author = HistoryQuery.TextCondition()
  /// Numbers after which history is asked for, and which must therefore still be there.
  private(set) var positions: [Int64] = []
  /// The tokens with which transactions are compared.
  private(set) var tokens: [DefaultHistoryToken] = []
  /// Whether no transaction can be meant.
  private(set) var isEmpty = false
  /// Whether the predicate says nothing else.
  private(set) var isExact = true
  /// Whether the predicate may look at changes.
  private(set) var mayNeedChanges = false

  private let storeIdentifier: String
  private var sense = Sense.affirmed

  /// What must be so of what is looked at, for a transaction to be meant.
  private enum Sense {
    case affirmed, denied, either

    var opposite: Sense {
      switch self {
      case .affirmed: .denied
      case .denied: .affirmed
      case .either: .either
      }
    }
  }

  /// Reads the transactions that can be meant, unless there can be none.
  var query: HistoryQuery {
    var query = HistoryQuery(after: after, until: until, author: author)
    // As in SwiftData, a change without its transaction is no history.
    query.checksCompleteness = false
    return query
  }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?, storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    if let predicate { add(predicate.expression) }
  }

  private mutating func add(_ part: any PredicateExpression) {
    if let isMet = Self.value(of: part) as? Bool {
      if !isMet { isEmpty = true }
    } else if let part = part as? any NarrowingPredicatePart {
      part.narrow(&self)
    } else {
      addUnknown(part)
    }
  }

  /// The value of a part that looks at no transaction; nil for any other.
  private static func value(of part: any PredicateExpression) -> Any? {
    func evaluate(_ part: some PredicateExpression) -> Any? {
      try? part.evaluate(PredicateBindings())
    }
    return evaluate(part)
  }

  private mutating func cannotTell() {
    isExact = false
    mayNeedChanges = true
  }

  /// Notes a part of which it is not known what it makes of those that it consists of.
  fileprivate mutating func addUnknown(_ part: any PredicateExpression) {
    cannotTell()
    let children = Mirror(reflecting: part).children.map(\.value)
    addAlternatives(children.compactMap { $0 as? any PredicateExpression }, as: .either)
    // A predicate that a part of somebody's own evaluates.
    let predicates = children.compactMap { $0 as? Predicate<DefaultHistoryTransaction> }
    addAlternatives(predicates.map { $0.expression }, as: .either)
  }

  /// Notes parts that need not all hold.
  private mutating func addAlternatives(_ parts: [any PredicateExpression], as sense: Sense) {
    isExact = false
    var alternatives = HistoryNarrowing(nil, storeIdentifier: storeIdentifier)
    alternatives.sense = sense
    for part in parts { alternatives.add(part) }
    if alternatives.mayNeedChanges { mayNeedChanges = true }
    positions += alternatives.positions
  }

  fileprivate mutating func addEither(
    _ left: any PredicateExpression, _ right: any PredicateExpression
  ) {
    switch (Self.value(of: left) as? Bool, Self.value(of: right) as? Bool) {
    case (true?, _), (_, true?): break
    case (false?, _): add(right)
    case (_, false?): add(left)
    default: addAlternatives([left, right], as: sense)
    }
  }

  fileprivate mutating func addBoth(
    _ left: any PredicateExpression, _ right: any PredicateExpression
  ) {
    // Of what cannot be met nothing is asked for.
    if Self.value(of: right) as? Bool == false {
      isEmpty = true
      return
    }
    add(left)
    add(right)
  }

  fileprivate mutating func addOpposite(of part: any PredicateExpression) {
    addAlternatives([part], as: sense.opposite)
  }

  fileprivate mutating func addChoice(
    by test: any PredicateExpression, _ first: any PredicateExpression,
    _ second: any PredicateExpression
  ) {
    if let isMet = Self.value(of: test) as? Bool {
      add(isMet ? first : second)
    } else {
      addAlternatives([test], as: .either)
      addAlternatives([first, second], as: sense)
    }
  }

  /// Notes that a property of every transaction compares with a value in a certain way.
  fileprivate mutating func note(
    _ keyPath: AnyKeyPath, _ relation: Relation, _ value: Any
  ) {
    switch keyPath {
    case \DefaultHistoryTransaction.token:
      if let token = value as? DefaultHistoryToken { tokens.append(token) }
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
    if isToken, asksForLater(relation) { positions.append(number) }
    switch relation {
    case .greater: after = max(after ?? .min, number)
    case .greaterOrEqual: after = max(after ?? .min, number == .min ? .min : number - 1)
    case .less: until = min(until ?? .max, number == .min ? .min : number - 1)
    case .lessOrEqual: until = min(until ?? .max, number)
    case .equal:
      after = max(after ?? .min, number == .min ? .min : number - 1)
      until = min(until ?? .max, number)
    case .notEqual: isExact = false
    }
  }

  /// Whether transactions behind a token can be meant that compares so.
  private func asksForLater(_ relation: Relation) -> Bool {
    switch relation {
    case .greater, .greaterOrEqual: sense != .denied
    case .less, .lessOrEqual: sense != .affirmed
    case .equal, .notEqual: false
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
      let value = Self.value(of: right)
    {
      note(keyPath, relation, value)
    } else if let keyPath = (right as? any TransactionProperty)?.transactionKeyPath,
      let value = Self.value(of: left)
    {
      note(keyPath, relation.mirrored, value)
    } else {
      cannotTell()
      addAlternatives([left, right], as: .either)
    }
  }

  /// Notes that a part lies in a range.
  fileprivate mutating func note(
    _ part: any PredicateExpression, in range: any PredicateExpression
  ) {
    guard let keyPath = (part as? any TransactionProperty)?.transactionKeyPath,
      let range = Self.value(of: range) as? any BoundedRange
    else {
      cannotTell()
      addAlternatives([part, range], as: .either)
      return
    }
    let (lower, upper, includesUpper) = range.ends
    note(keyPath, .greaterOrEqual, lower)
    if let upper { note(keyPath, includesUpper ? .lessOrEqual : .less, upper) }
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
    narrowing.addEither(lhs, rhs)
  }
}

extension PredicateExpressions.Negation: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.addOpposite(of: wrapped)
  }
}

extension PredicateExpressions.Conditional: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.addChoice(by: test, trueBranch, falseBranch)
  }
}

extension PredicateExpressions.RangeExpressionContains: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.note(element, in: range)
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
    @unknown default: narrowing.addUnknown(self)
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

/// A range with the ends that can be told of it.
private protocol BoundedRange {
  var ends: (lower: Any, upper: Any?, includesUpper: Bool) { get }
}

extension Range: BoundedRange {
  fileprivate var ends: (lower: Any, upper: Any?, includesUpper: Bool) {
    (lowerBound, upperBound, false)
  }
}

extension ClosedRange: BoundedRange {
  fileprivate var ends: (lower: Any, upper: Any?, includesUpper: Bool) {
    (lowerBound, upperBound, true)
  }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate var ends: (lower: Any, upper: Any?, includesUpper: Bool) { (lowerBound, nil, false) }
}
