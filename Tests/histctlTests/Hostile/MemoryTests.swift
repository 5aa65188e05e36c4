#if os(Linux)
import TestSupport
import Testing

/// One huge value does not fill memory, however many transactions have it.
@Suite(.enabled(if: Tool("python3") != nil)) struct MemoryTests {
  private static let script = """
    import resource, subprocess, sys
    status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
    print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

  @Test(
    "Memory is bounded by bytes",
    arguments: [
      "export STORE", "export STORE -o OUT.jsonl.zst", "log STORE --json", "archive STORE OUT",
      "stats STORE", "diff STORE 0",
    ])
  func isBounded(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 600, changesEach: 0,
      sizes: [100: 1, 300: 1, 500: 1])
    try StoreQuery(path: store).run(
      """
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, printf('%.*c', 2000000, 'x'));
      INSERT INTO Z_PRIMARYKEY VALUES (16003, 'TRANSACTIONSTRING', 0, 1);
      UPDATE ATRANSACTION SET ZAUTHORTS = 1
      """)
    let python = try #require(Tool("python3"))
    let words = line.split(separator: " ").map {
      String($0).replacing("STORE", with: store).replacing("OUT", with: folder.file("out"))
    }
    let result = try await python.run(["-c", Self.script, Tool.histctl.path] + words)
    let numbers = result.text.split(separator: " ").compactMap {
      Int($0.filter(\.isNumber))
    }
    try #require(numbers.count == 2)
    #expect(numbers[0] == 0, "\(result.errors)")
    // In kilobytes; some 1,200 MB of text go through it.
    #expect(numbers[1] < 160_000, "\(line) took \(numbers[1]) KB")
  }
}
#endif
