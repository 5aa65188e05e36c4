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
  private(set) var isEmpty = false
  /// Whether the predicate says nothing else.
  private(set) var isExact = true
  private(set) var mayNeedChanges = false
  /// The tokens that transactions are compared with.
  private var tokens: [DefaultHistoryToken] = []

  private let storeIdentifier: String
  private var sense = Sense.affirmed

  /// Whether a part must hold, must not hold, or either, for a transaction to match.
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

  var query: HistoryQuery {
    var query = HistoryQuery(after: after, until: until, author: author)
    // As in SwiftData, a change without its transaction is no history.
    query.checksCompleteness = false
    return query
  }

  init(_ predicate: Predicate<DefaultHistoryTransaction>?, storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    if let predicate { add(PredicatePart(predicate.expression)) }
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

  private mutating func add(_ part: PredicatePart) {
    if let isMet = part.value as? Bool {
      if !isMet { isEmpty = true }
      return
    }
    switch part.form {
    case .and(_, let right) where right.value as? Bool == false:
      // A condition that cannot be met asks for nothing.
      isEmpty = true
    case .and(let left, let right):
      add(left)
      add(right)
    case .or(let left, let right): addEither(left, right)
    case .not(let part): addAlternatives([part], as: sense.opposite)
    case .conditional(let test, let yes, let no):
      if let isMet = test.value as? Bool { return add(isMet ? yes : no) }
      addAlternatives([test], as: .either)
      addAlternatives([yes, no], as: sense)
    case .isInRange(let element, let range): add(element, in: range)
    case .compare(let comparison, let left, let right): add(left, comparison, right)
    default:
      cannotTell()
      let components = part.components
      // A custom part may evaluate a whole predicate.
      let predicates = components.compactMap { $0 as? Predicate<DefaultHistoryTransaction> }
      let parts = components.compactMap { $0 as? any PredicateExpression }
      addAlternatives(
        (parts + predicates.map { $0.expression }).map(PredicatePart.init), as: .either)
    }
  }

  private mutating func addEither(_ left: PredicatePart, _ right: PredicatePart) {
    switch (left.value as? Bool, right.value as? Bool) {
    case (true?, _), (_, true?): break
    case (false?, _): add(right)
    case (_, false?): add(left)
    default: addAlternatives([left, right], as: sense)
    }
  }

  private mutating func cannotTell() {
    isExact = false
    mayNeedChanges = true
  }

  /// Adds parts that need not all hold.
  private mutating func addAlternatives(_ parts: [PredicatePart], as sense: Sense) {
    isExact = false
    var alternatives = HistoryNarrowing(nil, storeIdentifier: storeIdentifier)
    alternatives.sense = sense
    for part in parts { alternatives.add(part) }
    if alternatives.mayNeedChanges { mayNeedChanges = true }
    positions += alternatives.positions
    tokens += alternatives.tokens
  }

  // MARK: - Comparisons

  /// Adds a comparison of a property with a captured value, either of them first.
  private mutating func add(
    _ left: PredicatePart, _ comparison: PredicatePart.Comparison, _ right: PredicatePart
  ) {
    if let keyPath = left.transactionKeyPath, let value = right.value {
      add(keyPath, comparison, value)
    } else if let keyPath = right.transactionKeyPath, let value = left.value {
      add(keyPath, comparison.mirrored, value)
    } else {
      cannotTell()
      addAlternatives([left, right], as: .either)
    }
  }

  private mutating func add(_ element: PredicatePart, in range: PredicatePart) {
    guard let keyPath = element.transactionKeyPath,
      let ends = (range.value as? any BoundedRange)?.ends
    else {
      cannotTell()
      return addAlternatives([element, range], as: .either)
    }
    add(keyPath, .greaterOrEqual, ends.lower)
    if let upper = ends.upper { add(keyPath, ends.includesUpper ? .lessOrEqual : .less, upper) }
  }

  private mutating func add(
    _ keyPath: AnyKeyPath, _ comparison: PredicatePart.Comparison, _ value: Any
  ) {
    switch keyPath {
    case \DefaultHistoryTransaction.token:
      let token = value as? DefaultHistoryToken
      if let token { tokens.append(token) }
      guard let token, comparison != .notEqual else {
        isExact = false
        return
      }
      // For other stores the token's own comparison decides.
      if token.tokenValue?.count != 1 { isExact = false }
      add(comparison, token.number(of: storeIdentifier), isToken: true)
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
      guard let number = value as? Int64, comparison != .notEqual else {
        isExact = false
        return
      }
      add(comparison, number, isToken: false)
    case \DefaultHistoryTransaction.author:
      add(comparison, author: PropertyLayout.unwrapped(value) as? String)
    case \DefaultHistoryTransaction.changes: cannotTell()
    default: isExact = false
    }
  }

  private mutating func add(_ comparison: PredicatePart.Comparison, author name: String?) {
    // Other texts can be written in several ways that are equal in Swift and not in SQLite.
    let isASCII = name?.utf8.allSatisfy { $0 < 0x80 } ?? true
    switch (comparison, name) {
    case (.equal, let name?) where author.isEmpty && isASCII: author.anyOf = [name]
    case (.equal, nil) where author.isEmpty:
      author.anyOf = []
      author.orNone = true
    // In Swift, a missing author differs from every name; in SQL that is unknown.
    case (.notEqual, let name?) where author.anyOf == nil && isASCII: author.noneOf.append(name)
    default: isExact = false
    }
  }

  private mutating func add(
    _ comparison: PredicatePart.Comparison, _ number: Int64?, isToken: Bool
  ) {
    // A token that does not name this store is neither before nor after any of its transactions.
    guard let number else {
      isEmpty = true
      return
    }
    let previous = number == .min ? .min : number - 1
    switch comparison {
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
      switch comparison {
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

extension PredicatePart {
  /// The property of the transaction that the part is, or `nil` for anything else.
  fileprivate var transactionKeyPath: AnyKeyPath? {
    guard case .property(let keyPath, let owner) = form, case .variable = owner.form,
      type(of: keyPath).rootType == DefaultHistoryTransaction.self
    else { return nil }
    return keyPath
  }
}
