import TestSupport
import Testing

@testable import Terminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite(.bounded) struct TerminalEnvironmentTests {
  private func environment(
    _ variables: [String: String], terminals: Set<Int32> = [0, 1, 2],
    size: (columns: Int, rows: Int)? = (120, 50), isPrivileged: Bool = false
  ) -> TerminalEnvironment {
    TerminalEnvironment(
      variables: variables,
      probe: TerminalProbe(
        isTerminal: { terminals.contains($0) }, windowSize: { _ in size },
        isPrivileged: { isPrivileged }))
  }

  @Test func `the size comes from the terminal or the environment`() {
    #expect(environment([:]).columns == 120)
    #expect(environment([:]).rows == 50)
    #expect(environment(["COLUMNS": "100", "LINES": "10"]).columns == 100)
    #expect(environment(["COLUMNS": "100", "LINES": "10"]).rows == 10)
    for nonsense in ["", "0", "-5", "wide", "99999999999999999999"] {
      #expect(environment(["COLUMNS": nonsense]).columns == 120)
    }
    #expect(environment([:], size: (0, 0)).columns == 80)
    #expect(environment([:], size: (0, 0)).rows == 24)
    #expect(environment([:], size: nil).columns == 80)
    #expect(environment([:], size: (3, 1)).columns == 20)
    #expect(environment([:], size: (3, 1)).rows == 2)
    #expect(environment(["COLUMNS": "999999999"]).columns == 10_000)
    #expect(environment([:], terminals: [2]).columns == 120)
    #expect(environment([:], terminals: []).columns == 80)
  }

  @Test func `lines have a limit only on a terminal`() {
    #expect(environment([:]).lineWidth == 120)
    #expect(environment(["COLUMNS": "100"], terminals: [0, 2]).lineWidth == nil)
  }

  @Test func `a real terminal is measured`() throws {
    let terminal = try TestTerminal(columns: 93, rows: 31)
    let probe = TerminalProbe.system
    #expect(probe.isTerminal(terminal.terminal))
    let size = probe.windowSize(terminal.terminal)
    #expect(size?.columns == 93 && size?.rows == 31)
    _ = terminal.finish()
    let pipe = try TestPipe()
    #expect(!probe.isTerminal(pipe.writing))
    #expect(probe.windowSize(pipe.writing) == nil)
    _ = pipe.finish()
  }

  @Test func `variables are read`() {
    #expect(environment(["NO_COLOR": "1"]).disablesColor)
    #expect(!environment(["NO_COLOR": ""]).disablesColor)
    #expect(environment(["CLICOLOR_FORCE": "1"]).forcesColor)
    #expect(!environment(["CLICOLOR_FORCE": "0"]).forcesColor)
    #expect(!environment(["CLICOLOR_FORCE": ""]).forcesColor)
    #expect(environment([:]).isDumb)
    #expect(environment(["TERM": "dumb"]).isDumb)
    #expect(!environment(["TERM": "xterm"]).isDumb)
    #expect(environment([:]).pagerCommand == nil)
    #expect(environment(["PAGER": "more"]).pagerCommand == "more")
    #expect(environment(["PAGER": "more", "HISTCTL_PAGER": ""]).pagerCommand == "")
    #expect(environment(["PAGER": "more", "HISTCTL_PAGER": "most"]).pagerCommand == "most")
    #expect(environment(["LANG": "de_DE.UTF-8"]).isUTF8)
    #expect(environment(["LANG": "C", "LC_ALL": "", "LC_CTYPE": "C.utf8"]).isUTF8)
    #expect(!environment(["LANG": "de_DE.UTF-8", "LC_ALL": "C"]).isUTF8)
    #expect(!environment([:]).isUTF8)
  }

  /// In a process of its own: a variable that is set may move all others while another test reads them.
  @Test func `the process environment is read`() async {
    await #expect(processExitsWith: .success) {
      setenv("HISTCTL_TERMINAL_TEST", "a=b", 1)
      #expect(
        ProcessEnvironment.variables(named: ["HISTCTL_TERMINAL_TEST"])["HISTCTL_TERMINAL_TEST"]
          == "a=b")
    }
    #expect(ProcessEnvironment.variables(named: ["HISTCTL_NO_SUCH"]).isEmpty)
    #expect(TerminalEnvironment.current().columns >= 20)
  }

  private static let colorCases: [(ColorChoice, [String: String], Set<Int32>, Bool)] = [
    (.auto, ["TERM": "xterm"], [1, 2], true),
    (.auto, ["TERM": "xterm"], [2], false),
    (.auto, ["TERM": "dumb"], [1], false),
    (.auto, [:], [1], false),
    (.auto, ["TERM": "xterm", "NO_COLOR": "1"], [1], false),
    (.auto, ["CLICOLOR_FORCE": "1"], [], true),
    (.auto, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], [], false),
    (.always, ["NO_COLOR": "1", "TERM": "dumb"], [], true),
    (.never, ["CLICOLOR_FORCE": "1", "TERM": "xterm"], [1], false),
  ]

  @Test(arguments: colorCases)
  func `color follows the option, the environment and the terminal`(
    _ choice: ColorChoice, _ variables: [String: String], _ terminals: Set<Int32>,
    _ expected: Bool
  ) {
    let environment = environment(variables, terminals: terminals)
    #expect(choice.colorsOutput(in: environment) == expected)
  }

  @Test func `standard error has its own color setting`() {
    let environment = environment(["TERM": "xterm"], terminals: [2])
    #expect(ColorChoice.auto.colorsErrors(in: environment))
    #expect(!ColorChoice.auto.colorsOutput(in: environment))
  }

  @Test func `styles show only in color`() {
    #expect(Palette(isColored: true).apply(.inserted, to: "new") == "\u{1B}[32mnew\u{1B}[0m")
    #expect(Palette(isColored: true).apply(.plain, to: "new") == "new")
    #expect(Palette(isColored: true).apply(.deleted, to: "") == "")
    for style in Style.allCases { #expect(Palette(isColored: false).apply(style, to: "x") == "x") }
    #expect(ColorChoice.allCases.map(\.rawValue) == ["auto", "always", "never"])
  }
}
