import StoreFormat

extension RetentionGuard {
  /// The guard of an archive; nil where everything is sealed.
  ///
  /// The last sealed transaction stays: it shows later that the archive and the store belong together,
  /// and that nothing is missing between them.
  static func archive(
    _ sealed: SealedHistory, _ snapshot: StoreSnapshot
  ) throws -> RetentionGuard? {
    guard let oldest = try snapshot.oldestTransaction()?.number,
      let newest = try snapshot.newestTransaction()?.number
    else { return nil }
    guard let last = sealed.last else {
      return RetentionGuard(
        name: archiveName, verdict: .holds(from: oldest),
        reason: "nothing of the store is sealed in \(sealed.archivePath)")
    }
    guard last.number < newest else { return nil }
    return RetentionGuard(
      name: archiveName, verdict: .holds(from: max(last.number, oldest)),
      reason: sealed.isPlanned
        ? "\(sealed.archivePath) will have everything up to transaction \(last.number)"
        : "\(sealed.archivePath) has everything up to transaction \(last.number)")
  }
}
