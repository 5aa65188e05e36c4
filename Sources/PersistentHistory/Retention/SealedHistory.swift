import StoreFormat

/// How much of a store's history is sealed in an archive, so that it can be deleted here.
package struct SealedHistory: Hashable, Sendable {
  /// The archive, for messages.
  package let archivePath: String
  /// The transaction up to which everything that the store has is sealed and verified; nil where
  /// nothing is.
  package let last: TransactionPosition?
  /// Whether a part of that is yet to be sealed.
  package let isPlanned: Bool

  /// What an archive has, or will have.
  package init(archivePath: String, last: TransactionPosition?, isPlanned: Bool = false) {
    self.archivePath = archivePath
    self.last = last
    self.isPlanned = isPlanned
  }

  /// Whether all that goes with a cut is sealed.
  ///
  /// - Parameters:
  ///   - cut: The cut.
  ///   - newest: The newest transaction, which goes as well where nothing stays.
  package func covers(_ cut: HistoryCut, newest: Int64) -> Bool {
    guard let last else { return false }
    return last.number >= cut.firstKept.map { $0 - 1 } ?? newest
  }
}
