import Foundation

/// A condition that did not become true in time.
package struct DidNotHappen: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until a condition is true; polls it every ten milliseconds.
///
/// - Parameters:
///   - event: What is awaited, for the failure: "a save of another process is reported".
///   - seconds: How long to wait. The limit is generous: it ends a test that would never end.
/// - Throws: ``DidNotHappen`` at the limit, and errors of the condition.
package func wait(
  until event: String, seconds: Double = 60, isolation: isolated (any Actor)? = #isolation,
  _ condition: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while try !condition() {
    guard ContinuousClock.now < end else {
      throw DidNotHappen(description: "not within \(seconds) seconds: \(event)")
    }
    try await Task.sleep(for: .milliseconds(10))
  }
}
