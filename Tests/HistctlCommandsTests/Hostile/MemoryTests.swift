#if os(Linux)
import TestSupport
import Testing

/// One huge value does not fill memory, however many transactions have it.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("python3") != nil)) struct MemoryTests {
  private static let script = """
    import resource, subprocess, sys
    status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
    print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

  @Test(arguments: [
    "export STORE", "export STORE -o OUT.jsonl.zst", "export STORE -o OUT.sqlite",
    "log STORE --json", "archive STORE OUT",
    "stats STORE", "diff STORE 0", "report STORE -o OUT.html",
  ])
  func `memory is bounded by bytes`(_ line: String) async throws {
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
    let words = line.replacing("STORE", with: store).replacing("OUT", with: folder.file("out"))
    let run = try await Self.run(words, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    // Some 1,200 MB of text go through it.
    #expect(run.kilobytes < 160_000, "\(line) took \(run.kilobytes) KB")
  }

  /// Runs a command line and measures the memory that it takes at most.
  static func run(
    _ line: String, in folder: TemporaryFolder
  ) async throws -> (status: Int, kilobytes: Int, errors: String) {
    let words = line.split(separator: " ").map(String.init)
    let result = try await #require(Tool("python3")).run(
      ["-c", script, Tool.histctl.path] + words, folder: folder.path)
    let numbers = result.text.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1], result.errors)
  }

  @Test(arguments: [
    "archive x.store y", "verify sealed", "verify sealed --full", "verify x.store",
    "log sealed --json", "export sealed",
    "export x.store", "log x.store", "info x.store", "stats sealed",
  ])
  func `a large text takes a few times its size`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 10, changesEach: 1)
    try StoreQuery(path: store).run(
      """
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, printf('%.*c', 16000000, 'x'));
      INSERT INTO Z_PRIMARYKEY VALUES (16003, 'TRANSACTIONSTRING', 0, 1);
      UPDATE ATRANSACTION SET ZAUTHORTS = 1 WHERE Z_PK = 5
      """)
    if line.contains("sealed") {
      let sealed = try await Tool.histctl.run(["archive", store, folder.file("sealed")])
      try #require(sealed.status == 0, "\(sealed.errors)")
    }
    let run = try await Self.run(line, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.kilobytes < 110_000, "\(line) took \(run.kilobytes) KB")
  }
}
#endif
