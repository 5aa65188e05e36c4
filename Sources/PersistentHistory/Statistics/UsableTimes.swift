import StoreFormat

/// Which times of a store count as times at which something was saved.
///
/// A clock that was never set shows 1970 or 2001, and a damaged or hostile row any number at all.
/// One such row would stretch the history over millennia, so it is counted apart.
enum UsableTimes {
  /// 2100-01-01T00:00:00Z. Nothing that is later was saved with a clock that can be believed.
  private static let century = StoreTimestamp(secondsSinceReferenceDate: 3_124_137_600)
  private static let day = 86_400.0

  /// The times from 2001-01-01 up to a day after now, or after the newest transaction where the
  /// clock of this machine is behind that of the store.
  static func range(newest: StoreTimestamp?, now: StoreTimestamp) -> ClosedRange<StoreTimestamp> {
    let first = StoreTimestamp(secondsSinceReferenceDate: 0)
    let latest = [now, newest].compactMap { $0 }.filter { $0 < century && $0 >= first }.max()
    return
      first...StoreTimestamp(
        secondsSinceReferenceDate: (latest ?? first).secondsSinceReferenceDate + day)
  }
}
