import ArgumentParser
import PersistentHistory
import StoreFormat

/// A length of time on the command line: 30d, 2w, 1y6mo.
struct DurationArgument: Equatable {
  let duration: HistoryDuration

  /// Dates have four digits for the year.
  private static let mostYears = 9999.0

  /// How many seconds it is before a moment: months differ.
  func seconds(before now: StoreTimestamp) -> Double {
    now.secondsSinceReferenceDate - duration.before(now).secondsSinceReferenceDate
  }

  /// Reads a duration that is more than nothing; the unit must be there.
  init(parsing text: String) throws(ValidationError) {
    do {
      duration = try HistoryDuration(parsing: text)
    } catch {
      throw ValidationError(error.description)
    }
    guard !duration.isZero else {
      throw ValidationError("it is no time at all; write a number of 1 or more, such as 30d")
    }
    let years =
      Double(duration.months) / 12 + Double(duration.days) / 365
      + Double(duration.seconds) / (365 * 86_400)
    guard years <= Self.mostYears else {
      throw ValidationError("it is longer than any calendar; write 9999y or less")
    }
  }
}
