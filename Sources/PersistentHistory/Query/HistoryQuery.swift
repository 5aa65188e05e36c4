import StoreFormat

/// The conditions that select transactions of a history, and their order and number.
///
/// Values of one condition are alternatives, and all conditions must hold: two authors and one entity
/// select the transactions of either author with a change of the entity. Conditions select whole
/// transactions, as SwiftData's predicates do.
public struct HistoryQuery: Hashable, Sendable {
  /// Conditions on one of the four texts of a transaction.
  public typealias TextCondition = TransactionSelection.TextCondition
  /// Which end of the history comes first.
  public typealias Order = TransactionSelection.Order

  /// Only transactions after this number.
  public var after: Int64?
  /// Only transactions up to and including this number.
  public var until: Int64?
  /// Conditions on the author.
  public var author: TextCondition
  /// Conditions on the bundle identifier.
  public var bundle: TextCondition
  /// Conditions on the process name.
  public var process: TextCondition
  /// Only transactions with at least one such change.
  public var change: ChangeCondition
  /// Whether transactions are read without the changes that do not meet ``change``.
  public var keepsOnlyMatchingChanges: Bool
  /// Which transaction comes first.
  public var order: Order
  /// The maximum number of transactions, or `nil` for all.
  public var limit: Int?
  /// Whether ``limit`` keeps the newest transactions, whatever the order.
  public var limitKeepsNewest: Bool

  // How to read: the public methods that read take these as parameters.

  /// Where to read the old and new values of updates, or `nil` to leave them out.
  ///
  /// Changes from an archive or from lines have the values that were sealed with them.
  package var recordedValues: RecordedValues?
  /// Counts for which transactions the values of conditions are known; `nil` to count nothing.
  package var valueSearch: ValueSearch?
  /// Whether changes from an archive or from lines are read without recorded values.
  package var omitsRecordedValues = false
  /// Whether ``HistoryReader/presentObject(of:)`` reads the present state of objects.
  package var readsPresentObjects = false
  /// Whether reading fails at its end where an index of the store and its table contradict each other: an
  /// index lists other rows, a change names a missing transaction, or rows are on damaged pages.
  package var checksCompleteness = true
  /// Whether this is a part of a longer reading, which checks the number of transactions as a whole.
  package var isPart = false
  /// Whether the changes of each transaction of a store are looked up in the index, which is slower than
  /// reading rows in their order, and can contradict it.
  package var looksUpChanges = false

  /// Creates a query; without arguments, for all transactions, oldest first.
  public init(
    after: Int64? = nil, until: Int64? = nil, author: TextCondition = TextCondition(),
    bundle: TextCondition = TextCondition(), process: TextCondition = TextCondition(),
    change: ChangeCondition = ChangeCondition(), keepsOnlyMatchingChanges: Bool = false,
    order: Order = .ascending, limit: Int? = nil, limitKeepsNewest: Bool = false
  ) {
    self.after = after
    self.until = until
    self.author = author
    self.bundle = bundle
    self.process = process
    self.change = change
    self.keepsOnlyMatchingChanges = keepsOnlyMatchingChanges
    self.order = order
    self.limit = limit
    self.limitKeepsNewest = limitKeepsNewest
  }
}

extension StoreSnapshot {
  /// Returns a reader of the transactions after a token that match a query.
  ///
  /// - Parameters:
  ///   - token: The token in any written form, such as `57`, `1D070E6D-…:57`, `yesterday`, `2w` or
  ///     `@bookmark` (<doc:Tokens>); `nil` to begin with the oldest transaction, or where the query says.
  ///   - end: The token of the last transaction to read, or `nil` to read up to the newest, or to where
  ///     the query says.
  ///   - query: The conditions on transactions.
  ///   - recordedValues: Where to read the old and new values of updates, or `nil` to leave them out.
  /// - Throws: ``HistoryError/unusableToken(_:)`` where history after the token is incomplete, another
  ///   ``HistoryError`` where a text is not a token or the query names what the store does not have, and
  ///   ``/StoreFormat/StoreError``.
  public func history(
    after token: String? = nil, until end: String? = nil,
    matching query: HistoryQuery = HistoryQuery(),
    recordedValues: RecordedValues? = nil
  ) throws -> HistoryReader {
    var query = query
    let resolver = TokenResolver(snapshot: self)
    if let token { query.after = try resolver.resolveUsable(token).number }
    if let end { query.until = try resolver.resolveUsable(end).number }
    if let recordedValues { query.recordedValues = recordedValues }
    return try HistoryReader(snapshot: self, query: query)
  }
}

extension HistoryQuery {
  /// Returns the query in the numbers of a store.
  ///
  /// - Throws: ``HistoryError`` where it names what the store does not have.
  func selection(
    in schema: HistorySchema, of snapshot: StoreSnapshot
  ) throws -> TransactionSelection {
    var selection = TransactionSelection(
      after: after, until: until,
      texts: [.author: author, .bundle: bundle, .process: process],
      change: try change.selection(in: schema, of: snapshot), order: order, limit: limit,
      limitKeepsNewest: limitKeepsNewest)
    selection.checksCompleteness = checksCompleteness
    selection.isPart = isPart
    selection.looksUpChanges = looksUpChanges
    return selection
  }

  /// Returns whether a transaction with all its changes meets every condition but the limit.
  ///
  /// Stores evaluate the query in SQL instead; this is for transactions from archives and lines.
  package func matches(_ transaction: HistoryTransaction) -> Bool {
    if let after, transaction.number <= after { return false }
    if let until, transaction.number > until { return false }
    return author.matches(transaction.author) && bundle.matches(transaction.bundle)
      && process.matches(transaction.process)
      && (change.isEmpty || transaction.changes.contains { change.matches($0) })
  }

  /// Returns the query for a range of numbers only.
  package func narrowed(to numbers: ClosedRange<Int64>) -> HistoryQuery {
    var query = self
    query.after = numbers.lowerBound == .min ? nil : numbers.lowerBound - 1
    query.until = numbers.upperBound
    return query
  }

  /// Whether it selects every transaction of its range.
  package var isUnconditional: Bool {
    limit == nil && author.isEmpty && bundle.isEmpty && process.isEmpty && change.isEmpty
  }

  /// The numbers between its bounds, or `nil` where there are none.
  package var range: ClosedRange<Int64>? {
    guard after != .max else { return nil }
    let (first, last) = (after.map { $0 + 1 } ?? .min, until ?? .max)
    return first <= last ? first...last : nil
  }

  /// Whether it selects every transaction of a history.
  package var selectsEverything: Bool {
    after.map { $0 <= 0 } ?? true && until == nil && isUnconditional
  }
}

extension TransactionSelection.TextCondition: ExpressibleByStringLiteral {
  /// Creates a condition that exactly one text meets.
  public init(stringLiteral value: String) { self.init(anyOf: [value]) }
}

extension TransactionSelection.TextCondition {
  /// Returns whether a text meets the condition; texts are compared byte by byte, as SQLite does.
  func matches(_ text: RecordedText?) -> Bool {
    func isOneOf(_ names: [String]) -> Bool {
      guard let text else { return false }
      if let bytes = text.malformedBytes { return names.contains { $0.utf8.elementsEqual(bytes) } }
      return names.contains { $0.utf8.elementsEqual(text.string.utf8) }
    }
    if let anyOf, !isOneOf(anyOf), !(orNone && text == nil) { return false }
    return !isOneOf(noneOf)
  }
}
