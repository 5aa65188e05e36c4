import Libc
import PropertyLists

/// A point in time as Core Data stores it: seconds since 2001-01-01T00:00:00Z in a double.
///
/// The value comes from a store and may be any double. Values compare as numbers (`-0.0` equals `0.0`, as
/// in SQLite); NaN equals NaN and is earlier than all numbers, as SQLite sorts the NULL that it stores for
/// one.
public struct StoreTimestamp: Sendable {
  /// The reference date, 2001-01-01T00:00:00Z, in seconds since 1970-01-01T00:00:00Z.
  package static let referenceDateUnixSeconds: Int64 = 978_307_200

  /// Seconds since 2001-01-01T00:00:00Z, exactly as stored; negative before that date.
  public let secondsSinceReferenceDate: Double

  /// Creates a timestamp from the stored number.
  public init(secondsSinceReferenceDate: Double) {
    self.secondsSinceReferenceDate = secondsSinceReferenceDate
  }

  /// Creates a timestamp from seconds since 1970-01-01T00:00:00Z.
  public init(unixSeconds: Double) {
    secondsSinceReferenceDate = unixSeconds - Double(Self.referenceDateUnixSeconds)
  }

  /// Seconds since 1970-01-01T00:00:00Z, rounded to the nearest double.
  public var unixSeconds: Double {
    secondsSinceReferenceDate + Double(Self.referenceDateUnixSeconds)
  }

  /// Returns the time of the system's clock.
  public static func now() -> StoreTimestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let seconds = Int64(time.tv_sec) - referenceDateUnixSeconds
    return StoreTimestamp(
      secondsSinceReferenceDate: Double(seconds) + Double(time.tv_nsec) / 1_000_000_000)
  }
}

extension StoreTimestamp {
  /// The time in a column; `nil` if it holds no floating-point number.
  package init?(stored value: StoredValue?) {
    guard case .real(let seconds)? = value else { return nil }
    self.init(secondsSinceReferenceDate: seconds)
  }
}

package typealias CivilDate = PropertyLists.CivilDate

extension StoreTimestamp: Hashable, Comparable {
  /// Whether both are the same number, or both are NaN.
  public static func == (left: StoreTimestamp, right: StoreTimestamp) -> Bool {
    let (first, second) = (left.secondsSinceReferenceDate, right.secondsSinceReferenceDate)
    return first == second || (first.isNaN && second.isNaN)
  }

  /// Whether the left one is earlier; NaN is earlier than every number.
  public static func < (left: StoreTimestamp, right: StoreTimestamp) -> Bool {
    let (first, second) = (left.secondsSinceReferenceDate, right.secondsSinceReferenceDate)
    return first < second || (first.isNaN && !second.isNaN)
  }

  /// Hashes equal timestamps alike.
  public func hash(into hasher: inout Hasher) {
    let seconds = secondsSinceReferenceDate
    hasher.combine(seconds.isNaN ? .nan : seconds)
  }
}
