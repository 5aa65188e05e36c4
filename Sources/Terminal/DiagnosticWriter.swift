import Libc

/// Writes messages to standard error.
///
/// Failing to write never fails the program, so nothing here throws. Every call writes one line at once, so that
/// several threads can use it. Newlines in a message are escaped: a name from a store cannot imitate another
/// message.
package struct DiagnosticWriter: Sendable {
  /// Milliseconds to wait for a blocked terminal or pipe before a message is dropped.
  private static let timeout: Int32 = 1000

  /// Whether notes are left out (`--quiet`). Warnings and errors are always written.
  package var isQuiet: Bool

  private let descriptor: Int32
  private let text: TerminalText
  private let palette: Palette

  /// Makes a writer on standard error, or on another descriptor in tests.
  package init(
    environment: TerminalEnvironment, color: ColorChoice = .auto, isQuiet: Bool = false,
    descriptor: Int32 = STDERR_FILENO
  ) {
    self.isQuiet = isQuiet
    self.descriptor = descriptor
    text = .terminal
    palette = Palette(isColored: color.colorsErrors(in: environment))
  }

  /// Writes a note, unless quiet.
  package func note(_ message: String) {
    if !isQuiet { write(label: "", .plain, message) }
  }

  /// Writes a note that is needed to understand the output, even when quiet.
  package func notice(_ message: String) { write(label: "histctl: ", .secondary, message) }

  package func warning(_ message: String, hint: String? = nil) {
    write(label: "histctl: warning: ", .warning, message)
    if let hint { write(label: "hint: ", .secondary, hint) }
  }

  /// Writes an error and its hint.
  package func error(_ message: String, hint: String? = nil) {
    write(label: "histctl: ", .error, message)
    if let hint { write(label: "hint: ", .secondary, hint) }
  }

  /// Writes a question without a line end.
  package func ask(_ question: String) { writeUnescaped(text.escaped(question)) }

  /// Writes bytes as they are: for JSON lines, which have their own escapes, and for drawing.
  package func writeUnescaped(_ text: String) {
    var text = text
    text.withUTF8 { deliver(UnsafeRawBufferPointer($0)) }
  }

  private func write(label: String, _ style: Style, _ message: String) {
    writeUnescaped(palette.apply(style, to: label) + text.escaped(message) + "\n")
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) {
    var remaining = bytes
    while !remaining.isEmpty {
      let count = systemWrite(descriptor, remaining.baseAddress, remaining.count)
      if count > 0 {
        remaining = UnsafeRawBufferPointer(rebasing: remaining[min(count, remaining.count)...])
        continue
      }
      if count < 0 && errno == EINTR { continue }
      guard count < 0, errno == EAGAIN || errno == EWOULDBLOCK else { return }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&request, 1, Self.timeout) == 0 { return }
    }
  }
}

/// The system's `write`, under a name that the type's own method does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// A progress line on standard error.
///
/// It is drawn only on a terminal, and only after the task has taken `interval`, so that short tasks do not
/// flicker. Do not use it beside a pager.
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
  ///   - label: The task: "exporting".
  ///   - unit: The counted things: "transactions".
  ///   - total: The total count, if known.
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

  /// Updates the count. Call it per batch, not per row.
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

  /// Erases the line before other messages; the next update redraws it.
  package func clear() {
    guard isDrawn, let diagnostics else { return }
    isDrawn = false
    diagnostics.writeUnescaped("\r\u{1B}[K")
  }

  /// Erases the line at the end of the task.
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
    // A rate below one a second would be rounded to 0.
    if rate.isFinite, rate >= 1, rate < 1e15 { text += ", \(Int64(rate).grouped)/s" }
    return text
  }
}

/// A clock for durations, which is not affected by setting the time of day.
package enum MonotonicClock {
  /// Returns the seconds since a moment that stays the same while the program runs.
  package static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
  }
}
