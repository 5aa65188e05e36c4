import Foundation
import TestSupport
import Testing

/// `log --follow` beside another process that saves.
@Suite(.bounded) struct FollowTests {
  private static let python = Tool("python3")

  /// Saves transactions from outside, each with one change, at a pace: a pause is counted from the
  /// beginning of one save to that of the next, where the machine is fast enough for it.
  private static let saver = """
    import sqlite3, sys, time
    path, count, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    db = sqlite3.connect(path, isolation_level=None, timeout=30)
    start = time.monotonic()
    for i in range(count):
        db.execute("begin immediate")
        t = db.execute("select max(Z_PK) from ATRANSACTION").fetchone()[0] + 1
        c = db.execute("select coalesce(max(Z_PK), 0) from ACHANGE").fetchone()[0] + 1
        db.execute("insert into ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) values (?, 16002, ?)", (t, 8e8 + t))
        db.execute("insert into ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)"
                   " values (?, 16001, 0, 5, ?, ?)", (c, t, t))
        db.execute("update Z_PRIMARYKEY set Z_MAX = ? where Z_ENT = 16002", (t,))
        db.execute("commit")
        time.sleep(max(0, start + (i + 1) * pause - time.monotonic()))
    """

  /// Follows a store with a shell, so that both run at once, until a line of output names `last`.
  ///
  /// The script begins when the first line is there, unless the options say from where to follow, so
  /// that none can come before what was to be looked at.
  private func follow(
    _ path: String, options: String, doing script: String, until last: String
  ) async throws -> (output: [String], errors: String, status: Int) {
    let folder = try TemporaryFolder()
    let shell = try #require(Tool("sh"))
    let result = try await shell.run([
      "-c",
      """
      "$1" log "$2" --follow \(options) >"$3/out" 2>"$3/err" &
      pid=$!
      case '\(options)' in *--after*) ;; *)
        for i in $(seq 1200); do [ -s "$3/out" ] && break; sleep 0.1; done ;;
      esac
      \(script)
      for i in $(seq 1200); do
        grep -q '\(last)' "$3/out" "$3/err" && break
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
      done
      kill -TERM $pid 2>/dev/null
      wait $pid
      echo $?
      """, "sh", Tool.histctl.path, path, folder.path,
    ])
    func read(_ name: String) throws -> String {
      String(decoding: try FileBytes.read(folder.file(name)), as: UTF8.self)
    }
    return (
      try read("out").split(separator: "\n").map(String.init), try read("err"),
      Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    )
  }

  private func numbers(_ lines: [String]) throws -> [Int] {
    try lines.compactMap {
      let object = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return object?["transaction"] as? Int
    }
  }

  @Test(.enabled(if: python != nil))
  func `every save is shown once and in order, also across a checkpoint`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let script = folder.file("save.py")
    try FileBytes.write(Array(Self.saver.utf8), to: script)
    let result = try await follow(
      path, options: "--json -n 2",
      doing: """
        python3 '\(script)' "$2" 300 0.002
        sqlite3 "$2" 'pragma wal_checkpoint(truncate)' >/dev/null
        python3 '\(script)' "$2" 20 0.01
        """, until: "\"transaction\":332,")
    #expect(try numbers(result.output) == Array(11...332), "\(result.errors)")
    #expect(result.errors.isEmpty)
    #expect(result.status == 143)
  }

  @Test(.enabled(if: python != nil))
  func `each of many quick saves is shown once and in order`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let script = folder.file("save.py")
    try FileBytes.write(Array(Self.saver.utf8), to: script)
    let result = try await follow(
      path, options: "--json --after 12", doing: "python3 '\(script)' \"$2\" 6000 0.005",
      until: "\"transaction\":6012,")
    #expect(try numbers(result.output) == Array(13...6012), "\(result.errors)")
    #expect(result.errors.isEmpty)
    #expect(result.status == 143)
  }

  @Test
  func `an unusable log is reported at the start`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    var log = try FileBytes.read(path + "-wal")
    log[32 + 24 + 4096 + 100] ^= 1
    try FileBytes.write(log, to: path + "-wal")
    let result = try await follow(
      path, options: "--after 0", doing: ":", until: "of its -wal cannot be used")
    #expect(result.errors.contains("of its -wal cannot be used"), "\(result.errors)")
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `history pruned before it is read is a gap`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let result = try await follow(
      path, options: "--json -n 1",
      doing: """
        sqlite3 "$2" "BEGIN IMMEDIATE;
          INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (20, 16002, 9.5);
          DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 20;
          DELETE FROM ATRANSACTION WHERE Z_PK < 20; COMMIT"
        """, until: "\"transaction\":20,")
    #expect(result.output.count == 3)
    #expect(
      result.output.dropFirst().first
        == #"{"schema":1,"type":"gap","store":"\#(StoreWriter.identifier)","after":12,"oldest":20}"#
    )
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `another file in the place of the store ends following with 4`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    // Whoever has seen a save is following.
    let result = try await follow(
      path, options: "--json -n 1",
      doing: """
        sqlite3 "$2" "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (13, 16002, 9.5)"
        for i in $(seq 1200); do grep -q '"transaction":13,' "$3/out" && break; sleep 0.1; done
        cp "$2" "$2.new"; mv "$2.new" "$2"
        """, until: "was replaced")
    #expect(result.status == 4)
    #expect(result.errors.contains("was replaced or removed while it was followed"))
    #expect(result.errors.contains("read up to transaction 13"))
  }

  @Test
  func `--follow cannot be combined with --until`() async throws {
    let result = try await Tool.histctl.run(["log", "x", "--follow", "--until", "5"])
    #expect(result.status == 64)
    #expect(result.errors.contains("--follow cannot be combined with --until"))
  }
}
