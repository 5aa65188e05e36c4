/// Runs programs on a pseudoterminal, which python3's `pty` creates.
extension Tool {
  /// Whether ``runOnTerminal(_:columns:rows:environment:)`` can be used.
  package static let hasTerminals = Tool("python3") != nil

  /// The size is set before the program starts, and line ends are passed on as they are.
  private static let script = """
    import fcntl, os, pty, struct, sys, termios, time
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    child, master = pty.fork()
    if child == 0:
        mode = termios.tcgetattr(1)
        mode[1] &= ~termios.OPOST
        termios.tcsetattr(1, termios.TCSANOW, mode)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execv(sys.argv[4], sys.argv[4:])
    time.sleep(float(sys.argv[3]))
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        sys.stdout.buffer.write(part)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)
    """

  /// Runs the program with all three standard descriptors on a terminal; what it writes to standard
  /// error is in the output, at its place on the screen.
  ///
  /// The progress line of a long task depends on the speed of the machine, so it is removed from the
  /// output unless a test needs it.
  ///
  /// - Parameters:
  ///   - pause: The seconds for which the terminal shows nothing and lets the program wait.
  ///   - showsProgress: Whether the progress line stays in the output.
  package func runOnTerminal(
    _ arguments: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
    pause: Double = 0, showsProgress: Bool = false
  ) async throws -> Result {
    guard let python = Tool("python3") else { return Result(status: -1, output: [], errors: "") }
    let result = try await python.run(
      ["-c", Tool.script, "\(columns)", "\(rows)", "\(pause)", path] + arguments,
      environment: ["TERM": "xterm-256color"].merging(environment) { $1 })
    guard !showsProgress else { return result }
    return Result(
      status: result.status, output: Array(result.withoutProgress.utf8), errors: result.errors)
  }
}

extension Tool.Result {
  /// The output without progress lines: from the beginning of a line to a sequence that clears its
  /// rest, with nothing between that would leave the line.
  fileprivate var withoutProgress: String {
    // Scalars, since a carriage return and a line feed are one character.
    var kept = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\r" {
        let drawn = rest.dropFirst().prefix { $0 != "\u{1B}" && $0 != "\r" && $0 != "\n" }
        let wiping = rest[drawn.endIndex...].prefix(3)
        if wiping.elementsEqual("\u{1B}[K".unicodeScalars) {
          rest = rest[wiping.endIndex...]
          continue
        }
      }
      kept.append(scalar)
      rest = rest.dropFirst()
    }
    return String(kept)
  }

  /// The text on the screen at the end: of a line that was drawn several times, such as a progress
  /// line, only the last text.
  package var screen: String {
    var lines: [[Character]] = [[]]
    var column = 0
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("\u{1B}[K") {
        rest = rest.dropFirst(3)
        lines[lines.count - 1].removeSubrange(min(column, lines[lines.count - 1].count)...)
        continue
      }
      rest = rest.dropFirst()
      switch character {
      case "\n", "\r\n":
        lines.append([])
        column = 0
      case "\r": column = 0
      default:
        let end = lines[lines.count - 1].count
        if column < end {
          lines[lines.count - 1][column] = character
        } else {
          lines[lines.count - 1].append(character)
        }
        column += 1
      }
    }
    return lines.map { String($0) }.joined(separator: "\n")
  }
}
