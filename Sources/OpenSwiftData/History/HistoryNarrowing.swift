import Foundation
import PersistentHistory

/// The range of numbers and the author that a predicate on transactions asks for, so that a store
/// need not read its whole history.
///
/// Only conditions that must all hold narrow the range; the predicate must be evaluated as well if
/// it says anything else. Tokens after which history is asked for are found anywhere in the
/// predicate.
struct HistoryNarrowing {
  /// All matching transactions have higher numbers.
  private(set) var after: Int64?
  /// All matching transactions have this number or lower ones.
  private(set) var until: Int64?
  private(set) var author = HistoryQuery.TextCondition()
  /// The numbers after which history is asked for, so that they must still be there.
  private(set) var positions: [Int64] = []
  /// Whether no transaction can match.
  fileprivate(set) var isEmpty = false
  /// Whether the predicate says nothing else.
  private(set) var isExact = true
  private(set) var mayNeedChanges = false
  /// The tokens that transactions are compared with.
  private var tokens: [DefaultHistoryToken] = []

  private let storeIdentifier: String
  fileprivate private(set) var sense = Sense.affirmed

  /// Whether a part must hold, must not hold, or either, for a transaction to match.
  fileprivate enum Sense {
    case affirmed, denied, either

    var opposite: Sense {
      switch self {
      case .affirmed: .denied
      case .denied: .affirmed
      case .either: .either
      }
    }
  }

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

  /// Refuses tokens that name none of the stores. No transaction comes before or after them, so the
  /// caller would get an empty result without a reason.
  static func checkTokens(
    of descriptor: HistoryDescriptor<DefaultHistoryTransaction>, stores: [String]
  ) throws {
    for token in HistoryNarrowing(descriptor.predicate, storeIdentifier: "").tokens {
      try token.checkNames(oneOf: stores)
    }
  }

  // MARK: - Parts of a predicate

  fileprivate mutating func add(_ part: any PredicateExpression) {
    if let isMet = Self.value(of: part) as? Bool {
      if !isMet { isEmpty = true }
    } else if let part = part as? any NarrowingPredicatePart {
      part.narrow(&self)
    } else {
      addUnknown(part)
    }
  }

  /// Returns the value of a part that looks at no transaction, or `nil` for any other.
  ///
  /// An error here occurs again when the predicate is evaluated, and is thrown then.
  fileprivate static func value(of part: any PredicateExpression) -> Any? {
    func evaluate(_ part: some PredicateExpression) -> Any? {
      try? part.evaluate(PredicateBindings())
    }
    return evaluate(part)
  }

  fileprivate mutating func cannotTell() {
    isExact = false
    mayNeedChanges = true
  }

  fileprivate mutating func addUnknown(_ part: any PredicateExpression) {
    cannotTell()
    let children = Mirror(reflecting: part).children.map(\.value)
    addAlternatives(children.compactMap { $0 as? any PredicateExpression }, as: .either)
    // A custom part may evaluate a whole predicate.
    let predicates = children.compactMap { $0 as? Predicate<DefaultHistoryTransaction> }
    addAlternatives(predicates.map { $0.expression }, as: .either)
  }

  /// Adds parts that need not all hold.
  fileprivate mutating func addAlternatives(_ parts: [any PredicateExpression], as sense: Sense) {
    isExact = false
    var alternatives = HistoryNarrowing(nil, storeIdentifier: storeIdentifier)
    alternatives.sense = sense
    for part in parts { alternatives.add(part) }
    if alternatives.mayNeedChanges { mayNeedChanges = true }
    positions += alternatives.positions
    tokens += alternatives.tokens
  }

  // MARK: - Comparisons

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

  /// Adds a comparison of a property with a captured value, either of them first.
  fileprivate mutating func add(
    _ left: any PredicateExpression, _ relation: Relation, _ right: any PredicateExpression
  ) {
    if let keyPath = (left as? any TransactionProperty)?.transactionKeyPath,
      let value = Self.value(of: right)
    {
      add(keyPath, relation, value)
    } else if let keyPath = (right as? any TransactionProperty)?.transactionKeyPath,
      let value = Self.value(of: left)
    {
      add(keyPath, relation.mirrored, value)
    } else {
      cannotTell()
      addAlternatives([left, right], as: .either)
    }
  }

  fileprivate mutating func add(_ keyPath: AnyKeyPath, _ relation: Relation, _ value: Any) {
    switch keyPath {
    case \DefaultHistoryTransaction.token:
      let token = value as? DefaultHistoryToken
      if let token { tokens.append(token) }
      guard let token, relation != .notEqual else {
        isExact = false
        return
      }
      // For other stores the token's own comparison decides.
      if token.tokenValue?.count != 1 { isExact = false }
      add(relation, token.number(of: storeIdentifier), isToken: true)
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
      guard let number = value as? Int64, relation != .notEqual else {
        isExact = false
        return
      }
      add(relation, number, isToken: false)
    case \DefaultHistoryTransaction.author:
      add(relation, author: PropertyLayout.unwrapped(value) as? String)
    case \DefaultHistoryTransaction.changes: cannotTell()
    default: isExact = false
    }
  }

