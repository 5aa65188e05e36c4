import StoreFormat

/// What one save recorded: when, by whom, and what it did to each object.
public struct HistoryTransaction: Hashable, Sendable, Identifiable {
  /// The identifier of the store; nil in a store that has none.
  public var store: String?
  /// The transaction number: it grows by one with each save and is never used again.
  public var number: Int64
  /// When it was saved; nil where the store holds no time.
  public var timestamp: StoreTimestamp?
  /// Who saved, as the app set it.
  public var author: RecordedText?
  /// The bundle identifier of the program that saved.
  public var bundle: RecordedText?
  /// The name of the process that saved.
  public var process: RecordedText?
  /// The name of the context that was saved.
  public var context: RecordedText?
  /// The snapshot that a pinned query generation stands for; opaque.
  public var queryGeneration: [UInt8]?
  /// Columns of the row that say more than the properties above.
  public var extra: [ExtraColumn]
  /// The changes in recorded order; a reader that streams them leaves this empty.
  public var changes: [HistoryChange]
  /// Whether changes that did not match a query were left out.
  public var isPartial: Bool

  /// A transaction.
  package init(
    store: String? = nil, number: Int64, timestamp: StoreTimestamp? = nil,
    author: RecordedText? = nil, bundle: RecordedText? = nil, process: RecordedText? = nil,
    context: RecordedText? = nil, queryGeneration: [UInt8]? = nil, extra: [ExtraColumn] = [],
    changes: [HistoryChange] = [], isPartial: Bool = false
  ) {
    self.store = store
    self.number = number
    self.timestamp = timestamp
    self.author = author
    self.bundle = bundle
    self.process = process
    self.context = context
    self.queryGeneration = queryGeneration
    self.extra = extra
    self.changes = changes
    self.isPartial = isPartial
  }

  /// Its place in the history.
  public var position: TransactionPosition {
    TransactionPosition(number: number, timestamp: timestamp)
  }

  /// The same as ``number``.
  public var id: Int64 { number }

  /// The token that stands behind this transaction; nil in a store without an identifier.
  public var token: HistoryToken? {
    store.map { HistoryToken(storeIdentifier: $0, transaction: number) }
  }

  /// One of the four texts.
  package func text(_ role: StringRole) -> RecordedText? {
    switch role {
    case .author: author
    case .bundle: bundle
    case .process: process
    case .context: context
    }
  }
}
