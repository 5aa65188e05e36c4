import StoreFormat

/// The part of the history that a consumer has not read.
package struct BookmarkLag: Hashable, Sendable {
  package let transactions: Int64
  /// The number of their changes; `nil` in a store without an index for counting them.
  package let changes: Int64?
  /// When the oldest of them was saved; `nil` if there is none, or the store does not say.
  package let unreadSince: StoreTimestamp?
}

/// The state of a bookmark in its store: whether it works, how much its consumer has not read, and how long it
/// will continue to work.
package struct BookmarkStatus: Hashable, Sendable {
  package let bookmark: Bookmark
  /// Its token, with its state.
  package let token: ResolvedToken
  /// Why the bookmark does not work; `nil` if it does.
  package let problem: UnusableToken?
  /// What its consumer has not read; `nil` if the bookmark does not work.
  package let lag: BookmarkLag?
  /// Whether its consumer lags more than allowed.
  package let isLost: Bool
  /// How long a retention would let it work; `nil` without a retention, or if it is unknown.
  package let headroom: BookmarkHeadroom?

  /// Whether pruning respects it.
  package var holdsHistory: Bool { token.state == .valid && !isLost }
}

extension BookmarkStatus {
  /// Returns the state of bookmarks in one snapshot of their store, in the order of the bookmarks.
  ///
  /// The history is counted once, however many bookmarks there are.
  ///
  /// - Parameters:
  ///   - bookmarks: The bookmarks.
  ///   - snapshot: The store.
  ///   - limit: How far behind a consumer may be; `nil` for any distance.
  ///   - retention: The retention to calculate the headroom for.
  ///   - now: The present time.
  /// - Throws: ``/StoreFormat/StoreError``, among others for a store without history tables.
  package static func statuses(
    of bookmarks: [Bookmark], in snapshot: StoreSnapshot, limit: BookmarkAllowance? = nil,
    retention: BookmarkRetention? = nil, now: StoreTimestamp = .now()
  ) throws -> [BookmarkStatus] {
    _ = try snapshot.historyTables()
    let resolver = TokenResolver(snapshot: snapshot, now: now)
    let tokens = try bookmarks.map { try resolver.resolve($0) }
    let lags = try lags(
      at: Set(tokens.compactMap { $0.state == .valid ? $0.number : nil }), in: snapshot)
    let rate = try retention == nil ? 0 : rateOfSaves(in: snapshot, now: now)
    let oldest = try snapshot.oldestTransaction()
    return try zip(bookmarks, tokens).map { bookmark, token in
      let lag = token.state == .valid ? token.number.flatMap { lags[$0] } : nil
      let headroom = retention.flatMap { retention in
        lag.flatMap { lag in
          // A consumer that has read nothing needs everything from the oldest on.
          token.number == 0
            ? oldest.map {
              retention.headroom(of: $0, newer: lag.transactions - 1, rate: rate, now: now)
            } ?? .unlimited
            : token.number.flatMap {
              retention.headroom(
                of: TransactionPosition(number: $0, timestamp: token.timestamp),
                newer: lag.transactions, rate: rate, now: now)
            }
        }
      }
      return BookmarkStatus(
        bookmark: bookmark, token: token,
        problem: token.state == .valid ? nil : try resolver.unusable(token), lag: lag,
        isLost: try lag != nil
          && limit?.isExceeded(by: token.number ?? 0, in: snapshot, now: now) ?? false,
        headroom: headroom)
    }
  }

  /// Returns the number of transactions a second in the last 30 days. A shorter history counts as one day long at
  /// least, because it is too short to calculate a rate from.
  private static func rateOfSaves(
    in snapshot: StoreSnapshot, now: StoreTimestamp
  ) throws -> Double {
    let day = 86_400.0
    let seconds = now.secondsSinceReferenceDate
    let begin = max(
      seconds - 30 * day,
      try snapshot.oldestTransaction()?.timestamp?.secondsSinceReferenceDate ?? -.infinity)
    guard begin < seconds else { return 0 }
    let count = try snapshot.transactionCount(
      savedWithin: StoreTimestamp(secondsSinceReferenceDate: begin)...now)
    return Double(count) / max(seconds - begin, day)
  }

  /// Returns the lags of positions; each is counted up to the next position only.
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

// MARK: - Headroom

/// A retention that is assumed, to calculate how long it would let a bookmark work.
///
/// As in pruning, a transaction is deleted only if every given rule allows it, and the newest one never
/// is.
package struct BookmarkRetention: Hashable, Sendable {
  /// Keeps what was saved within this time.
  let keepWithin: HistoryDuration?
  /// Keeps this number of the newest transactions.
  let keepLast: Int64?

  /// Creates a retention; `nil` without a rule.
  package init?(keepWithin: HistoryDuration?, keepLast: Int64?) {
    guard keepWithin != nil || keepLast != nil else { return nil }
    self.keepWithin = keepWithin
    self.keepLast = keepLast
  }
}

/// How long a retention would let an unmoved bookmark work, at the present rate of saves.
package enum BookmarkHeadroom: Hashable, Comparable, Sendable {
  /// The bookmark would expire at once.
  case exhausted
  /// The bookmark would expire in this many seconds.
  case seconds(Double)
  /// The bookmark would not expire: too little is being saved.
  case unlimited
}

extension BookmarkRetention {
  /// Returns the headroom of a position; `nil` if the store does not say when its transaction was saved.
  ///
  /// - Parameters:
  ///   - position: The transaction that must stay.
  ///   - newer: The number of transactions after it.
  ///   - rate: The number of transactions a second.
  ///   - now: The present time.
  fileprivate func headroom(
    of position: TransactionPosition, newer: Int64, rate: Double, now: StoreTimestamp
  ) -> BookmarkHeadroom? {
    // When this number of further transactions will have been saved.
    func after(saves count: Int64) -> BookmarkHeadroom {
      guard count > 0 else { return .exhausted }
      return rate > 0 ? .seconds(Double(count) / rate) : .unlimited
    }
    var headrooms: [BookmarkHeadroom] = []
    if let count = keepLast { headrooms.append(after(saves: count - newer)) }
    if let duration = keepWithin {
      guard let time = position.timestamp else { return nil }
      let left =
        time.secondsSinceReferenceDate - duration.before(now).secondsSinceReferenceDate
      let headroom: BookmarkHeadroom = left > 0 ? .seconds(left) : .exhausted
      // The newest transaction stays until there is a newer one.
      headrooms.append(newer == 0 ? max(headroom, after(saves: 1)) : headroom)
    }
    // One rule that keeps the transaction is enough.
    return headrooms.max()
  }
}
