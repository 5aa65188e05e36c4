import StoreFormat

extension PruneRequest {
  /// Returns the effect of pruning on the bookmarks of a store, before a cut is known.
  func bookmarkEffects(
    _ resolver: TokenResolver, in snapshot: StoreSnapshot, bookmarkPath: String?,
    now: StoreTimestamp
  ) throws -> [BookmarkEffect] {
    guard !ignoredGuards.contains(RetentionGuard.bookmarksName) else { return [] }
    let file = try BookmarkFile(named: bookmarkPath, beside: snapshot.location)
    return try file.bookmarks.map {
      try BookmarkEffect(
        $0, resolver: resolver, snapshot: snapshot, allowance: allowance, now: now)
    }
  }

  /// Returns the guards of a store that are not ignored: those of bookmarks, of mirroring, and ``guards``.
  ///
  /// - Parameter oldest: The number of the oldest transaction.
  func guards(
    of bookmarks: [BookmarkEffect], in snapshot: StoreSnapshot, oldest: Int64?
  ) throws -> [RetentionGuard] {
    let mirroring = try RetentionGuard.mirroring(snapshot)
    return
      (bookmarks.compactMap { $0.guardian(oldest: oldest ?? 0) } + [mirroring].compactMap(\.self)
      + guards).filter { !ignoredGuards.contains($0.name) }
  }

  /// Returns the guards of a store as it is now, to be checked again while a plan is carried out.
  func presentGuards(
    in snapshot: StoreSnapshot, bookmarkPath: String?, now: StoreTimestamp
  ) throws -> [RetentionGuard] {
    switch target {
    case .transactions:
      let bookmarks = try bookmarkEffects(
        TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: now), in: snapshot,
        bookmarkPath: bookmarkPath, now: now)
      return try guards(
        of: bookmarks, in: snapshot, oldest: snapshot.oldestTransaction()?.number)
    // Transactions stay, so every bookmark continues to work.
    case .entity: return try guards(of: [], in: snapshot, oldest: nil)
    }
  }
}
