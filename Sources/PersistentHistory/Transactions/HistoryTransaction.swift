import StoreFormat

/// The record of one save: when, by whom, and what it did to each object.
public struct HistoryTransaction: Hashable, Sendable, Identifiable {
  /// The identifier of the store, or `nil` in a store that has none.
  public var store: String?
  /// The transaction number. It increases by one with each save and is never reused.
  public var number: Int64
  /// The time of the save, or `nil` where the store holds none.
  public var timestamp: StoreTimestamp?
  /// The author of the save, as the app set it.
  public var author: RecordedText?
  /// The bundle identifier of the program that saved.
  public var bundle: RecordedText?
  /// The name of the process that saved.
  public var process: RecordedText?
  /// The name of the context that was saved.
  public var context: RecordedText?
  /// The SQLite snapshot of a pinned query generation, undecoded.
  package var queryGeneration: [UInt8]?
  /// Columns of the row that no other property represents.
  package var extra: [ExtraColumn]
  // Code of this package that streams changes leaves the list empty.
  /// The changes in recorded order: all of them, or the matching ones where ``isPartial`` is true.
  public var changes: [HistoryChange]
  /// Whether changes that do not match the query were left out of ``changes``.
  public var isPartial: Bool

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

  package var position: TransactionPosition {
    TransactionPosition(number: number, timestamp: timestamp)
  }

  /// The same as ``number``.
  public var id: Int64 { number }

  /// The token after this transaction, or `nil` in a store without an identifier.
  public var token: HistoryToken? {
    store.map { HistoryToken(storeIdentifier: $0, transaction: number) }
  }

  /// The size of its values in bytes, without its changes.
  package var byteCount: Int {
    StringRole.allCases.reduce(0) { $0 + (text($1)?.string.utf8.count ?? 0) }
      + (queryGeneration?.count ?? 0) + extra.reduce(0) { $0 + $1.value.byteCount }
  }

  package func text(_ role: StringRole) -> RecordedText? {
    switch role {
    case .author: author
    case .bundle: bundle
    case .process: process
    case .context: context
    }
  }
}

extension TransactionPosition {
  /// Returns whether a transaction of a store may be this one, whose time may be unknown.
  func mayBe(_ other: TransactionPosition) -> Bool {
    number == other.number && (timestamp == nil || timestamp == other.timestamp)
  }
}
