import OpenSwiftData
import Synchronization

/// Whether an observer was told that what it looked at changes.
final class Told: Sendable {
  private let count = Mutex(0)

  var isTold: Bool { count.withLock { $0 } > 0 }

  /// Looks at something, of which it wants to be told once.
  func look(_ body: () -> Void) {
    count.withLock { $0 = 0 }
    withObservationTracking(body) { self.count.withLock { $0 += 1 } }
  }

  /// Waits until it was told.
  func wait() async throws {
    while !isTold { try await Task.sleep(for: .milliseconds(10)) }
  }
}
