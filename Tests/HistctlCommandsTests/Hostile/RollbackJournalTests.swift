import TestSupport
import Testing

/// In a store with a rollback journal, whoever reads slowly keeps no app from saving.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct RollbackJournalTests {
  @Test(arguments: ["export", "log --json", "diff", "log"])
  func `an app can save while output waits for its reader`(_ command: String) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    try LongHistory.write(
      to: folder.file("x.store"), transactions: 20_000, changesEach: 1, shape: shape)
    let words = command.split(separator: " ").map(String.init)
    let line = [words[0], "x.store"] + (words[0] == "diff" ? ["0"] : words.dropFirst())
    // The pipe is full long before the end, and nobody reads it until the save is done.
    let script = """
      { "$1" \(line.joined(separator: " ")); echo "status $?" >&2; } | { sleep 2; \
      sqlite3 -cmd '.timeout 60000' x.store "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID) VALUES (9, 'x')" \
      && echo saved; cat >rest; wc -l <rest; }
      """
    let shell = try #require(Tool("sh"))
    let result = try await shell.run(["-c", script, "sh", Tool.histctl.path], folder: folder.path)
    #expect(result.lines.first == "saved", "\(result.errors)")
    #expect(result.errors == "status 0\n")
    let lines = result.lines.last.flatMap { Int($0.filter(\.isNumber)) }
    // Every transaction is there, or every object of them all.
    #expect((lines ?? 0) >= (words[0] == "diff" ? 1 : 20_000), "\(result.text)")
  }
}
