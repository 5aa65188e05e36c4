import PersistentHistory
import StoreFormat

/// Whether history after a token can be fetched, and if not, why.
///
/// SwiftData tells only by an error when it is too late.
public enum HistoryTokenState: Hashable, Sendable {
  /// History after the token can be fetched.
  case current
  /// The transaction of the token was deleted, so that history after it is incomplete: fetching it
  /// throws ``SwiftDataError/historyTokenExpired``. The oldest token that works; nil where no history
  /// is left.
  case expired(oldest: DefaultHistoryToken?)
  /// The token is of a transaction that the store has not seen yet: it comes from a newer copy of it.
  case unknown
  /// The token names none of the stores.
  case foreign
}

extension DefaultStore {
  /// Whether history after a token can be fetched from this store.
  ///
  /// - Throws: ``SwiftDataError``.
  public func state(of token: DefaultHistoryToken) throws -> HistoryTokenState {
    guard let number = token.number(of: identifier) else { return .foreign }
    return try translatingHistory {
      try file.read { snapshot in try state(ofTransaction: number, in: snapshot) }
    }
  }

  private func state(
    ofTransaction number: Int64, in snapshot: StoreSnapshot
  ) throws -> HistoryTokenState {
    let resolved = try TokenResolver(snapshot: snapshot).resolve("\(identifier):\(number)")
    switch resolved.state {
    case .valid, .archived: return .current
    case .foreign: return .foreign
    case .ahead: return .unknown
    case .expired, .diverged:
      return .expired(
        oldest: try snapshot.oldestTransaction().map {
          DefaultHistoryToken([identifier: $0.number])
        })
    }
  }

  /// The oldest token that works; nil where there is no history.
  ///
  /// - Throws: ``SwiftDataError``.
  public func oldestHistoryToken() throws -> DefaultHistoryToken? {
    try token { try $0.oldestTransaction() }
  }

  /// The token of the newest transaction; nil where there is no history.
  ///
  /// - Throws: ``SwiftDataError``.
  public func newestHistoryToken() throws -> DefaultHistoryToken? {
    try token { try $0.newestTransaction() }
  }

  private func token(
    _ position: (StoreSnapshot) throws -> TransactionPosition?
  ) throws -> DefaultHistoryToken? {
    try translatingHistory { try file.read(position) }
      .map { DefaultHistoryToken([identifier: $0.number]) }
  }

  /// How many transactions a descriptor asks for.
  ///
  /// No change is read for it, unless a predicate looks at changes or at anything else that the store
  /// cannot look up.
  ///
  /// - Throws: Like ``fetchHistory(_:)``.
  public func fetchHistoryCount(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Int {
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    guard narrowing.isExact else {
      var counted = descriptor
      counted.sortBy = []
      return try fetchHistory(counted).count
    }
    return try translatingHistory {
      try file.read { snapshot in
        try check(narrowing.positions, snapshot)
        guard !narrowing.isEmpty else { return 0 }
        let reader = try HistoryReader(snapshot: snapshot, query: narrowing.query)
        var count = 0
        while count < descriptor.limit ?? .max, try reader.nextTransaction() != nil { count += 1 }
        return count
      }
    }
  }
}
