import StoreFormat

extension HistoryTimeline {
  /// Returns the gap before the first transaction of a history that was pruned, or `nil` where nothing
  /// is missing there.
  package func missingBeginning() throws -> HistoryGap? {
    guard let oldest = try oldestTransaction() else {
      return try highestIssued() > 0
        ? HistoryGap(store: storeIdentifier, after: 0, oldest: nil) : nil
    }
    guard oldest.number > 1 else { return nil }
    return HistoryGap(store: storeIdentifier, after: 0, oldest: oldest.number)
  }
}

extension TokenResolver {
  /// Returns the gap before the first transaction of a pruned history, where a moment lies before that;
  /// `nil` for every other token: a transaction that is gone makes its token expire, and 0 asks for
  /// what is kept.
  ///
  /// - Throws: Like ``resolve(_:)-(String)``.
  public func missingBeginning(after text: String?) throws -> HistoryGap? {
    guard let text, let token = try? TokenExpression(text, now: now),
      case .moment(let moment) = token
    else { return nil }
    guard let gap = try timeline.missingBeginning() else { return nil }
    guard let oldest = gap.oldest else { return gap }
    // A transaction without a time, or with an earlier one, is found by what a moment means.
    let first = try timeline.firstTransaction(notBefore: moment.timestamp)
    let time = try timeline.position(ofTransaction: oldest)?.timestamp
    return first?.number == oldest && time.map { moment.timestamp < $0 } ?? true ? gap : nil
  }
}
