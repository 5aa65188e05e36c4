import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads what is saved to a store as it is saved, by whichever process.
///
/// The store is looked at several times a second; a look costs a few microseconds when nothing has
/// happened. Each reading is one short snapshot, so that the log beside the store can be
/// checkpointed between them.
public final class HistoryFollower {
  /// What has happened since the last look.
  public enum Event {
    /// Transactions may have been added; they are to be read in order, from the reader.
    case transactions(HistoryReader)
    /// Transactions behind `after` are gone without having been read; `oldest` is the first that is
    /// there.
    case gap(after: Int64, oldest: Int64)
  }

  /// Where the follower stands: everything up to and including this number has been read.
  package private(set) var position: Int64

  /// The identifier of the store that is followed; nil before the first look.
  package var storeIdentifier: String? { identifier ?? nil }

  /// How long to wait between two looks, in seconds.
  package static let interval = 0.2

  private let path: String
  private let busyTimeout: Double
  private let query: HistoryQuery
  private var store: StoreFile
  private var stamp: StoreStamp?
  private var identifier: String??
  /// When the transaction at ``position`` was saved; a copy of the store has another one there.
  private var timestamp: StoreTimestamp?

  /// Prepares to follow a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - query: Which transactions to give; its limits and order do not count.
  ///   - position: Where to begin: after this transaction.
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

  /// Waits for the next saves and hands over what they recorded, for ever.
  ///
  /// - Throws: ``HistoryError/replacedStore(path:position:)`` where another file has taken the place
  ///   of the store, ``HistoryError/unusableToken(_:)`` where its content is that of another store or
  ///   another copy, ``/StoreFormat/StoreError``, or what the closure throws.
  public func run(_ body: (Event) throws -> Void) throws -> Never {
    while true {
      try readNews(body)
      usleep(UInt32(HistoryFollower.interval * 1_000_000))
    }
  }

  /// Looks once and hands over what is new.
  public func readNews(_ body: (Event) throws -> Void) throws {
    let now = try store.stamp()
    guard now != stamp else { return }
    if let stamp {
      guard now.isSameFile(as: stamp) else {
        throw HistoryError.replacedStore(path: path, position: position)
      }
      if !store.seesLaterSaves { store = try StoreFile(path: path, busyTimeout: busyTimeout) }
    }
    stamp = now
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
  }

  /// Refuses a file that is not the store any more, or an older copy of it.
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
