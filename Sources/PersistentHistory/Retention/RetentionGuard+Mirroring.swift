import StoreFormat

extension RetentionGuard {
  /// The guard of a store that is mirrored to CloudKit; nil for one that is not.
  ///
  /// The mirror reads the history to find out what to upload. History that is gone before it was read
  /// makes it begin anew, with all objects. Where it cannot be told how far it has read, nothing goes.
  static func mirroring(_ snapshot: StoreSnapshot) throws -> RetentionGuard? {
    guard let first = snapshot.layout.mirroringTables.first else { return nil }
    switch try MirroringState(snapshot: snapshot)?.need {
    case .from(let number):
      let oldest = try snapshot.oldestTransaction()?.number ?? number
      return RetentionGuard(
        name: mirroringName, verdict: .holds(from: max(number, oldest)),
        reason: "the store is mirrored to CloudKit, and the mirror still needs what comes after "
          + "transaction \(number)")
    case .unknown(let reason):
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit, and it is not known how far the mirror has read: "
          + reason)
    case nil:
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit (it has the table \(first)), and it is not known "
          + "how far the mirror has read")
    }
  }
}
