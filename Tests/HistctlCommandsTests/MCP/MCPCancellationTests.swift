#if os(Linux)
import Foundation
import TestSupport
import Testing

/// `mcp`: a call that was canceled holds up no other.
@Suite(.bounded, .enabled(if: FaultInjector.isPossible && Tool("python3") != nil))
struct MCPCancellationTests {
  /// A client that cancels a call which cannot end, and waits for the answer to the next one.
  private static let client = """
    import json, os, subprocess, sys, time
    program, slow, other, gate = sys.argv[1:]
    server = subprocess.Popen([program, "mcp", slow, other], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
        server.stdin.flush()
    def call(id, store):
        send({"id": id, "method": "tools/call", "params": {"name": "log", "arguments": {"store": store}}})
    call("slow", slow)
    while not os.path.exists(gate): time.sleep(0.01)
    call("waits", other)
    send({"method": "notifications/cancelled", "params": {"requestId": "slow"}})
    call("next", other)
    for _ in range(2): print(json.loads(server.stdout.readline())["id"], flush=True)
    os.remove(gate)
    server.stdin.close()
    print(server.stdout.read(), server.wait())
    """

  @Test func `the next call runs while the command of a canceled one cannot end`() async throws {
    let sample = try SampleFolder()
    let other = sample.folder.file("other.store")
    try FileBytes.write(FileBytes.read(sample.store), to: other)
    // An app has the store open, so that it is read in place.
    let app = try StoreQuery(path: sample.store)
    try app.run("PRAGMA journal_mode = WAL; UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX")
    let injector = try await FaultInjector(folder: sample.folder)
    let gate = sample.folder.file("gate")
    let python = try #require(Tool("python3"))
    let result = try await python.run(
      ["-c", Self.client, Tool.histctl.path, sample.store, other, gate],
      environment: injector.environment(holdingFiles: sample.store, at: 1, gate: gate))
    #expect(result.lines == ["waits", "next", " 0"], "\(result.text) \(result.errors)")
  }
}
#endif
