import StoreFormat

/// How much of a store's history is sealed in an archive, so that it can be deleted here.
public struct SealedHistory: Hashable, Sendable {
  /// The archive, for messages.
  public let archivePath: String
  /// The transaction up to which everything that the store has is sealed and verified; nil where
  /// nothing is.
  public let last: TransactionPosition?
  /// Whether a part of that is yet to be sealed.
  public let isPlanned: Bool

  /// What an archive has, or will have.
  public init(archivePath: String, last: TransactionPosition?, isPlanned: Bool = false) {
    self.archivePath = archivePath
    self.last = last
    self.isPlanned = isPlanned
  }

  /// Whether all that goes with a cut is sealed.
  ///
  /// - Parameters:
  ///   - cut: The cut.
  ///   - newest: The newest transaction, which goes as well where nothing stays.
  public func covers(_ cut: HistoryCut, newest: Int64) -> Bool {
    guard let last else { return false }
    return last.number >= cut.firstKept.map { $0 - 1 } ?? newest
  }
}
