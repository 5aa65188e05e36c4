#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A clock for durations, which setting the time of day does not move.
enum Clock {
  /// Seconds since a moment that stays the same while the program runs.
  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }

  /// Waits.
  static func pause(_ seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }
}
