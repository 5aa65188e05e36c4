import StoreFormat

/// Single questions about the transactions of a timeline, as a store answers them about its own.
extension HistoryTimeline {
  /// Where a transaction is.
  package enum Place: Hashable, Sendable {
    /// The store keeps it.
    case kept(TransactionPosition)
    /// The archive holds it, and the store does not any more.
    case archived(TransactionPosition)
    /// The archive holds another one under the number than the store kept.
    case diverged(archived: TransactionPosition, stored: TransactionPosition?)
  }

  /// Where the transaction with exactly this number is; nil where nobody has it.
  package func place(ofTransaction number: Int64) throws -> Place? {
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
    // The store counts from its oldest transaction on.
    return seam.map { number >= $0 } ?? false ? nil : .archived(archived)
  }

  /// The transaction with exactly this number, if it is there.
  package func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    switch try place(ofTransaction: number) {
    case .kept(let position), .archived(let position): position
    case .diverged(_, let stored): stored
    case nil: nil
    }
  }

  /// The highest transaction number that was ever issued.
  package func highestIssued() throws -> Int64 {
    try snapshot?.highestIssued() ?? archive?.stretches.last?.upperBound ?? 0
  }

  /// How many transactions there are.
  package func transactionCount() throws -> Int64 {
    try (snapshot?.transactionCount() ?? 0)
      + (archive?.transactionCount(before: seam ?? .max) ?? 0)
  }

  /// The oldest transaction, or with `offset` the n-th behind it.
  package func oldestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    guard let archive else { return try snapshot?.oldestTransaction(offset: offset) }
    if let position = try archive.firstTransaction(after: .min, offset: offset),
      seam.map({ position.number < $0 }) ?? true
    {
      return position
    }
    let archivedCount = try archive.transactionCount(before: seam ?? .max)
    return try offset < archivedCount
      ? nil : snapshot?.oldestTransaction(offset: offset - archivedCount)
  }

  /// The newest transaction, or with `offset` the n-th before it.
  package func newestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    if let position = try snapshot?.newestTransaction(offset: offset) { return position }
    guard let archive else { return nil }
    return try archive.lastTransaction(
      before: seam ?? .max, offset: offset - (snapshot?.transactionCount() ?? 0))
  }

  /// The transaction with the lowest number among those saved at a moment or after it.
  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    if let position = try archive?.firstTransaction(notBefore: moment),
      seam.map({ position.number < $0 }) ?? true
    {
      return position
    }
    return try snapshot?.firstTransaction(notBefore: moment)
  }

  /// The transaction that follows a position.
  package func firstTransaction(after number: Int64) throws -> TransactionPosition? {
    if let position = try archive?.firstTransaction(after: number, offset: 0),
      seam.map({ position.number < $0 }) ?? true
    {
      return position
    }
    return try snapshot?.firstTransaction(after: number)
  }

  /// The transaction before a position.
  package func lastTransaction(before number: Int64) throws -> TransactionPosition? {
    try snapshot?.lastTransaction(before: number)
      ?? archive?.lastTransaction(before: min(number, seam ?? .max), offset: 0)
  }
}
