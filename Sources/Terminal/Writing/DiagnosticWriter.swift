#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Words for the user, on standard error.
///
/// Failing to say something never fails the program, so nothing here throws. Every call writes
/// one line in one piece, so that several threads can use it. Newlines inside a message are
/// written out: a name from a store cannot pretend to be a message of its own.
package struct DiagnosticWriter: Sendable {
  /// Milliseconds that a blocked terminal or pipe is waited for before the words are dropped.
  private static let patience: Int32 = 1000

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

  /// Says what is good to know, unless quiet.
  package func note(_ message: String) {
    if !isQuiet { write(label: "", .plain, message) }
  }

  /// Says what an answer cannot be understood without, also when quiet.
  package func notice(_ message: String) { write(label: "histctl: ", .secondary, message) }

  /// Says what the user should look at.
  package func warning(_ message: String, hint: String? = nil) {
    write(label: "histctl: warning: ", .warning, message)
    if let hint { write(label: "hint: ", .secondary, hint) }
  }

  /// Says why the program could not do what was asked, and what to do about it.
  package func error(_ message: String, hint: String? = nil) {
    write(label: "histctl: ", .error, message)
    if let hint { write(label: "hint: ", .secondary, hint) }
  }

  /// Writes a question, behind which the answer is typed.
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
      if poll(&request, 1, Self.patience) == 0 { return }
    }
  }
}

/// The system's `write`, under a name that the type's own method does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
