import PersistentHistory
import StoreFormat

extension Archive {
  /// Finds out up to where everything that a store still has is sealed, and whether it is as it was
  /// when it was sealed.
  ///
  /// The manifests and segments in question are read from their first byte to their last, and the
  /// times of their transactions are compared with those in the store.
  ///
  /// - Parameter snapshot: The store.
  /// - Returns: The last such transaction; nil where not even the store's oldest is sealed.
  /// - Throws: ``ArchiveError`` where something is damaged, or the store is another copy than the one
  ///   in the archive, and ``/StoreFormat/StoreError``.
  package func verifiedReach(of snapshot: StoreSnapshot) throws -> TransactionPosition? {
    guard let identifier = snapshot.metadata.storeIdentifier,
      let oldest = try snapshot.oldestTransaction()?.number,
      let store = try catalog().store(identifier),
      let run = store.runs.first(where: { ($0.first...$0.last).contains(oldest) })
    else { return nil }
    var last: TransactionPosition?
    for entry in run.entries where entry.last >= oldest {
      let reader = try segment(entry)
      try reader.checkDigest()
      let manifest = reader.manifest
      for frame in manifest.frames where frame.transaction >= oldest && !frame.isContinuation {
        let found = try snapshot.timestamp(ofTransaction: frame.transaction)
        guard let found, found.timestamp == frame.timestamp else {
          throw ArchiveError.diverged(
            path: snapshot.location.path, archive: path, transaction: frame.transaction)
        }
      }
      try SealingPlan.check(manifest.last, self, snapshot)
      if manifest.last.number > last?.number ?? 0 { last = manifest.last }
    }
    return last
  }
}
