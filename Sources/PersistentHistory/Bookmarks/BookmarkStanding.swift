import StoreFormat

/// How far a consumer is behind its store.
package struct BookmarkLag: Hashable, Sendable {
  /// How many transactions it has not read.
  package let transactions: Int64
  /// How many changes they have; nil in a store without an index to tell it.
  package let changes: Int64?
  /// When the oldest transaction that it has not read was saved; nil where there is none, or the
  /// store does not say.
  package let unreadSince: StoreTimestamp?
}

/// Where a bookmark stands in its store: whether it works, how far behind its consumer is, and how
/// long it will go on working.
package struct BookmarkStanding: Hashable, Sendable {
  /// The bookmark.
  package let bookmark: Bookmark
  /// Its token as the store understands it, with its state.
  package let token: ResolvedToken
  /// How far its consumer is behind; nil for a bookmark that does not work.
  package let lag: BookmarkLag?
  /// Whether its consumer is farther behind than was allowed.
  package let isLost: Bool
  /// How long a retention would let it work; nil where none was given, or it cannot be known.
  package let headroom: BookmarkHeadroom?

  /// Whether it works, and its consumer is not given up.
  package var holdsHistory: Bool { token.state == .valid && !isLost }
}

extension BookmarkStanding {
  /// Looks at bookmarks in one snapshot of their store.
  ///
  /// The history is counted through once, however many bookmarks there are.
  ///
  /// - Parameters:
  ///   - bookmarks: The bookmarks.
  ///   - snapshot: The store.
  ///   - limit: How far behind a consumer may be; nil for any distance.
  ///   - retention: The retention to tell the headroom for.
  ///   - now: The present time.
  /// - Returns: The standings, in the order of the bookmarks.
  /// - Throws: ``/StoreFormat/StoreError``, also for a store without history tables.
  package static func standings(
    of bookmarks: [Bookmark], in snapshot: StoreSnapshot, limit: BookmarkAllowance? = nil,
    retention: BookmarkRetention? = nil, now: StoreTimestamp = .now()
  ) throws -> [BookmarkStanding] {
    _ = try snapshot.historyTables()
    let resolver = TokenResolver(snapshot: snapshot, now: now)
    let tokens = try bookmarks.map { try resolver.resolve($0) }
    let lags = try lags(
      at: Set(tokens.compactMap { $0.state == .valid ? $0.number : nil }), in: snapshot)
    let forecast = try retention.map {
      try HeadroomForecast(retention: $0, snapshot: snapshot, now: now)
    }
    let oldest = try snapshot.oldestTransaction()
    return try zip(bookmarks, tokens).map { bookmark, token in
      let lag = token.state == .valid ? token.number.flatMap { lags[$0] } : nil
      let headroom = forecast.flatMap { forecast in
        lag.flatMap { lag in
          // A consumer that has read nothing needs all there is, from the oldest on.
          token.number == 0
            ? oldest.map { forecast.headroom(of: $0, newer: lag.transactions - 1) } ?? .unlimited
            : token.number.flatMap {
              forecast.headroom(
                of: TransactionPosition(number: $0, timestamp: token.timestamp),
                newer: lag.transactions)
            }
        }
      }
      return BookmarkStanding(
        bookmark: bookmark, token: token, lag: lag,
        isLost: try lag != nil
          && limit?.isExceeded(by: token.number ?? 0, in: snapshot, now: now) ?? false,
        headroom: headroom)
    }
  }

  /// The lags of positions, each counted from the next one on.
  private static func lags(
    at numbers: Set<Int64>, in snapshot: StoreSnapshot
  ) throws -> [Int64: BookmarkLag] {
    var lags: [Int64: BookmarkLag] = [:]
    var next = Int64.max
    var transactions: Int64 = 0
    var changes: Int64? = 0
    for number in numbers.sorted(by: >) {
      transactions += try snapshot.transactionCount(after: number, upTo: next)
      if let known = changes {
        changes = try snapshot.changeCount(after: number, upTo: next).map { known + $0 }
      }
      lags[number] = BookmarkLag(
        transactions: transactions, changes: changes,
        unreadSince: try snapshot.firstTransaction(after: number)?.timestamp)
      next = number
    }
    return lags
  }
}
