import Foundation
import TestSupport
import Testing

/// Reading changes no byte of a store or of its log, and leaves nothing beside them.
@Suite(.bounded) struct UnchangedStoreTests {
  static let commands = [
    ["info"], ["info", "--model"], ["log", "-n", "5"], ["show", "last"], ["diff", "0"],
    ["object", "Trip/p1"],
    ["token check", "last", "1"],
    ["prune", "--keep-last", "2", "--dry-run"], ["archive", "no-archive", "--dry-run"],
    ["bookmark list"], ["compact", "--dry-run"], ["check"], ["verify", "--full"],
    ["report", "-o", "-"],
  ]

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `no command that reads changes a real store`(_ path: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let before = try Self.files(folder)
    for command in Self.commands {
      let result = try await InProcess.run(Self.arguments(command, store))
      #expect([0, 1, 4, 5, 6, 8, 64].contains(result.status), "\(command): \(result.errors)")
    }
    try Self.expectUnchanged(before, in: folder, store)
  }

  @Test(arguments: commands.filter { !["prune", "archive"].contains($0[0]) })
  func `a small store that no program has open gets no file beside it`(
    _ command: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("sample.store"))
    let before = try Self.files(folder)
    let result = try await InProcess.run(Self.arguments(command, store))
    #expect(result.status != 64, "\(result.errors)")
    #expect(try Self.files(folder) == before)
  }

  /// As a user who may read the files and nothing else.
  @Test(
    .enabled(if: OtherUser.isAvailable && !RealStores.paths.isEmpty), arguments: RealStores.paths)
  func `real stores in an unwritable folder are read and left unchanged`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let before = try Self.files(folder)
    try OtherUser.letRead(folder)
    let other = try await OtherUser.run(["log", store, "--json", "-n", "20"])
    #expect(try Self.files(folder) == before)
    // The answer is that of the owner, history that stands only in the log included.
    let own = try await InProcess.run(["log", store, "--json", "-n", "20"])
    #expect(other.text == own.text)
    #expect(other.status == own.status, "\(other.errors)")
  }

  @Test(.enabled(if: OtherUser.isAvailable))
  func `history only in the log is read by others`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("sample.store"), shape: shape)
    let before = try Self.files(folder)
    try #require((before["sample.store-wal"]?.count ?? 0) > 0)
    try OtherUser.letRead(folder)
    let result = try await OtherUser.run(["log", store])
    #expect(result.rows == LogTests.rows.reversed())
    #expect(result.errors == "")
    #expect(try Self.files(folder) == before)
  }

  /// The writer never checkpoints, so that every byte that changes in the store is somebody else's.
  @Test(.enabled(if: Tool("python3") != nil))
  func `reading while another program saves changes no byte`() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("sample.store"))
    let script = """
      import hashlib, json, sqlite3, subprocess, sys, threading, time
      store, tool = sys.argv[1:3]
      done, saved = threading.Event(), [12]
      def save():
          db = sqlite3.connect(store, isolation_level=None)
          db.execute("pragma wal_autocheckpoint = 0")
          # Bounded, so that a tool that does not end fills no disk with the log.
          while not done.is_set() and saved[0] < 10_000:
              time.sleep(0.001)
              number = saved[0] + 1
              db.execute("begin immediate")
              db.execute("insert into ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) values (?, 16002, ?)",
                         (number, 743906500.0 + number))
              for key in range(3):
                  db.execute("insert into ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK,"
                             " ZTRANSACTIONID) values (?, 16001, 0, 5, ?, ?)",
                             (1000 + number * 3 + key, key + 1, number))
              db.execute("update Z_PRIMARYKEY set Z_MAX = ? where Z_ENT = 16002", (number,))
              db.execute("update Z_PRIMARYKEY set Z_MAX = ? where Z_ENT = 16001",
                         (1002 + number * 3,))
              db.execute("commit")
              saved[0] = number
          keep.append(db)
      keep = [sqlite3.connect(store)]
      keep[0].execute("select count(*) from ATRANSACTION").fetchone()
      digest = lambda: hashlib.sha256(open(store, "rb").read()).hexdigest()
      before = digest()
      thread = threading.Thread(target=save)
      thread.start()
      highest = 12
      for run in range(6):
          low = saved[0]
          result = subprocess.run([tool, "log", store, "--reverse", "--json"], capture_output=True)
          assert result.returncode == 0 and not result.stderr, result.stderr
          lines = [json.loads(line) for line in result.stdout.splitlines()]
          numbers = [line["transaction"] for line in lines]
          assert numbers == list(range(1, len(numbers) + 1)), numbers
          assert len(numbers) >= low, (len(numbers), low)
          assert all(len(line["changes"]) == 3 for line in lines[12:])
          for command in ("info STORE", "show STORE last", "token check STORE 1 last"):
              words = [store if word == "STORE" else word for word in command.split()]
              result = subprocess.run([tool] + words, capture_output=True)
              assert result.returncode == 0 and not result.stderr, result.stderr
      done.set()
      thread.join()
      assert digest() == before
      check = sqlite3.connect(store)
      assert check.execute("select count(*) from ATRANSACTION").fetchone()[0] == saved[0]
      assert check.execute("pragma integrity_check").fetchone()[0] == "ok"
      print("same")
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run(["-c", script, store, Tool.histctl.path])
    #expect(result.text == "same\n", "\(result.errors)")
  }

  // MARK: - Parts

  private static func arguments(_ command: [String], _ store: String) -> [String] {
    command[0].split(separator: " ").map(String.init) + [store] + command.dropFirst()
  }

  static func files(_ folder: TemporaryFolder) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try folder.names() { files[name] = try FileBytes.read(folder.file(name)) }
    return files
  }

  static func expectUnchanged(
    _ before: [String: [UInt8]], in folder: TemporaryFolder, _ store: String,
    besides others: [String] = []
  ) throws {
    let name = URL(fileURLWithPath: store).lastPathComponent
    for (file, bytes) in try files(folder) {
      // What was to be made, and what SQLite keeps beside it.
      if others.contains(where: file.hasPrefix) { continue }
      if let known = before[file] {
        #expect(bytes == known, "\(file) has changed")
      } else {
        #expect(file == name + "-shm" || file == name + "-wal" && bytes.isEmpty, "\(file) is new")
      }
    }
    #expect(try Set(folder.names()).isSuperset(of: before.keys))
  }
}
