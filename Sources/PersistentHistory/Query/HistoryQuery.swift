import StoreFormat

/// Which transactions of a history to read, and in which order.
///
/// Values of one condition are alternatives, different conditions must all hold: `authors` of two
/// names and one entity means transactions by either author with a change of the entity. Conditions
/// select whole transactions, as SwiftData's predicates do.
public struct HistoryQuery: Hashable, Sendable {
  /// Conditions on one of the four texts of a transaction.
  public typealias TextCondition = TransactionSelection.TextCondition
  /// Which end of the history comes first.
  public typealias Order = TransactionSelection.Order

  /// Only transactions after this position.
  public var after: Int64?
  /// Only transactions up to and including this position.
  public var until: Int64?
  /// Conditions on the author.
  public var author: TextCondition
  /// Conditions on the bundle identifier.
  public var bundle: TextCondition
  /// Conditions on the process name.
  public var process: TextCondition
  /// Only transactions with at least one such change.
  public var change: ChangeCondition
  /// Whether changes that do not meet ``change`` are left out of the transactions that are read.
  public var keepsOnlyMatchingChanges: Bool
  /// Which transaction comes first.
  public var order: Order
  /// At most so many transactions; nil for all.
  public var limit: Int?
  /// Whether ``limit`` keeps the newest transactions, whatever the order.
  public var limitKeepsNewest: Bool
  /// Whether ``HistoryReader/presentObject(of:)`` tells what the objects of changes are now.
  package var readsPresentObjects = false
  /// Where the values of updates are kept that the changes are to have; nil to leave them out.
  ///
  /// Changes that come from an archive or from lines have what stands there.
  public var recordedValues: RecordedValues?
  /// Whether changes that come from an archive or from lines are given without recorded values.
  package var omitsRecordedValues = false

  /// Whether reading ends with an error where an index of the store lists more rows than were read
  /// with their transactions: those of a change whose transaction is missing, or rows on damaged pages.
  ///
  /// Only queries without conditions on texts or changes and without a limit can tell.
  package var checksCompleteness = true

  /// A query; without arguments, for everything, oldest first.
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

  /// Whether a transaction with all its changes meets every condition but the limit.
  ///
  /// A store is asked in SQL instead; this is for transactions that come from elsewhere.
  package func matches(_ transaction: HistoryTransaction) -> Bool {
    if let after, transaction.number <= after { return false }
    if let until, transaction.number > until { return false }
    return author.matches(transaction.author) && bundle.matches(transaction.bundle)
      && process.matches(transaction.process)
      && (change.isEmpty || transaction.changes.contains { change.matches($0) })
  }
}

extension TransactionSelection.TextCondition {
  /// Whether a text meets the condition; texts are compared byte by byte, as SQLite does.
  package func matches(_ text: RecordedText?) -> Bool {
    func isOneOf(_ names: [String]) -> Bool {
      guard let text else { return false }
      if let bytes = text.malformedBytes { return names.contains { $0.utf8.elementsEqual(bytes) } }
      return names.contains { $0.utf8.elementsEqual(text.string.utf8) }
    }
    if let anyOf, !isOneOf(anyOf), !(orNone && text == nil) { return false }
    return !isOneOf(noneOf)
  }
}
