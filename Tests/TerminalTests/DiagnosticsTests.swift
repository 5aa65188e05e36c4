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
  @Suite(.bounded) struct DiagnosticsTests {
    private func environment(isTerminal: Bool, columns: Int = 40) -> TerminalEnvironment {
      var environment = TerminalEnvironment()
      environment.isErrorTerminal = isTerminal
      environment.columns = columns
      return environment
    }

    private func written(
      isTerminal: Bool, isQuiet: Bool = false, color: ColorChoice = .never,
      _ body: (DiagnosticWriter) -> Void
    ) throws -> String {
      let pipe = try TestPipe()
      body(
        DiagnosticWriter(
          environment: environment(isTerminal: isTerminal), color: color, isQuiet: isQuiet,
          descriptor: pipe.writing))
      return pipe.finish()
    }

    @Test func `messages are labeled lines`() throws {
      let text = try written(isTerminal: false) {
        $0.note("2 bookmarks")
        $0.warning("the store is busy", hint: "try again")
        $0.error("not a store: a.txt")
      }
      #expect(
        text == """
          2 bookmarks
          histctl: warning: the store is busy
          hint: try again
          histctl: not a store: a.txt

          """)
    }

    @Test func `quiet leaves out notes only`() throws {
      let text = try written(isTerminal: false, isQuiet: true) {
        $0.note("chatter")
        $0.error("gone")
      }
      #expect(text == "histctl: gone\n")
    }

    @Test func `text is made safe`() throws {
      let evil = "author \u{1B}[2J\nhistctl: all is well"
      let shown = try written(isTerminal: true) { $0.error(evil) }
      #expect(shown == "histctl: author \\e[2J\\nhistctl: all is well\n")
      let piped = try written(isTerminal: false) { $0.error(evil) }
      #expect(piped == shown)
      let raw = try written(isTerminal: true) { $0.writeUnescaped("{\"a\":1}\n") }
      #expect(raw == "{\"a\":1}\n")
      let colored = try written(isTerminal: true, color: .always) { $0.error("x") }
      #expect(colored == "\u{1B}[1;31mhistctl: \u{1B}[0mx\n")
    }

    @Test func `a closed pipe is ignored`() throws {
      Signals.ignoreFailedWrites()
      let pipe = try TestPipe()
      close(pipe.reading)
      let writer = DiagnosticWriter(environment: TerminalEnvironment(), descriptor: pipe.writing)
      writer.error("lost")
      close(pipe.writing)
      DiagnosticWriter(environment: TerminalEnvironment(), descriptor: -1).error("lost as well")
    }

    @Test func `progress is throttled and wiped`() throws {
      var time = 100.0
      let pipe = try TestPipe()
      let diagnostics = DiagnosticWriter(
        environment: environment(isTerminal: true), descriptor: pipe.writing)
      let progress = Progress(
        label: "exporting", unit: "changes", total: 1_680_000,
        environment: environment(isTerminal: true, columns: 80), diagnostics: diagnostics,
        now: { time })
      progress.update(1)
      for step in 1...16 {
        time = 100 + Double(step) / 16
        progress.update(Int64(step) * 52_500)
      }
      progress.finish()
      progress.finish()
      let text = pipe.finish()
      let drawings = text.split(separator: "\r").map(String.init)
      // Every other update, an eighth of a second apart, and the wiping.
      #expect(drawings.count == 9)
      #expect(
        drawings.dropLast().last
          == "exporting: 840,000 of 1,680,000 changes, 50 %, 840,000/s\u{1B}[K")
      #expect(drawings.last == "\u{1B}[K")
    }

    @Test func `progress fits the line with any numbers`() throws {
      var time = 0.0
      let pipe = try TestPipe()
      let diagnostics = DiagnosticWriter(
        environment: environment(isTerminal: true), descriptor: pipe.writing)
      for total in [nil, 0, -1, Int64.max] {
        let progress = Progress(
          label: "sealing", unit: "transactions", total: total,
          environment: environment(isTerminal: true, columns: 30), diagnostics: diagnostics,
          now: { time })
        for count in [0, -1, Int64.max, Int64.min] {
          time += 1e-300 + 0.2
          progress.update(count)
        }
        progress.finish()
      }
      for line in pipe.finish().split(separator: "\r") {
        #expect(String(line).replacingSuffix("\u{1B}[K").displayWidth <= 29)
      }
    }

    @Test func `progress needs a terminal`() throws {
      let pipe = try TestPipe()
      for (isTerminal, isQuiet, isDumb) in [
        (false, false, false), (true, true, false), (true, false, true),
      ] {
        var environment = environment(isTerminal: isTerminal)
        environment.isDumb = isDumb
        var time = 0.0
        let progress = Progress(
          label: "a", unit: "b", environment: environment,
          diagnostics: DiagnosticWriter(
            environment: environment, isQuiet: isQuiet, descriptor: pipe.writing),
          now: {
            time += 1
            return time
          })
        progress.update(1)
        progress.finish()
      }
      #expect(pipe.finish() == "")
    }
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
