#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One line on standard error that tells how far a long task is, while a person is looking.
///
/// It is silent unless standard error is a terminal, and it is drawn only after the task has
/// taken `interval`, so that short tasks leave no flicker. Not for use beside a pager, which owns
/// the screen.
package final class Progress {
  /// Seconds between two drawings.
  package static let interval = 0.1

  private let label: String
  private let unit: String
  private let total: Int64?
  private let columns: Int
  private let diagnostics: DiagnosticWriter?
  private let now: () -> Double
  private let start: Double
  private var lastDrawing: Double
  private var isDrawn = false

  /// Starts the clock.
  ///
  /// - Parameters:
  ///   - label: What is being done: "exporting".
  ///   - unit: What is counted, in the plural: "transactions".
  ///   - total: How many there will be, where that is known.
  ///   - environment: Decides with `diagnostics.isQuiet` whether anything is drawn.
  ///   - diagnostics: The writer on standard error.
  ///   - now: The clock, in seconds.
  package init(
    label: String, unit: String, total: Int64? = nil, environment: TerminalEnvironment,
    diagnostics: DiagnosticWriter, now: @escaping () -> Double = MonotonicClock.seconds
  ) {
    let isWanted = environment.isErrorTerminal && !environment.isDumb && !diagnostics.isQuiet
    self.label = label
    self.unit = unit
    self.total = total
    columns = environment.columns
    self.diagnostics = isWanted ? diagnostics : nil
    self.now = now
    start = isWanted ? now() : 0
    lastDrawing = start
  }

  /// Tells how many are done so far. Cheap, but meant to be called per batch, not per row.
  package func update(_ count: Int64) {
    guard let diagnostics else { return }
    let time = now()
    guard time - lastDrawing >= Self.interval else { return }
    lastDrawing = time
    isDrawn = true
    // The last column stays free: a terminal wraps when it is filled.
    let line = describe(count, after: time - start).truncated(to: columns - 1)
    diagnostics.writeUnescaped("\r\(line)\u{1B}[K")
  }

  /// Wipes the line, as must be done before other words are written; the next update redraws it.
  package func clear() {
    guard isDrawn, let diagnostics else { return }
    isDrawn = false
    diagnostics.writeUnescaped("\r\u{1B}[K")
  }

  /// Wipes the line at the end of the task.
  package func finish() {
    clear()
  }

  private func describe(_ count: Int64, after seconds: Double) -> String {
    var text = "\(label): \(count.grouped)"
    if let total { text += " of \(total.grouped)" }
    text += " \(unit)"
    if let total, total > 0 {
      let percent = Int(min(max(Double(count) / Double(total) * 100, 0), 100))
      text += ", \(percent) %"
    }
    let rate = Double(count) / seconds
    // Below one a second, a rounded rate would say that nothing moves.
    if rate.isFinite, rate >= 1, rate < 1e15 { text += ", \(Int64(rate).grouped)/s" }
    return text
  }
}

/// A clock for durations, which setting the time of day does not move.
package enum MonotonicClock {
  /// Seconds since a moment that stays the same while the program runs.
  package static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
