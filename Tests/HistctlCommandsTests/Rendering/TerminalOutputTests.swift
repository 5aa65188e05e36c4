import Foundation
import TestSupport
import Testing

/// What a person at a terminal sees, and what a pipe gets instead.
@Suite(.bounded, .enabled(if: Tool.hasTerminals)) struct TerminalOutputTests {
  @Test func `a terminal gets a table with titles and colors`() async throws {
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["log", sample.store, "-n", "1", "--author", "widget", "--no-pager"])
    #expect(
      result.text == """
        \u{1B}[1mTOKEN\u{1B}[0m  \u{1B}[1mTIME\u{1B}[0m                 \u{1B}[1mAUTHOR\u{1B}[0m  \
        \u{1B}[1mPROCESS\u{1B}[0m  \u{1B}[1mCHANGES\u{1B}[0m
           \u{1B}[36m10\u{1B}[0m  2024-07-29 00:51:40  widget  \u{1B}[2mTrips\u{1B}[0m    \
        Trip \u{1B}[33m~1\u{1B}[0m  BucketListItem \u{1B}[33m~1\u{1B}[0m

        """)
    #expect(result.status == 0)
  }

  @Test(arguments: [
    (["NO_COLOR": "1"], [String](), false), (["TERM": "dumb"], [], false), ([:], [], true),
    (["NO_COLOR": ""], [], true), (["NO_COLOR": "1"], ["--color", "always"], true),
    ([:], ["--color", "never"], false), ([:], ["--color=never"], false),
    (["TERM": "dumb"], ["--color", "always"], true), (["CLICOLOR_FORCE": "1"], [], true),
  ]) func `colors follow the environment and the options`(
    _ environment: [String: String], _ options: [String], _ isColored: Bool
  ) async throws {
    let sample = try SampleFolder()
    for line in [
      ["log", sample.store, "--changes"], ["log", sample.store, "--entity", "Nobody"],
    ] {
      let result = try await Tool.histctl.runOnTerminal(
        line + options + ["--no-pager"], environment: environment)
      #expect(result.text.contains("\u{1B}[") == isColored, "\(line): \(result.text)")
    }
  }

  @Test(arguments: [20, 40, 80]) func `tables keep to the width`(
    _ columns: Int
  ) async throws {
    let sample = try SampleFolder()
    for line in [
      ["log", sample.store], ["log", sample.store, "--qualified"],
      ["token", "check", sample.store, "1", "last", "2024-07-29T00:50:40Z"],
    ] {
      let result = try await Tool.histctl.runOnTerminal(
        line + ["--no-pager", "--color", "never", "--quiet"], columns: columns)
      #expect(result.status == 0)
      #expect(result.lines.count == (line[0] == "log" ? 13 : 4))
      #expect(result.lines.allSatisfy { $0.count <= columns }, "\(result.text)")
    }
    // On the page about a store, the lines of its tables; facts are not cut.
    let info = try await Tool.histctl.runOnTerminal(
      ["info", sample.store, "--no-pager", "--color", "never", "--quiet"], columns: columns)
    let tables = info.lines.drop { !$0.hasPrefix("ENTITY") }
    #expect(tables.count == 12)
    #expect(tables.allSatisfy { $0.count <= columns }, "\(info.text)")
  }

  @Test func `an unknown width means eighty columns`() async throws {
    let sample = try SampleFolder()
    let line = ["log", sample.store, "--no-pager", "--color", "never"]
    let unknown = try await Tool.histctl.runOnTerminal(line, columns: 0, rows: 0)
    let usual = try await Tool.histctl.runOnTerminal(line, columns: 80)
    #expect(unknown.text == usual.text)
    let wished = try await Tool.histctl.runOnTerminal(
      line, columns: 0, environment: ["COLUMNS": "40"])
    #expect(wished.lines.prefix(13).allSatisfy { $0.count <= 40 })
    // What a person does not see is told.
    #expect(
      wished.lines.dropFirst(13)
        == ["TIME, AUTHOR, PROCESS hidden: terminal", "too narrow (use --json)"])
    #expect(!usual.text.contains("hidden"))
  }

  @Test func `a pipe gets titles without colors and truncates long names only`() async throws {
    let folder = try TemporaryFolder()
    let author = String(repeating: "long ", count: 60)
    let writer = try StoreWriter(path: folder.file("x.store"))
    try writer.transaction(1, author: author, process: author)
    try writer.close()
    let result = try await InProcess.run(
      ["log", writer.path],
      environment: ["HISTCTL_PAGER": "tr a-z A-Z", "COLUMNS": "40", "TERM": "xterm-256color"])
    #expect(result.lines.count == 2)
    let cut = author.prefix(30) + "…" + author.suffix(29)
    #expect(result.text.contains("  \(cut)  \(cut)  no changes\n"))
    #expect(!result.text.contains("\u{1B}"))
  }

  // MARK: - The pager

  /// A pager that keeps what it reads and shows something else.
  private static let pager = "cat > \"$KEPT\"; echo paged"

  private func paged(
    _ line: [String], environment: [String: String] = [:]
  ) async throws -> (shown: String, kept: String?, status: Int) {
    let folder = try TemporaryFolder()
    let kept = folder.file("kept")
    let result = try await Tool.histctl.runOnTerminal(
      line,
      environment: ["HISTCTL_PAGER": Self.pager, "KEPT": kept].merging(environment) { $1 })
    let bytes = try? FileBytes.read(kept)
    return (result.text, bytes.map { String(decoding: $0, as: UTF8.self) }, result.status)
  }

  @Test func `long output goes through the pager`() async throws {
    let sample = try SampleFolder()
    let direct = try await Tool.histctl.runOnTerminal(["log", sample.store, "--no-pager"])
    for line in [["log"], ["info"], ["show", "last"]] {
      let answer = try await paged([line[0], sample.store] + line.dropFirst())
      #expect(answer.shown == "paged\n")
      #expect(answer.status == 0)
      if line == ["log"] { #expect(answer.kept == direct.text) }
      #expect(answer.kept?.contains("\u{1B}[") == true)
    }
  }

  @Test func `no pager is started for short output`() async throws {
    let sample = try SampleFolder()
    for line in [
      ["log", sample.store, "--no-pager"], ["log", sample.store, "--json"],
      ["token", "check", sample.store, "1"], ["token", "show", sample.store, "1"], ["--help"],
      ["log", sample.store, "--bogus"],
    ] {
      let answer = try await paged(line)
      #expect(answer.kept == nil)
      #expect(answer.shown != "" && !answer.shown.contains("paged"))
    }
    for environment in [["HISTCTL_PAGER": ""], ["HISTCTL_PAGER": "cat"], ["TERM": "dumb"]] {
      let answer = try await paged(["log", sample.store], environment: environment)
      #expect(answer.kept == nil)
      #expect(answer.shown.contains("2024-07-29 00:53:40"))
    }
  }

  @Test func `HISTCTL_PAGER takes precedence over PAGER`() async throws {
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["log", sample.store],
      environment: ["HISTCTL_PAGER": "echo ours; cat >/dev/null", "PAGER": "echo general"])
    #expect(result.text == "ours\n")
    let general = try await Tool.histctl.runOnTerminal(
      ["log", sample.store], environment: ["PAGER": "echo general; cat >/dev/null"])
    #expect(general.text == "general\n")
  }

  @Test func `quitting the pager early ends without an error`() async throws {
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["log", sample.store], environment: ["HISTCTL_PAGER": "head -n 1 >/dev/null"])
    #expect(result.text == "")
    #expect(result.status == 0)
  }

  @Test func `a missing pager is reported`() async throws {
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["log", sample.store, "--color", "never"], environment: ["HISTCTL_PAGER": "nopager -x"])
    #expect(result.status == 0)
    #expect(result.text.contains("histctl: warning: cannot start the pager \"nopager -x\""))
    #expect(result.text.contains("--no-pager"))
    #expect(result.text.contains("2024-07-29 00:53:40"))
  }

  /// While a person reads, the app can move its log into the store: the snapshot has ended.
  @Test func `the pager holds no snapshot`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("sample.store"), shape: shape)
    let script = """
      import sqlite3, sys
      sys.stdin.read()
      db = sqlite3.connect(sys.argv[1], timeout=0)
      print("busy, in log, moved:", db.execute("pragma wal_checkpoint(truncate)").fetchone())
      """
    try FileBytes.write(Array(script.utf8), to: folder.file("pager.py"))
    let result = try await Tool.histctl.runOnTerminal(
      ["log", store],
      environment: [
        "HISTCTL_PAGER": "python3 '\(folder.file("pager.py"))' '\(store)'"
      ])
    #expect(result.text == "busy, in log, moved: (0, 0, 0)\n")
  }

  // MARK: - Words for a person only

  @Test func `an empty answer is explained to a person`() async throws {
    let sample = try SampleFolder()
    let line = ["log", sample.store, "--after", "last", "--no-pager"]
    let person = try await Tool.histctl.runOnTerminal(line)
    #expect(person.text == "no transaction matches; the newest is 12\n")
    #expect(person.status == 0)
    let quiet = try await Tool.histctl.runOnTerminal(line + ["--quiet"])
    #expect(quiet.text == "")
    let program = try await InProcess.run(line)
    #expect(program.text == "" && program.errors == "")
  }
  @Test
  func `records on a terminal have no progress lines among them`() async throws {
    let sample = try SampleFolder()
    let line = ["export", sample.store, "--format", "cloudevents"]
    let records = try await InProcess.run(line)
    // More than a terminal takes without showing it, so that the program has to wait.
    try #require(records.output.count > 1 << 13)
    let shown = try await Tool.histctl.runOnTerminal(line, pause: 0.5, showsProgress: true)
    #expect(shown.text == records.text)
  }
}
