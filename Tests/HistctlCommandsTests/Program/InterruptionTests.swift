import Foundation
import TestSupport
import Testing

/// A command that is ended before its end says what it did.
@Suite(.bounded) struct InterruptionTests {
  /// Runs a command whose output nobody takes after its beginning, and ends it by a signal once it is at
  /// work.
  private static func interrupt(
    _ command: String, _ signal: String, when condition: String, in folder: TemporaryFolder
  ) async throws -> String {
    let script = """
      { "$1" \(command) 2>errors & process=$!; until \(condition); do sleep 0.05; done; \
      kill -\(signal) $process; wait $process; echo "status $?" >>errors; touch done; } \
      | { head -c 3000000 >/dev/null; touch started; until [ -e done ]; do sleep 0.05; done; }
      cat errors
      """
    let shell = try #require(Tool("timeout"))
    return try await shell.run(
      ["200", "sh", "-c", script, "sh", Tool.histctl.path], folder: folder.path
    ).text
  }

  @Test(arguments: [("TERM", 143), ("HUP", 129)])
  func `an interrupted export reports what was written to a pipe`(
    _ signal: String, _ status: Int
  ) async throws {
    let folder = try TemporaryFolder()
    try LongHistory.write(to: folder.file("x.store"), transactions: 40000, changesEach: 1)
    let text = try await Self.interrupt(
      "export x.store", signal, when: "[ -e started ]", in: folder)
    #expect(text.contains("histctl: interrupted: "), "\(text)")
    #expect(text.contains("were written to standard output"))
    #expect(text.hasSuffix("status \(status)\n"))
  }

  @Test
  func `an interrupted export reports its work as JSON`() async throws {
    let folder = try TemporaryFolder()
    try LongHistory.write(to: folder.file("x.store"), transactions: 40000, changesEach: 1)
    let text = try await Self.interrupt(
      "export x.store --json", "TERM", when: "[ -e started ]", in: folder)
    let line = try #require(text.split(separator: "\n").first { $0.contains("workDone") })
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["type"] as? String == "workDone")
    #expect(object?["path"] as? String == "x.store")
    #expect((object?["exportedTransactions"] as? Int ?? 0) > 0)
    try await SchemaCheck.expectFits(String(line) + "\n", schema: "man/histctl-reports.schema.json")
  }

  @Test
  func `an interrupted prune reports what it deleted`() async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 60_000, changesEach: 2)
    let text = try await Self.interrupt(
      "prune x.store --keep-last 5 --yes", "TERM", when: "[ -s x.store-wal ]", in: folder)
    #expect(text.contains("histctl: interrupted: "), "\(text)")
    #expect(text.hasSuffix("status 143\n"))
    // What it says is what is gone.
    let query = try StoreQuery(path: store)
    let left = try query.lines("SELECT count(*) FROM ATRANSACTION").first.flatMap { Int($0) } ?? 0
    if let match = text.firstMatch(of: /interrupted: ([0-9,]+) of/) {
      let said = Int(match.1.filter(\.isNumber)) ?? 0
      #expect(said > 0 && said == 60_000 - left, "\(text) \(left)")
    } else {
      #expect(text.contains("nothing was deleted"))
    }
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test(arguments: ["export x.store -o out.jsonl", "archive x.store arch"], ["TERM", "HUP"])
  func `a signal leaves no draft`(_ command: String, _ signal: String) async throws {
    let folder = try TemporaryFolder()
    try LongHistory.write(to: folder.file("x.store"), transactions: 60_000, changesEach: 2)
    let script = """
      "$1" \(command) 2>/dev/null & process=$!
      until find . -name '*.partial-*' | grep -q .; do sleep 0.01; done
      kill -\(signal) $process; wait $process; echo "status $?"
      find . -name '*.partial-*'
      """
    let timeout = try #require(Tool("timeout"))
    let result = try await timeout.run(
      ["200", "sh", "-c", script, "sh", Tool.histctl.path], folder: folder.path)
    #expect(result.lines.count == 1 && result.lines[0].hasPrefix("status 1"), "\(result.text)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.jsonl")))
  }
}
