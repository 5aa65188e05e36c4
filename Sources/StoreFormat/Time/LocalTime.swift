#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A date and time of day on the clock of the process's time zone (`TZ`, or the system's).
package struct LocalTime: Hashable, Sendable {
  /// The calendar day.
  package let date: CivilDate
  /// The hour, 0 to 23.
  package let hour: Int
  /// The minute, 0 to 59.
  package let minute: Int
  /// The second, 0 to 59; the fraction is dropped, downwards.
  package let second: Int
  /// How far the clock is ahead of UTC, in seconds; negative west of Greenwich.
  package let offsetSeconds: Int

  /// The year, 1 to 9999.
  package var year: Int { date.year }
  /// The month, 1 to 12.
  package var month: Int { date.month }
  /// The day of the month, 1 to 31.
  package var day: Int { date.day }
  /// The day of the week: 1 for Monday to 7 for Sunday.
  package var weekday: Int { date.weekday }

  /// Reads the local clock at a timestamp; nil where its local year is not in 1 to 9999, and for
  /// numbers that are not finite.
  package init?(_ timestamp: StoreTimestamp) {
    let seconds = timestamp.secondsSinceReferenceDate.rounded(.down)
    guard seconds.magnitude < 1e12 else { return nil }
    self.init(unixSeconds: Int(seconds) + Int(StoreTimestamp.referenceDateUnixSeconds))
  }

  /// Finds the moment at which the local clock shows this.
  ///
  /// Where clocks go back and it is shown twice, the first is meant; where they go forward and it
  /// is never shown, the clock runs on from before the change (02:30 becomes 03:30, and a midnight
  /// that is skipped becomes the day's first moment). `mktime` leaves both to chance: what it
  /// answers depends on the C library and, in glibc, on the call before. Nil for hours, minutes
  /// and seconds that no clock shows, and at the edges of the years 1 to 9999.
  package init?(date: CivilDate, hour: Int, minute: Int, second: Int) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
      return nil
    }
    let asUniversal = date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second
    // No zone is a day or more away from UTC, so these two lie on either side of the answer.
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
    // Worked out, because not every C library has the field for it.
    offsetSeconds =
      date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second - unixSeconds
  }

  /// Whole seconds since 1970-01-01T00:00:00Z.
  package var unixSeconds: Int {
    date.daysSinceUnixEpoch * 86_400 + hour * 3600 + minute * 60 + second - offsetSeconds
  }

  /// The moment at which this second begins.
  package var timestamp: StoreTimestamp {
    StoreTimestamp(
      secondsSinceReferenceDate: Double(
        unixSeconds - Int(StoreTimestamp.referenceDateUnixSeconds)))
  }
}
