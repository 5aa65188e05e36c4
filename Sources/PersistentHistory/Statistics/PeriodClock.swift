import StoreFormat

/// The clock that divides time into periods.
package enum PeriodClock: Hashable, Sendable {
  /// The process's time zone, with daylight saving time.
  case local
  /// UTC.
  case universal

  /// Returns the period of a moment; `nil` outside the years 1 to 9999.
  package func period(_ unit: PeriodUnit, containing moment: StoreTimestamp) -> HistoryPeriod? {
    guard let seconds = moment.wholeSeconds, let reading = reading(seconds) else { return nil }
    if unit == .hour { return hour(seconds, reading) }
    let first: CivilDate?
    let next: CivilDate?
    switch unit {
    case .hour, .day:
      first = reading.date
      next = reading.date.adding(days: 1)
    case .week:
      first = reading.date.adding(days: 1 - reading.date.weekday)
      next = first?.adding(days: 7)
    case .month:
      first = CivilDate(year: reading.date.year, month: reading.date.month, day: 1)
      next = first?.adding(months: 1)
    }
    guard let first, let next, let start = beginning(of: first), let end = beginning(of: next)
    else { return nil }
    return period(unit, start..<max(end, start + 1), date: first, hour: 0)
  }

  /// Returns the hour on the clock. It is shorter if the clock is set within it.
  private func hour(_ seconds: Int, _ reading: Reading) -> HistoryPeriod? {
    var start = seconds - reading.secondOfHour
    var end = start + 3600
    if offset(at: start) != reading.offset {
      start = (start..<seconds).partitioningIndex { offset(at: $0) == reading.offset }
    }
    if offset(at: end - 1) != reading.offset {
      end = (seconds..<end).partitioningIndex { offset(at: $0) != reading.offset }
    }
    return period(.hour, start..<end, date: reading.date, hour: reading.hour)
  }

  private func period(
    _ unit: PeriodUnit, _ seconds: Range<Int>, date: CivilDate, hour: Int
  ) -> HistoryPeriod {
    HistoryPeriod(
      unit: unit, start: StoreTimestamp(wholeSeconds: seconds.lowerBound),
      end: StoreTimestamp(wholeSeconds: seconds.upperBound), date: date, hour: hour,
      offsetSeconds: offset(at: seconds.lowerBound) ?? 0)
  }

  // MARK: - Reading the clock

  private struct Reading {
    let date: CivilDate
    let hour: Int
    let secondOfHour: Int
    let offset: Int
  }

  /// Returns what the clock shows at a second since the reference date.
  private func reading(_ seconds: Int) -> Reading? {
    switch self {
    case .local:
      return LocalTime(StoreTimestamp(wholeSeconds: seconds)).map {
        Reading(
          date: $0.date, hour: $0.hour, secondOfHour: $0.minute * 60 + $0.second,
          offset: $0.offsetSeconds)
      }
    case .universal:
      let unixSeconds = seconds + Int(StoreTimestamp.referenceDateUnixSeconds)
      let secondOfDay = (unixSeconds % 86_400 + 86_400) % 86_400
      return CivilDate(daysSinceUnixEpoch: (unixSeconds - secondOfDay) / 86_400).map {
        Reading(
          date: $0, hour: secondOfDay / 3600, secondOfHour: secondOfDay % 3600, offset: 0)
      }
    }
  }

  private func offset(at seconds: Int) -> Int? {
    self == .universal ? 0 : LocalTime(StoreTimestamp(wholeSeconds: seconds))?.offsetSeconds
  }

  /// Returns the first second of a day since the reference date.
  private func beginning(of date: CivilDate) -> Int? {
    switch self {
    case .local:
      LocalTime(date: date, hour: 0, minute: 0, second: 0)?.timestamp.wholeSeconds
    case .universal:
      date.daysSinceUnixEpoch * 86_400 - Int(StoreTimestamp.referenceDateUnixSeconds)
    }
  }
}

extension StoreTimestamp {
  /// Whole seconds since the reference date, rounded down; `nil` for a number that no calendar has.
  fileprivate var wholeSeconds: Int? {
    let seconds = secondsSinceReferenceDate.rounded(.down)
    return seconds.magnitude < 1e12 ? Int(seconds) : nil
  }

  fileprivate init(wholeSeconds: Int) { self.init(secondsSinceReferenceDate: Double(wholeSeconds)) }
}
