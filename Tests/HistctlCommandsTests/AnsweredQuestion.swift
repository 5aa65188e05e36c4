import TestSupport
import Testing

/// A command line on a terminal of its own, whose question is answered.
enum AnsweredQuestion {
  /// Whether this machine has what it takes.
  static let isPossible = Tool("python3") != nil && Tool.hasTerminals

  /// Runs histctl and types an answer when it is asked for.
  static func run(_ arguments: [String], answer: String) async throws -> Tool.Result {
    // The terminal's own input cannot be typed from here, so a program between types the answer.
    let script = """
      import os, pty, sys
      child, master = pty.fork()
      if child == 0:
          os.execv(sys.argv[2], sys.argv[2:])
      seen = b""
      while b"[y/N]" not in seen:
          seen += os.read(master, 4096)
      os.write(master, sys.argv[1].encode() + b"\\n")
      while True:
          try:
              part = os.read(master, 4096)
          except OSError:
              break
          if not part:
              break
          seen += part
      _, status = os.waitpid(child, 0)
      sys.stdout.buffer.write(seen)
      sys.exit(os.waitstatus_to_exitcode(status))
      """
    let python = try #require(Tool("python3"))
    return try await python.run(
      ["-c", script, answer, Tool.histctl.path] + arguments, environment: ["TERM": "dumb"])
  }
}
