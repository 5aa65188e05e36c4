import StoreFormat

/// Single transactions of a timeline, as ``/StoreFormat/StoreSnapshot`` finds those of a store.
extension HistoryTimeline {
  /// Where a transaction is.
  package enum Place: Hashable, Sendable {
    /// In the store.
    case kept(TransactionPosition)
    /// In the archive only.
    case archived(TransactionPosition)
    /// In the archive, which has another transaction of this number than the store.
    case diverged(archived: TransactionPosition, stored: TransactionPosition?)
  }

  /// Returns where the transaction with exactly this number is, or `nil` if it is missing.
  func place(ofTransaction number: Int64) throws -> Place? {
    let stored = try snapshot?.timestamp(ofTransaction: number)
    guard let archive else { return stored.map(Place.kept) }
    guard let archived = try archive.position(ofTransaction: number) else {
      return stored.map(Place.kept)
    }
    if let stored {
      return stored.timestamp == archived.timestamp
        ? .kept(stored) : .diverged(archived: archived, stored: stored)
    }
    if divergence != nil { return .diverged(archived: archived, stored: nil) }
    // The store's own range is not looked up in the archive.
    return firstInStore.map { number >= $0 } ?? false ? nil : .archived(archived)
  }

  /// Returns the transaction with exactly this number, if there is one.
  package func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    switch try place(ofTransaction: number) {
    case .kept(let position), .archived(let position): position
    case .diverged(_, let stored): stored
    case nil: nil
    }
  }

  /// Returns the highest transaction number that was issued.
  package func highestIssued() throws -> Int64 {
    try snapshot?.highestIssued() ?? archive?.ranges.last?.upperBound ?? 0
  }

  /// Returns the number of transactions.
  package func transactionCount() throws -> Int64 {
    try (snapshot?.transactionCount() ?? 0)
      + (archive?.transactionCount(before: firstInStore ?? .max) ?? 0)
  }

  /// Returns the oldest transaction, or with `offset` the n-th after it.
  package func oldestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    guard let archive else { return try snapshot?.oldestTransaction(offset: offset) }
    if let position = try archive.firstTransaction(after: .min, offset: offset),
      firstInStore.map({ position.number < $0 }) ?? true
    {
      return position
    }
    let archivedCount = try archive.transactionCount(before: firstInStore ?? .max)
    return try offset < archivedCount
      ? nil : snapshot?.oldestTransaction(offset: offset - archivedCount)
  }

  /// Returns the newest transaction, or with `offset` the n-th before it.
  package func newestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    if let position = try snapshot?.newestTransaction(offset: offset) { return position }
    guard let archive else { return nil }
    return try archive.lastTransaction(
      before: firstInStore ?? .max, offset: offset - (snapshot?.transactionCount() ?? 0))
  }

  /// Returns the transaction with the lowest number among those saved at or after a moment.
  func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    if let position = try archive?.firstTransaction(notBefore: moment),
      firstInStore.map({ position.number < $0 }) ?? true
    {
      return position
    }
    return try snapshot?.firstTransaction(notBefore: moment)
  }

  /// Returns the first transaction after a number.
  package func firstTransaction(after number: Int64) throws -> TransactionPosition? {
    if let position = try archive?.firstTransaction(after: number, offset: 0),
      firstInStore.map({ position.number < $0 }) ?? true
    {
      return position
    }
    return try snapshot?.firstTransaction(after: number)
  }

  /// Returns the last transaction before a number.
  package func lastTransaction(before number: Int64) throws -> TransactionPosition? {
    try snapshot?.lastTransaction(before: number)
      ?? archive?.lastTransaction(before: number, offset: 0)
  }
}
