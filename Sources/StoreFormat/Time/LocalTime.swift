import Libc

/// A date and time of day in the time zone of the process (`TZ`, or the system's).
package struct LocalTime: Hashable, Sendable, CustomStringConvertible {
  package let date: CivilDate
  package let hour: Int
  package let minute: Int
  package let second: Int
  /// Seconds ahead of UTC; negative west of Greenwich.
  package let offsetSeconds: Int

  /// Converts a timestamp, or returns `nil` outside the years 1 to 9999 and for numbers that are not finite.
  package init?(_ timestamp: StoreTimestamp) {
    let seconds = timestamp.secondsSinceReferenceDate.rounded(.down)
    guard seconds.magnitude < 1e12 else { return nil }
    self.init(unixSeconds: Int(seconds) + Int(StoreTimestamp.referenceDateUnixSeconds))
  }

  /// Finds the moment at which the local clock shows a time.
  ///
  /// A time that comes twice, because clocks go back, is the first of both. A time that is skipped, because
  /// they go forward, counts on from before the change: 02:30 becomes 03:30. The result of `mktime` in these
  /// cases depends on the C library and, in glibc, on the previous call. Returns `nil` for times that no
  /// clock shows, and at the edges of the years 1 to 9999.
  package init?(date: CivilDate, hour: Int, minute: Int, second: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
      return nil
    }
    let asUniversal = date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second
    // No zone is a day or more away from UTC, so the answer is between these two.
    let offsetBefore = LocalTime(unixSeconds: asUniversal - 86_400)?.offsetSeconds
    let offsetAfter = LocalTime(unixSeconds: asUniversal + 86_400)?.offsetSeconds
    guard let oldOffset = offsetBefore ?? offsetAfter else { return nil }
    let newOffset = offsetAfter ?? oldOffset
    // A larger offset means an earlier moment.
    for offset in [max(oldOffset, newOffset), min(oldOffset, newOffset)] {
      if let time = LocalTime(unixSeconds: asUniversal - offset), time.offsetSeconds == offset {
        self = time
        return
      }
    }
    self.init(unixSeconds: asUniversal - oldOffset)
  }

  private init?(unixSeconds: Int) {
    guard var time = time_t(exactly: unixSeconds) else { return nil }
    var fields = tm()
    guard localtime_r(&time, &fields) != nil,
      let date = CivilDate(
        year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday))
    else { return nil }
    self.date = date
    hour = Int(fields.tm_hour)
    minute = Int(fields.tm_min)
    // Zones that count leap seconds ("right/…") show 60.
    second = min(Int(fields.tm_sec), 59)
    // Not every C library has a field for this.
    offsetSeconds =
      date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second - unixSeconds
  }

  /// Whole seconds since 1970-01-01T00:00:00Z.
  package var unixSeconds: Int {
    date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second - offsetSeconds
  }

  package var timestamp: StoreTimestamp {
    StoreTimestamp(
      secondsSinceReferenceDate: Double(
        unixSeconds - Int(StoreTimestamp.referenceDateUnixSeconds)))
  }

  /// The date and time as `2026-11-01 22:07:35`.
  package var description: String {
    let time = [hour, minute, second].map(CivilDate.twoDigits).joined(separator: ":")
    return "\(date) \(time)"
  }
}
