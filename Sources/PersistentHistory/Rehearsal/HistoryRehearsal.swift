import StoreEditing
import StoreFormat

/// A plan to expire tokens in a copy of a store, to test how an app handles that.
///
/// A token works while the transaction with exactly its number exists. Deleting everything before a
/// transaction, as an app's own purge does, expires the tokens before it. Deleting one transaction
/// expires its token only; no framework leaves such a gap, and a consumer before the gap misses what the
/// transaction recorded.
package struct HistoryRehearsal: Hashable, Sendable {
  /// The transaction whose token will be the oldest that works, or `nil` to expire single ones only.
  package let oldestWorking: Int64?
  /// The transactions whose own tokens will expire.
  package let expired: Set<Int64>

  /// Plans a rehearsal.
  ///
  /// - Parameters:
  ///   - oldestWorking: The token that will be the oldest that works.
  ///   - expiring: Tokens that will expire themselves.
  /// - Throws: ``HistoryError``, also if the same token should both work and expire.
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
  ///   - tokens: Tokens of the store to try in the copy.
  ///   - bookmarks: Bookmarks of the store to try in the copy.
  ///   - values: Recorded values to copy beside the copy.
  ///   - now: The moment that words such as `yesterday` in tokens count from.
  ///   - progress: Receives the number of bytes copied so far. If it throws, the copy is removed.
  package func write(
    _ snapshot: StoreSnapshot, to copy: StoreCopy, tokens: [ResolvedToken], bookmarks: [Bookmark],
    values: RecordedValues? = nil, now: StoreTimestamp = .now(),
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> RehearsalResult {
    let resolver = TokenResolver(snapshot: snapshot, now: now)
    let given =
      tokens.map { (token: $0, remembered: StoreTimestamp?.none) }
      + (try bookmarks.map { (token: try resolver.resolve($0), remembered: $0.timestamp) })
    let tables = try snapshot.tablesWithIncorrectIndexes()
    return try copy.write(
      snapshot, deletingBefore: oldestWorking, deleting: expired, rebuildingIndexesOf: tables,
      progress: progress
    ) { inside, deleted, files in
      // The values get their final name together with the copy.
      try values?.file?.copy(
        to: RecordedValuesFile.path(besideStore: inside.location.path), from: oldestWorking,
        overwrites: false)
      let resolver = TokenResolver(snapshot: inside, now: now)
      return RehearsalResult(
        deleted: deleted, transactionCount: try inside.transactionCount(),
        externalFileCount: files, reindexedTables: tables,
        tokens: try given.map { token, remembered in
          let found = try resolver.resolve(again: token, remembered: remembered)
          return RehearsedToken(
            token: token, stateInCopy: found.state,
            remainder: found.state == .expired ? try resolver.unusable(found).remainder : nil,
            outcome: try FrameworkOutcome(
              found.state, newer: try inside.transactionCount(after: found.number ?? 0)))
        })
    }
  }
}

package struct RehearsalResult: Hashable, Sendable {
  /// What was deleted from the copy.
  package let deleted: DeletedHistory
  /// The number of transactions in the copy.
  package let transactionCount: Int64
  /// The number of copied files of large values.
  package let externalFileCount: Int
  /// The tables whose indexes listed other rows than they have, and were built again in the copy.
  package let reindexedTables: [String]
  /// The given tokens, then the bookmarks.
  package let tokens: [RehearsedToken]
}

package struct RehearsedToken: Hashable, Sendable {
  /// The token, with its state in the store itself.
  package let token: ResolvedToken
  package let stateInCopy: TokenState
  /// What the copy has after the token, if it has expired there.
  package let remainder: UnusableToken.Remainder?
  /// The result for an app that uses the copy.
  package let outcome: FrameworkOutcome
}

/// The result for an app that asks the frameworks for the history after a token.
package enum FrameworkOutcome: Hashable, Sendable {
  /// This number of transactions.
  case history(transactions: Int64)
  /// Nothing and no error: the token names other stores only.
  case nothing
  /// An error: no transaction has exactly the token's number.
  case expired

  /// SwiftData's name of the error.
  package static let errorName = "SwiftDataError.historyTokenExpired"
  /// Core Data's code of the error, `NSPersistentHistoryTokenExpiredError`.
  package static let errorCode: Int64 = 134_301

  /// The frameworks look only for the transaction with the token's number. So they treat a token of a newer copy
  /// as expired, and one of a copy that diverged as valid.
  ///
  /// - Parameter newer: The number of transactions after the token.
  init(_ state: TokenState, newer: @autoclosure () throws -> Int64) rethrows {
    self =
      switch state {
      case .valid, .diverged: .history(transactions: try newer())
      case .expired, .archived, .ahead: .expired
      case .foreign: .nothing
      }
  }
}
