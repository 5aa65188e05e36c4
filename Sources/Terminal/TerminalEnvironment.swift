// The list of environment variables is a mutable global in C; this program never changes it.
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#else
@preconcurrency import Glibc
#endif

/// The properties of the terminal and the user's settings, read once and passed on as a value.
package struct TerminalEnvironment: Sendable, Equatable {
  /// The width without a terminal and COLUMNS.
  static let defaultColumns = 80

  /// The height without a terminal and LINES.
  static let defaultRows = 24

  /// The minimum and maximum width of a layout: narrower ones are unreadable, wider ones waste memory.
  static let columnRange = 20...10_000

  /// Whether standard input is a terminal, so that a question can be asked.
  package var isInputTerminal = false

  /// Whether standard output is a terminal.
  package var isOutputTerminal = false

  /// Whether standard error is a terminal.
  package var isErrorTerminal = false

  /// Width in characters, in `columnRange`; meaningful for layouts that need one even in a pipe.
  package var columns = defaultColumns

  package var rows = defaultRows

  /// NO_COLOR is set and not empty (no-color.org).
  var disablesColor = false

  /// CLICOLOR_FORCE is set, and neither empty nor "0" (bixense.com/clicolors).
  var forcesColor = false

  /// TERM is "dumb", empty or not set: no color, no cursor movement, no pager.
  var isDumb = false

  /// HISTCTL_PAGER or else PAGER; empty for no pager, `nil` if neither is set.
  var pagerCommand: String?

  /// LESS is set, so that the user's own options are left alone.
  var hasLessOptions = false

  var hasLessCharacterSet = false

  /// The program runs with more rights than its caller.
  var isPrivileged = false

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

  package static func current() -> TerminalEnvironment {
    TerminalEnvironment(
      variables: ProcessEnvironment.variables(named: names), probe: .system)
  }

  private static let names =
    ["COLUMNS", "LINES", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "HISTCTL_PAGER", "PAGER", "LESS"]
    + ["LESSCHARSET"] + localeNames
  /// The variables that name the locale, in order of precedence.
  private static let localeNames = ["LC_ALL", "LC_CTYPE", "LANG"]

  /// The maximum width of lines for people on standard output, or `nil` in a pipe or file.
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
  var isTerminal: @Sendable (_ descriptor: Int32) -> Bool

  /// The terminal's size in characters, or `nil` where it is unknown; 0 means "not known" too.
  var windowSize: @Sendable (_ descriptor: Int32) -> (columns: Int, rows: Int)?

  /// Whether the program runs with more rights than its caller (set-user-ID or set-group-ID).
  var isPrivileged: @Sendable () -> Bool

  package init(
    isTerminal: @escaping @Sendable (_ descriptor: Int32) -> Bool,
    windowSize: @escaping @Sendable (_ descriptor: Int32) -> (columns: Int, rows: Int)?,
    isPrivileged: @escaping @Sendable () -> Bool
  ) {
    self.isTerminal = isTerminal
    self.windowSize = windowSize
    self.isPrivileged = isPrivileged
  }

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

/// The environment variables that this process was started with.
package enum ProcessEnvironment {
  /// Returns those of the given names that are set. Invalid UTF-8 is repaired, and the first of
  /// several entries of a name is used.
  package static func variables(named names: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for name in names {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }

  /// Calls `body` with the environment for a child: this process's own, byte for byte, with
  /// the given variables set.
  static func withChildEnvironment<Result>(
    setting changes: [String: String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let changed = changes.map { strdup("\($0.key)=\($0.value)") }
    defer { for entry in changed { free(entry) } }
    let kept = entries().filter { entry in
      guard let separator = strchr(entry, Int32(UInt8(ascii: "="))) else { return true }
      let name = UnsafeRawBufferPointer(start: entry, count: separator - entry)
      return changes[String(decoding: name, as: UTF8.self)] == nil
    }
    return body(kept + changed + [nil])
  }

  private static func entries() -> [UnsafeMutablePointer<CChar>] {
    #if canImport(Darwin)
    let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
    #else
    let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    #endif
    guard let list else { return [] }
    var entries: [UnsafeMutablePointer<CChar>] = []
    while let entry = list[entries.count] { entries.append(entry) }
    return entries
  }
}

/// The descriptors 0, 1 and 2, which the calling program may have closed.
package enum StandardDescriptors {
  /// Opens `/dev/null` where standard input, output or error is closed; called first in `main`.
  ///
  /// Otherwise a store could be opened as descriptor 1, and output be written into it. A missing output is opened
  /// read-only, so that writing fails; missing diagnostics are discarded.
  package static func openMissing() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is taken, and all lower ones are open by now.
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
