#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A wait of the calling thread.
package enum Pause {
  /// Waits.
  package static func take(seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }
}

extension ContinuousClock.Instant {
  /// How long ago this was.
  package var secondsAgo: Double {
    let parts = duration(to: .now).components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }
}
