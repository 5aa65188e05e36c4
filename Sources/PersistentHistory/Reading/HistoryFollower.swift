import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
  private var store: StoreFile
  private var stamp: StoreStamp?
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
    store = try StoreFile(path: path, busyTimeout: busyTimeout)
  }

  /// Waits for saves and passes on their transactions, until an error is thrown.
  ///
  /// - Throws: ``HistoryError/replacedStore(path:position:)`` if another file has replaced the
  ///   store, ``HistoryError/unusableToken(_:)`` if it is now another store or another copy,
  ///   ``/StoreFormat/StoreError``, or what the closure throws.
  public func run(_ body: (Event) throws -> Void) throws -> Never {
    while true {
      try readNews(body)
      usleep(UInt32(HistoryFollower.interval * 1_000_000))
    }
  }

  /// Reads once and passes on what is new.
  public func readNews(_ body: (Event) throws -> Void) throws {
    let now = try store.stamp()
    guard now != stamp else { return }
    if let stamp {
      guard now.isSameFile(as: stamp) else {
        throw HistoryError.replacedStore(path: path, position: position)
      }
      if !store.seesLaterSaves { store = try StoreFile(path: path, busyTimeout: busyTimeout) }
    }
    try store.read { snapshot in
      try check(snapshot)
      if let oldest = try snapshot.oldestTransaction()?.number, oldest > position,
        oldest - 1 > position
      {
        if position > 0 { try body(.gap(after: position, oldest: oldest)) }
        position = oldest - 1
      }
      guard let last = try snapshot.newestTransaction(), last.number > position else { return }
      let newest = last.number
      var query = query
      query.after = position
      query.until = newest
      try body(.transactions(HistoryReader(snapshot: snapshot, query: query)))
      position = newest
      timestamp = last.timestamp
    }
    // Only now: what a failed reading has missed is read the next time.
    stamp = now
  }

  /// Refuses another store, or an older copy.
  private func check(_ snapshot: StoreSnapshot) throws {
    let found = snapshot.metadata.storeIdentifier
    if let identifier, identifier != found {
      throw HistoryError.unusableToken(
        try unusable(.foreign(identifiers: [identifier].compactMap { $0 }), snapshot))
    }
    identifier = .some(found)
    if let timestamp, let found = try snapshot.timestamp(ofTransaction: position),
      found.timestamp != timestamp
    {
      throw HistoryError.unusableToken(
        try unusable(.diverged(remembered: timestamp, found: found.timestamp), snapshot))
    }
    let highest = max(
      snapshot.entities.highestNumber(of: .transaction),
      try snapshot.newestTransaction()?.number ?? 0)
    if highest < position {
      throw HistoryError.unusableToken(try unusable(.ahead(highestIssued: highest), snapshot))
    }
  }

  private func unusable(_ state: TokenState, _ snapshot: StoreSnapshot) throws -> UnusableToken {
    UnusableToken(
      text: "\(position)", number: position, state: state, path: path,
      storeIdentifier: snapshot.metadata.storeIdentifier,
      oldest: try snapshot.oldestTransaction(), newest: try snapshot.newestTransaction())
  }
}
