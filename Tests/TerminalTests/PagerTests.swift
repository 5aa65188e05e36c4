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

extension DescriptorTests {
  @Suite(.bounded) struct PagerTests {
    init() {
      Signals.ignoreFailedWrites()
    }

    private func environment(pager: String?) -> TerminalEnvironment {
      var environment = TerminalEnvironment()
      environment.isOutputTerminal = true
      environment.pagerCommand = pager
      return environment
    }

    /// What arrives at "the terminal" when a line is shown through a pager.
    private func shown(
      pager: String?, isPaged: Bool = true, text: String = "hello\n",
      diagnostics: DiagnosticWriter? = nil
    ) throws -> String {
      let pipe = try TestPipe()
      do {
        try Pager.withOutput(
          usesPager: isPaged, environment: environment(pager: pager), diagnostics: diagnostics,
          descriptor: pipe.writing
        ) { try $0.write(text) }
      } catch {
        _ = pipe.finish()
        throw error
      }
      return pipe.finish()
    }

    @Test func `a pager gets the output and its variables`() throws {
      let folder = try ScriptFolder()
      let script = try folder.script("pager", "echo \"[$LESSCHARSET]\"; cat; echo end")
      #expect(try shown(pager: script) == "[utf-8]\nhello\nend\n")
      #expect(try shown(pager: "\(script) -x") == "[utf-8]\nhello\nend\n")
      #expect(try shown(pager: "FOO=1 sed 's/l/L/g' | tr h H") == "HeLLo\n")
      #expect(try shown(pager: script, isPaged: false) == "hello\n")
    }

    @Test func `an unwanted pager is not started`() throws {
      for pager in ["", "cat", "  ", " cat "] { #expect(try shown(pager: pager) == "hello\n") }
      var piped = environment(pager: "false")
      piped.isOutputTerminal = false
      #expect(PagerCommand(environment: piped) == nil)
      var dumb = environment(pager: "false")
      dumb.isDumb = true
      #expect(PagerCommand(environment: dumb) == nil)
    }

    @Test(arguments: ["/nowhere/pager", "no-such-pager-here", "no-such-pager-here -R", "/tmp"])
    func `a missing pager is a warning, and the output is shown without it`(_ pager: String) throws
    {
      let words = try TestPipe()
      let diagnostics = DiagnosticWriter(
        environment: TerminalEnvironment(), descriptor: words.writing)
      #expect(try shown(pager: pager, diagnostics: diagnostics) == "hello\n")
      let text = words.finish()
      #expect(text.hasPrefix("histctl: warning: cannot start the pager \"\(pager)\": "))
      #expect(text.contains("\nhint: set HISTCTL_PAGER"))
    }

    @Test func `a command that the shell cannot run is an error`() throws {
      let words = try TestPipe()
      let diagnostics = DiagnosticWriter(
        environment: TerminalEnvironment(), descriptor: words.writing)
      #expect(throws: OutputError.failed(EPIPE)) {
        try shown(pager: "exec no-such-pager-here", diagnostics: diagnostics)
      }
      #expect(words.finish().contains("output is missing"))
    }

    @Test func `quitting early is a closed pipe`() throws {
      let folder = try ScriptFolder()
      let script = try folder.script("pager", "head -n 1")
      let pipe = try TestPipe()
      #expect(throws: OutputError.closedPipe) {
        try Pager.withOutput(
          usesPager: true, environment: environment(pager: script), descriptor: pipe.writing
        ) { output in
          for number in 0..<1_000_000 { try output.writeLine("line \(number)") }
        }
      }
      #expect(pipe.finish() == "line 0\n")
    }

    @Test func `an error is thrown after the output`() throws {
      let folder = try ScriptFolder()
      let script = try folder.script("pager", "cat; echo end")
      for isPaged in [true, false] {
        let pipe = try TestPipe()
        #expect(throws: DescriptorSetupFailure.self) {
          try Pager.withOutput(
            usesPager: isPaged, environment: environment(pager: script), descriptor: pipe.writing
          ) { output in
            try output.writeLine("before")
            throw DescriptorSetupFailure(what: "test")
          }
        }
        #expect(pipe.finish() == (isPaged ? "before\nend\n" : "before\n"))
      }
    }

    @Test func `the pager has default signals and gets interrupts`() throws {
      let folder = try ScriptFolder()
      // A child that ignored SIGPIPE would let this loop run on; one that did not ends by it.
      let script = try folder.script("pager", "cat; kill -s PIPE $$; echo ignored")
      let before = Signals.suspendInterrupts()
      Signals.restore(SIGINT, before)
      let pipe = try TestPipe()
      let pager = try #require(
        Pager.start(environment: environment(pager: script), descriptor: pipe.writing))
      // Would end the test where SIGINT were not ignored.
      kill(getpid(), SIGINT)
      try pager.output.writeLine("shown")
      try pager.finish()
      try pager.finish()
      #expect(pipe.finish() == "shown\n")
    }

    @Test(.enabled(if: access("/usr/bin/less", X_OK) == 0))
    func `less shows a short text and leaves`() throws {
      let terminal = try TestTerminal(columns: 80, rows: 24)
      try Pager.withOutput(
        usesPager: true, environment: environment(pager: "TERM=xterm less"),
        descriptor: terminal.terminal
      ) { try $0.write("one\n\u{1B}[32mtwö\u{1B}[0m\n") }
      let text = terminal.finish()
      #expect(text.contains("one"))
      #expect(text.contains("\u{1B}[32mtwö"))
    }

    @Test func `the command of the pager comes from the environment, with safe options`() throws {
      var environment = environment(pager: nil)
      var command = try #require(PagerCommand(environment: environment))
      #expect(command.arguments == ["less"])
      #expect(command.variables == ["LESS": "FRX", "LESSCHARSET": "utf-8"])
      #expect(!command.isChosenByUser)

      environment.hasLessOptions = true
      environment.hasLessCharacterSet = true
      environment.pagerCommand = "less -S"
      command = try #require(PagerCommand(environment: environment))
      #expect(command.arguments == ["/bin/sh", "-c", "less -S"])
      #expect(command.variables == [:])

      environment.pagerCommand = "evil; sh"
      environment.isPrivileged = true
      command = try #require(PagerCommand(environment: environment))
      #expect(command.arguments == ["/usr/bin/less"])
      #expect(command.variables == ["LESS": "FRX", "LESSSECURE": "1"])
    }
  }
}
