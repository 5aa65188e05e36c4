import OpenSwiftData
import Synchronization
import TestSupport

/// Records whether an observed property has changed.
final class ObservedChange: Sendable {
  private let count = Mutex(0)

  var hasChanged: Bool { count.withLock { $0 } > 0 }

  /// Reads properties and observes the next change of any of them.
  func observe(_ read: () -> Void) {
    count.withLock { $0 = 0 }
    withObservationTracking(read) { self.count.withLock { $0 += 1 } }
  }

  func waitForChange() async throws {
    try await wait(until: "an observed property changes") { hasChanged }
  }
}