  private mutating func add(_ relation: Relation, author name: String?) {
    // Other texts can be written in several ways that are equal in Swift and not in SQLite.
    let isASCII = name?.utf8.allSatisfy { $0 < 0x80 } ?? true
    switch (relation, name) {
    case (.equal, let name?) where author.isEmpty && isASCII: author.anyOf = [name]
    case (.equal, nil) where author.isEmpty:
      author.anyOf = []
      author.orNone = true
    // In Swift, a missing author differs from every name; in SQL that is unknown.
    case (.notEqual, let name?) where author.anyOf == nil && isASCII: author.noneOf.append(name)
    default: isExact = false
    }
  }

  private mutating func add(_ relation: Relation, _ number: Int64?, isToken: Bool) {
    // A token that does not name this store is neither before nor after any of its transactions.
    guard let number else {
      isEmpty = true
      return
    }
    let previous = number == .min ? .min : number - 1
    switch relation {
    case .greater: after = max(after ?? .min, number)
    case .greaterOrEqual: after = max(after ?? .min, previous)
    case .less: until = min(until ?? .max, previous)
    case .lessOrEqual: until = min(until ?? .max, number)
    case .equal:
      after = max(after ?? .min, previous)
      until = min(until ?? .max, number)
    case .notEqual: isExact = false
    }
    // Whether transactions after the token can match.
    let asksForLater =
      switch relation {
      case .greater, .greaterOrEqual: sense != .denied
      case .less, .lessOrEqual: sense != .affirmed
      case .equal, .notEqual: false
      }
    if isToken, asksForLater { positions.append(number) }
  }
}

extension DefaultHistoryToken {
  /// Throws an error if the token names only other stores.
  func checkNames(oneOf stores: [String]) throws {
    guard !storeIdentifiers.isEmpty, !stores.isEmpty, stores.allSatisfy({ number(of: $0) == nil })
    else { return }
    throw SwiftDataError(
      .historyTokenExpired,
      "the token belongs to another store (\(storeIdentifiers.sorted().joined(separator: ", "))), "
        + "not to \(stores.sorted().joined(separator: ", ")); read the history from its beginning, "
        + "or open the store that the token came from")
  }
}

/// A part of a predicate that restricts the matching transactions.
private protocol NarrowingPredicatePart {
  func narrow(_ narrowing: inout HistoryNarrowing)
}

extension PredicateExpressions.Conjunction: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    // A condition that cannot be met asks for nothing.
    if HistoryNarrowing.value(of: rhs) as? Bool == false {
      narrowing.isEmpty = true
      return
    }
    narrowing.add(lhs)
    narrowing.add(rhs)
  }
}

extension PredicateExpressions.Disjunction: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    let values = (
      HistoryNarrowing.value(of: lhs) as? Bool, HistoryNarrowing.value(of: rhs) as? Bool
    )
    switch values {
    case (true?, _), (_, true?): break
    case (false?, _): narrowing.add(rhs)
    case (_, false?): narrowing.add(lhs)
    default: narrowing.addAlternatives([lhs, rhs], as: narrowing.sense)
    }
  }
}

extension PredicateExpressions.Negation: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.addAlternatives([wrapped], as: narrowing.sense.opposite)
  }
}

extension PredicateExpressions.Conditional: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    if let isMet = HistoryNarrowing.value(of: test) as? Bool {
      return isMet ? narrowing.add(trueBranch) : narrowing.add(falseBranch)
    }
    narrowing.addAlternatives([test], as: .either)
    narrowing.addAlternatives([trueBranch, falseBranch], as: narrowing.sense)
  }
}

extension PredicateExpressions.RangeExpressionContains: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    guard let keyPath = (element as? any TransactionProperty)?.transactionKeyPath,
      let range = HistoryNarrowing.value(of: range) as? any BoundedRange
    else {
      narrowing.cannotTell()
      narrowing.addAlternatives([element, range], as: .either)
      return
    }
    let (lower, upper, includesUpper) = range.ends
    narrowing.add(keyPath, .greaterOrEqual, lower)
    if let upper { narrowing.add(keyPath, includesUpper ? .lessOrEqual : .less, upper) }
  }
}

extension PredicateExpressions.Equal: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) { narrowing.add(lhs, .equal, rhs) }
}

extension PredicateExpressions.NotEqual: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    narrowing.add(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: NarrowingPredicatePart {
  fileprivate func narrow(_ narrowing: inout HistoryNarrowing) {
    switch op {
    case .lessThan: narrowing.add(lhs, .less, rhs)
    case .lessThanOrEqual: narrowing.add(lhs, .lessOrEqual, rhs)
    case .greaterThan: narrowing.add(lhs, .greater, rhs)
    case .greaterThanOrEqual: narrowing.add(lhs, .greaterOrEqual, rhs)
    @unknown default: narrowing.addUnknown(self)
    }
  }
}

private protocol TransactionProperty {
  /// The property of the transaction, or `nil` for one of anything else.
  var transactionKeyPath: AnyKeyPath? { get }
}

extension PredicateExpressions.KeyPath: TransactionProperty {
  fileprivate var transactionKeyPath: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
}
