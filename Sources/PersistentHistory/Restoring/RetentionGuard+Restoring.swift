import StoreFormat

extension RetentionGuard {
  /// The guard of a store that is mirrored to CloudKit and is to get older history; nil where that
  /// does not concern the mirror.
  ///
  /// The mirror reads what comes after its token, and remembers for each record with which transaction
  /// it was exported. Numbers mean after a restore what they meant before the prune, and what is put
  /// back stands before the token of a mirror whose token works: it is never read. Where the token had
  /// expired with the prune, it works again, if history goes back so far, and the mirror goes on where
  /// it was instead of uploading everything anew. Only a mirror that has no token, or one that cannot
  /// be read, may take what is put back for new.
  static func mirroringOfRestore(_ snapshot: StoreSnapshot) throws -> RetentionGuard? {
    guard snapshot.layout.mirroringTables.first != nil else { return nil }
    let token = try MirroringState(snapshot: snapshot)?.token
    switch token?.state {
    case .valid where token?.number != 0, .expired: return nil
    default:
      return RetentionGuard(
        name: mirroringName, verdict: .refuses,
        reason:
          "the store is mirrored to CloudKit, and it is not known how far the mirror has read: "
          + "it might take what is put back for new")
    }
  }
}
