import StoreFormat

extension RetentionGuard {
  /// The guard of a store that is mirrored to CloudKit; nil for one that is not.
  ///
  /// The mirror reads the history to find out what to upload. History that is gone before it was read
  /// makes it begin anew, with all objects.
  static func mirroring(_ snapshot: StoreSnapshot) throws -> RetentionGuard? {
    let tables = snapshot.layout.mirroringTables
    guard let first = tables.first else { return nil }
    return RetentionGuard(
      name: mirroringName, verdict: .refuses,
      reason: "the store is mirrored to CloudKit (it has the table \(first)), and it is not known "
        + "how far the mirror has read")
  }
}
