import StoreFormat

/// A retention, for the question how long it would let a bookmark work.
///
/// As when history is pruned, a transaction goes only where every rule that is given lets it go, and
/// the newest one never goes.
package struct BookmarkRetention: Hashable, Sendable {
  /// Transactions that were saved within this time stay.
  package let keepWithin: HistoryDuration?
  /// So many of the newest transactions stay.
  package let keepLast: Int64?

  /// A retention; nil where no rule is given.
  package init?(keepWithin: HistoryDuration?, keepLast: Int64?) {
    guard keepWithin != nil || keepLast != nil else { return nil }
    self.keepWithin = keepWithin
    self.keepLast = keepLast
  }
}

/// How long a retention would let a bookmark work that does not move, at the present rate of saves.
package enum BookmarkHeadroom: Hashable, Sendable {
  /// The bookmark would expire at once.
  case exhausted
  /// The bookmark would expire in this many seconds.
  case seconds(Double)
  /// The bookmark would not expire: too little is being saved.
  case unlimited
}

extension BookmarkHeadroom: Comparable {
  /// Whether the left one ends earlier.
  package static func < (left: BookmarkHeadroom, right: BookmarkHeadroom) -> Bool {
    switch (left, right) {
    case (.exhausted, .exhausted), (.unlimited, _): false
    case (.exhausted, _), (_, .unlimited): true
    case (_, .exhausted): false
    case (.seconds(let left), .seconds(let right)): left < right
    }
  }
}

/// Works out headroom from how fast a store is saved to.
struct HeadroomForecast {
  /// What happens at present is what happened in the last 30 days.
  private static let present = 30 * 86_400.0
  /// What was saved within an hour says nothing of the rate.
  private static let shortest = 86_400.0

  private let retention: BookmarkRetention
  private let now: StoreTimestamp
  /// Transactions a second.
  private let rate: Double

  init(retention: BookmarkRetention, snapshot: StoreSnapshot, now: StoreTimestamp) throws {
    self.retention = retention
    self.now = now
    let seconds = now.secondsSinceReferenceDate
    let begin = max(
      seconds - Self.present,
      try snapshot.oldestTransaction()?.timestamp?.secondsSinceReferenceDate ?? -.infinity)
    guard begin < seconds else {
      rate = 0
      return
    }
    let count = try snapshot.transactionCount(
      savedWithin: StoreTimestamp(secondsSinceReferenceDate: begin)...now)
    rate = Double(count) / max(seconds - begin, Self.shortest)
  }

  /// The headroom of a position; nil where the store does not say when its transaction was saved.
  ///
  /// - Parameters:
  ///   - position: The transaction that must stay.
  ///   - newer: How many transactions there are behind it.
  func headroom(of position: TransactionPosition, newer: Int64) -> BookmarkHeadroom? {
    var rooms: [BookmarkHeadroom] = []
    if let count = retention.keepLast { rooms.append(after(saves: count - newer)) }
    if let duration = retention.keepWithin {
      guard let time = position.timestamp else { return nil }
      let left =
        time.secondsSinceReferenceDate - duration.before(now).secondsSinceReferenceDate
      let room: BookmarkHeadroom = left > 0 ? .seconds(left) : .exhausted
      // The newest transaction stays until there is a newer one.
      rooms.append(newer == 0 ? max(room, after(saves: 1)) : room)
    }
    // One rule that keeps it is enough.
    return rooms.max()
  }

  /// When so many transactions more will have been saved.
  private func after(saves count: Int64) -> BookmarkHeadroom {
    guard count > 0 else { return .exhausted }
    return rate > 0 ? .seconds(Double(count) / rate) : .unlimited
  }
}
