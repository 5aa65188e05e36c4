#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What is known of the terminal and the user's wishes: read once, then passed on as a value.
package struct TerminalEnvironment: Sendable, Equatable {
  /// Width assumed where neither the terminal nor COLUMNS tells one.
  package static let defaultColumns = 80

  /// Height assumed where neither the terminal nor LINES tells one.
  package static let defaultRows = 24

  /// Narrowest and widest width that output is laid out for: below, nothing is readable; above,
  /// somebody's COLUMNS is a mistake that would cost memory.
  package static let columnRange = 20...10_000

  /// Whether standard input is a terminal, so that a question can be asked.
  package var isInputTerminal = false

  /// Whether standard output is a terminal.
  package var isOutputTerminal = false

  /// Whether standard error is a terminal.
  package var isErrorTerminal = false

  /// Width in characters, in `columnRange`; meaningful for layouts that need one even in a pipe.
  package var columns = defaultColumns

  /// Height in lines, 2 or more.
  package var rows = defaultRows

  /// NO_COLOR is set and not empty (no-color.org).
  package var disablesColor = false

  /// CLICOLOR_FORCE is set, and neither empty nor "0" (bixense.com/clicolors).
  package var forcesColor = false

  /// TERM is "dumb", empty or not set: no colour, no cursor movement, no pager.
  package var isDumb = false

  /// What HISTCTL_PAGER or else PAGER holds; empty means "no pager", nil that neither is set.
  package var pagerCommand: String?

  /// LESS is set, so that the user's own options are left alone.
  package var hasLessOptions = false

  /// LESSCHARSET is set.
  package var hasLessCharacterSet = false

  /// The program runs with more rights than its caller.
  package var isPrivileged = false

  /// The locale's encoding is UTF-8, so that block characters can be shown.
  package var isUTF8 = false

  /// Makes the environment of a program without terminal and without variables.
  package init() {}

  /// Reads the environment from given variables and a given system.
  package init(variables: [String: String], probe: TerminalProbe) {
    isInputTerminal = probe.isTerminal(STDIN_FILENO)
    isOutputTerminal = probe.isTerminal(STDOUT_FILENO)
    isErrorTerminal = probe.isTerminal(STDERR_FILENO)
    isPrivileged = probe.isPrivileged()

    let size =
      isOutputTerminal
      ? probe.windowSize(STDOUT_FILENO)
      : isErrorTerminal ? probe.windowSize(STDERR_FILENO) : nil
    columns = Self.dimension(variables["COLUMNS"], size?.columns, Self.defaultColumns)
    columns = min(max(columns, Self.columnRange.lowerBound), Self.columnRange.upperBound)
    rows = max(Self.dimension(variables["LINES"], size?.rows, Self.defaultRows), 2)

    disablesColor = Self.isSet(variables["NO_COLOR"])
    let force = variables["CLICOLOR_FORCE"]
    forcesColor = Self.isSet(force) && force != "0"
    isDumb = !Self.isSet(variables["TERM"]) || variables["TERM"] == "dumb"
    pagerCommand = variables["HISTCTL_PAGER"] ?? variables["PAGER"]
    hasLessOptions = variables["LESS"] != nil
    hasLessCharacterSet = variables["LESSCHARSET"] != nil
    isUTF8 = Self.namesUTF8(variables)
  }

  /// The running program's environment.
  package static func current() -> TerminalEnvironment {
    TerminalEnvironment(
      variables: ProcessEnvironment.variables(named: names), probe: .system)
  }

  /// The variables that are looked at.
  private static let names =
    ["COLUMNS", "LINES", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "HISTCTL_PAGER", "PAGER", "LESS"]
    + ["LESSCHARSET"] + localeNames
  /// Those that name the locale, in the order in which they count.
  private static let localeNames = ["LC_ALL", "LC_CTYPE", "LANG"]

  /// Width that lines for people must keep to on standard output, or nil in a pipe or file.
  package var lineWidth: Int? {
    isOutputTerminal ? columns : nil
  }

  private static func isSet(_ value: String?) -> Bool {
    value.map { !$0.isEmpty } ?? false
  }

  private static func dimension(_ wish: String?, _ measured: Int?, _ fallback: Int) -> Int {
    if let wish = wish.flatMap({ Int($0) }), wish > 0 { return wish }
    if let measured, measured > 0 { return measured }
    return fallback
  }

  private static func namesUTF8(_ variables: [String: String]) -> Bool {
    let locale = localeNames.lazy
      .compactMap { variables[$0] }
      .first { !$0.isEmpty }
    guard let name = locale?.lowercased() else { return false }
    return name.contains("utf-8") || name.contains("utf8")
  }
}

/// The questions that `TerminalEnvironment` asks the system, so that tests can answer them.
package struct TerminalProbe: Sendable {
  /// Whether a descriptor is a terminal.
  package var isTerminal: @Sendable (_ descriptor: Int32) -> Bool

  /// The terminal's size in characters, or nil where it is unknown; 0 means "not known" too.
  package var windowSize: @Sendable (_ descriptor: Int32) -> (columns: Int, rows: Int)?

  /// Whether the program runs with more rights than its caller (set-user-ID or set-group-ID).
  package var isPrivileged: @Sendable () -> Bool

  package init(
    isTerminal: @escaping @Sendable (_ descriptor: Int32) -> Bool,
    windowSize: @escaping @Sendable (_ descriptor: Int32) -> (columns: Int, rows: Int)?,
    isPrivileged: @escaping @Sendable () -> Bool
  ) {
    self.isTerminal = isTerminal
    self.windowSize = windowSize
    self.isPrivileged = isPrivileged
  }

  /// The running system's answers.
  package static let system = TerminalProbe(
    isTerminal: { isatty($0) == 1 },
    windowSize: { descriptor in
      var size = winsize()
      guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
      return (Int(size.ws_col), Int(size.ws_row))
    },
    isPrivileged: { getuid() != geteuid() || getgid() != getegid() }
  )
}
