import StoreEditing
import StoreFormat

/// A plan to let tokens expire in a copy of a store, to see how an app takes it.
///
/// A token works while the transaction with exactly its number is there. Deleting everything before a
/// transaction, as an app does that purges its history, expires all tokens before it and none else.
/// Deleting one transaction alone expires its token and none else; no framework leaves such a gap,
/// and whoever stands before it does not get what it recorded.
package struct HistoryRehearsal: Hashable, Sendable {
  /// The transaction whose token will be the oldest that works; nil where only single ones expire.
  package let oldestWorking: Int64?
  /// The transactions whose own tokens will expire.
  package let expired: Set<Int64>

  /// Plans a rehearsal.
  ///
  /// - Parameters:
  ///   - resolver: Tells what tokens mean in the store.
  ///   - oldestWorking: The token that will be the oldest that works.
  ///   - expiring: Tokens that will expire themselves.
  /// - Throws: ``HistoryError``, also where a token is to work and to expire, and
  ///   ``/StoreFormat/StoreError``.
  package init(resolver: TokenResolver, oldestWorking: String?, expiring: [String]) throws {
    self.oldestWorking = try oldestWorking.map(resolver.transactionNumber)
    expired = Set(try expiring.map(resolver.transactionNumber))
    if let number = self.oldestWorking, expired.contains(number) {
      throw HistoryError.contradictoryRehearsal(number: number)
    }
  }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - copy: Where the copy will be.
  ///   - tokens: Tokens of the store whose outcome to tell.
  ///   - bookmarks: Bookmarks of the store whose outcome to tell.
  ///   - values: Old and new values of updates that are copied beside the copy; nil for none.
  ///   - now: The moment that words such as `yesterday` in tokens count from.
  ///   - progress: Told now and then how many bytes have been copied; what it throws ends the
  ///     copying, and nothing is left of it.
  /// - Throws: ``/StoreEditing/StoreWriteError``, ``/StoreFormat/StoreError``, or what `progress`
  ///   throws.
  package func write(
    _ snapshot: StoreSnapshot, to copy: StoreCopy, tokens: [ResolvedToken], bookmarks: [Bookmark],
    values: RecordedValues? = nil, now: StoreTimestamp = .now(),
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> RehearsalResult {
    let resolver = TokenResolver(snapshot: snapshot, now: now)
    let given =
      tokens.map { (token: $0, remembered: StoreTimestamp?.none) }
      + (try bookmarks.map { (token: try resolver.resolve($0), remembered: $0.timestamp) })
    return try copy.write(
      snapshot, deletingBefore: oldestWorking, deleting: expired, progress: progress
    ) { inside, deleted, files in
      // They take their place together with the copy.
      try values?.file.copy(
        to: RecordedValuesFile.path(besideStore: inside.location.path), from: oldestWorking,
        overwrites: false)
      let resolver = TokenResolver(snapshot: inside, now: now)
      return RehearsalResult(
        deleted: deleted, transactionCount: try inside.transactionCount(),
        externalFileCount: files,
        tokens: try given.map { token, remembered in
          let found = try resolver.resolve(again: token, remembered: remembered)
          return RehearsedToken(
            token: token, stateInCopy: found.state,
            outcome: try FrameworkOutcome(
              found.state, newer: try inside.transactionCount(after: found.number ?? 0)))
        })
    }
  }
}

/// What a rehearsal has made.
package struct RehearsalResult: Hashable, Sendable {
  /// What the copy has fewer than the store.
  package let deleted: DeletedHistory
  /// How many transactions the copy has.
  package let transactionCount: Int64
  /// How many files of large values were copied.
  package let externalFileCount: Int
  /// What becomes of tokens, first those that were given, then bookmarks.
  package let tokens: [RehearsedToken]
}
