import StoreFormat
import Terminal

extension Cancellation {
  /// Ends the reading of a command that a signal ends: see ``DeferredSignals/endingReads(_:)``.
  static func bySignal() -> Cancellation { Cancellation { DeferredSignals.isPending } }
}

extension DeferredSignals {
  /// Runs a body as ``run(_:)`` does. A signal also ends the reading of stores and archives at its next step.
  static func endingReads<Result>(_ body: () throws -> Result) throws -> Result {
    try run {
      do {
        return try body()
      } catch {
        // The signal is the reason.
        try check()
        throw error
      }
    }
  }
}
