#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The questions that `TerminalEnvironment` asks the system, so that tests can answer them.
struct TerminalProbe: Sendable {
  /// Whether a descriptor is a terminal.
  var isTerminal: @Sendable (_ descriptor: Int32) -> Bool

  /// The terminal's size in characters, or nil where it is unknown; 0 means "not known" too.
  var windowSize: @Sendable (_ descriptor: Int32) -> (columns: Int, rows: Int)?

  /// Whether the program runs with more rights than its caller (set-user-ID or set-group-ID).
  var isPrivileged: @Sendable () -> Bool

  /// The running system's answers.
  static let system = TerminalProbe(
    isTerminal: { isatty($0) == 1 },
    windowSize: { descriptor in
      var size = winsize()
      guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
      return (Int(size.ws_col), Int(size.ws_row))
    },
    isPrivileged: { getuid() != geteuid() || getgid() != getegid() }
  )
}
