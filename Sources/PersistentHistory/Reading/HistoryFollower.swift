import DurableFiles
import StoreFormat

/// Reads the transactions that any process saves to a store, soon after they are saved.
///
/// The store is examined several times a second, which takes a few microseconds if nothing was
/// saved. Each reading is one short snapshot, so that the log can be checkpointed in between.
public final class HistoryFollower {
  /// What has happened since the last reading.
  public enum Event {
    /// Transactions may have been added; the reader returns them in order.
    case transactions(HistoryReader)
    /// Transactions after `after` were deleted before they were read; `oldest` is the first that is
    /// there.
    case gap(after: Int64, oldest: Int64)
  }

  /// The position: all transactions up to and including this number have been read.
  package private(set) var position: Int64

  /// The identifier of the store; `nil` before the first reading.
  package var storeIdentifier: String? { identifier ?? nil }

  /// Seconds between two readings.
  package static let interval = 0.2

  private let path: String
  private let busyTimeout: Double
  private let query: HistoryQuery
  private let store: SavedStore
  private var identifier: String??
  /// The time of the transaction at ``position``, which differs in another copy of the store.
  private var timestamp: StoreTimestamp?

  /// Prepares to follow a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - query: Which transactions to read; its limits and order are ignored.
  ///   - position: The transaction after which to begin.
  /// - Throws: ``/StoreFormat/StoreError``.
  public init(
    path: String, busyTimeout: Double = 5, query: HistoryQuery, after position: Int64
  ) throws {
    self.path = path
    self.busyTimeout = busyTimeout
    self.position = position
    var query = query
    query.order = .ascending
    query.limit = nil
    self.query = query
    store = SavedStore(try StoreFile(path: path, busyTimeout: busyTimeout))
  }

  /// Waits for saves and passes on their transactions, until an error is thrown.
  ///
  /// - Throws: ``HistoryError/replacedStore(path:position:)`` if another file has replaced the
  ///   store, ``HistoryError/unusableToken(_:)`` if it is now another store or another copy,
  ///   ``/StoreFormat/StoreError``, or what the closure throws.
  public func run(_ body: (Event) throws -> Void) throws -> Never {
    while true {
      try readNews(body)
      Pause.take(seconds: HistoryFollower.interval)
    }
  }

  /// Reads once and passes on what is new.
  public func readNews(_ body: (Event) throws -> Void) throws {
    try store.readNews { isReplaced in
      guard !isReplaced else { throw HistoryError.replacedStore(path: path, position: position) }
      return try StoreFile(path: path, busyTimeout: busyTimeout)
    } _: { file in
      try file.read { try readNews(in: $0, body) }
    }
  }

  private func readNews(in snapshot: StoreSnapshot, _ body: (Event) throws -> Void) throws {
    try check(snapshot)
    if let oldest = try snapshot.oldestTransaction()?.number, oldest > position,
      oldest - 1 > position
    {
      if position > 0 { try body(.gap(after: position, oldest: oldest)) }
      position = oldest - 1
    }
    guard let last = try snapshot.newestTransaction(), last.number > position else { return }
    var query = query
    query.after = position
    query.until = last.number
    try body(.transactions(HistoryReader(snapshot: snapshot, query: query)))
    position = last.number
    timestamp = last.timestamp
  }

  /// Refuses another store, or an older copy. A position that has expired is a gap.
  private func check(_ snapshot: StoreSnapshot) throws {
    let resolver = TokenResolver(snapshot: snapshot)
    var token = try resolver.exact(position, text: "\(position)", remembered: timestamp)
    let found = snapshot.metadata.storeIdentifier
    if let identifier, identifier != found {
      token = ResolvedToken(
        text: token.text, number: position,
        state: .foreign(identifiers: [identifier].compactMap { $0 }), moment: nil, timestamp: nil,
        token: nil)
    }
    identifier = .some(found)
    guard token.state == .valid || token.state == .expired else {
      throw HistoryError.unusableToken(try resolver.unusable(token))
    }
  }
}
