import StoreFormat

/// When a history will have grown to a size, if it goes on as at present.
package enum GrowthForecast: Hashable, Sendable {
  /// It has that size already.
  case reached
  /// It does not grow.
  case never
  /// It will have it in so many days.
  case inDays(Double)

  /// Works it out; nil where SQLite cannot tell the history's size, or no time says how it grew.
  package init?(_ statistics: HistoryStatistics, byteCount: Int64) {
    guard let size = statistics.size else { return nil }
    if size.pageByteCount >= byteCount {
      self = .reached
      return
    }
    guard let rate = statistics.bytesPerDay else { return nil }
    if rate > 0 {
      self = .inDays(Double(byteCount - size.pageByteCount) / rate)
    } else {
      self = .never
    }
  }

  /// The date; nil where there is none, or it is later than the year 9999.
  package func date(from now: StoreTimestamp) -> StoreTimestamp? {
    guard case .inDays(let days) = self else { return nil }
    let date = StoreTimestamp(
      secondsSinceReferenceDate: now.secondsSinceReferenceDate + days * 86_400)
    return date.iso8601() == nil ? nil : date
  }
}
