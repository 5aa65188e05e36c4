import Foundation
import TestSupport
import Testing

/// Reading without touching: `--private-copy` and `--hashes`.
@Suite(.bounded) struct PrivateCopyTests {
  typealias Object = [String: Any]

  /// What only reads, with all stores that it takes.
  static let commands = [
    "info STORE", "info STORE --model", "log STORE -n 5", "show STORE last", "diff STORE 0",
    "diff STORE --with OTHER", "object STORE Trip/p1", "blame STORE Trip/p1", "export STORE",
    "export STORE OTHER --output-dir lake", "stats STORE", "stats STORE --sessions",
    "report STORE OTHER -o - --hashes", "check STORE", "verify STORE --full",
    "token check STORE last", "token show STORE last", "bookmark list STORE",
    "bookmark check STORE",
  ]

  /// Runs a command line in a folder, in a process of its own.
  private static func run(
    _ line: String, in folder: TemporaryFolder, _ store: String = "evidence/x.store"
  ) async throws -> Tool.Result {
    let words = line.split(separator: " ").map {
      $0 == "STORE" ? store : $0 == "OTHER" ? "evidence/other.store" : String($0)
    }
    return try await Tool.histctl.run(words, folder: folder.path)
  }

  /// A folder with `copies` and `evidence`, which holds two stores with history in their logs.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["evidence", "copies"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
    }
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    for name in ["x.store", "other.store"] {
      for suffix in ["", "-wal"] {
        try FileBytes.write(
          FileBytes.read(trips.path + suffix), to: folder.file("evidence/" + name + suffix))
      }
    }
    return folder
  }

  private static func files(in folder: TemporaryFolder) throws -> [String: [UInt8]] {
    let evidence = folder.file("evidence")
    return try Dictionary(
      uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: evidence).map {
        ($0, try FileBytes.read(evidence + "/" + $0))
      })
  }

  /// The output without what depends on how long the machine takes: "(2 min ago)".
  private static func withoutAges(_ result: Tool.Result) -> String {
    result.text.replacing(#/ \([^()]*(?:ago|now)\)/#, with: "")
  }

  @Test(arguments: commands)
  func `a private copy gives the same answer and leaves nothing beside the store`(
    _ command: String
  ) async throws {
    let folder = try await Self.folder()
    let before = try Self.files(in: folder)
    let copied = try await Self.run(command + " --private-copy copies", in: folder)
    #expect(try Self.files(in: folder) == before)
    try? folder.remove("lake")
    let own = try await Self.run(command, in: folder)
    #expect(copied.status == own.status, "\(copied.errors)")
    guard !command.hasPrefix("report") else { return }
    let text = Self.withoutAges(copied).split(separator: "\n")
      .filter { !$0.hasPrefix("read from ") }
    #expect(text == Self.withoutAges(own).split(separator: "\n"))
  }

  /// A store in a zip file is read like one in a folder, from a private copy of its own.
  @Test(.enabled(if: Tool("python3") != nil), arguments: commands)
  func `a store in an archive gives the same answer and leaves no copy`(
    _ command: String
  ) async throws {
    let folder = try await Self.folder()
    let packed = try await #require(Tool("python3")).run(
      ["-m", "zipfile", "-c", "evidence.zip", "evidence/x.store", "evidence/x.store-wal"],
      folder: folder.path)
    #expect(packed.status == 0, "\(packed.errors)")
    let archived = try await Self.run(command, in: folder, "evidence.zip!/x.store")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "lake" }
        .sorted()
        == ["copies", "evidence", "evidence.zip"])
    try? folder.remove("lake")
    let own = try await Self.run(command, in: folder)
    #expect(archived.status == own.status, "\(archived.errors)")
    guard !command.hasPrefix("report") else { return }
    // Columns are as wide as the paths in them.
    func text(_ result: Tool.Result) -> [[Substring]] {
      Self.withoutAges(result).replacing("evidence.zip!/", with: "evidence/").split(separator: "\n")
        .map { $0.split(separator: " ") }.filter { $0.prefix(2) != ["read", "from"] }
    }
    #expect(text(archived) == text(own))
  }

  @Test(.enabled(if: FaultInjector.isPossible))
  func `the copy of a read that was killed at any call is gone after the next read`() async throws {
    let folder = try await Self.folder()
    let packed = try await #require(Tool("python3")).run(
      ["-m", "zipfile", "-c", "evidence.zip", "evidence/x.store", "evidence/x.store-wal"],
      folder: folder.path)
    #expect(packed.status == 0, "\(packed.errors)")
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let temporary = folder.file("copies")
    let line = ["stats", "evidence.zip!/x.store"]
    // The variable reaches the program through `env`, which makes no files.
    let program = try #require(Tool("env"))
    let words = ["TMPDIR=" + temporary, Tool.histctl.path] + line
    let clean = try await injector.calls(
      of: program, words, files: temporary, folder: folder.path)
    #expect(clean.result.status == 0, "\(clean.result.errors)")
    for call in clean.calls.indices {
      let result = try await injector.run(
        program, words, files: temporary, FaultInjector.Fault(.kill, at: call + 1, lasts: false),
        folder: folder.path)
      #expect(result.status == 137)
      let next = try await program.run(words, folder: folder.path)
      #expect(Self.withoutAges(next) == Self.withoutAges(clean.result), "\(next.errors)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: temporary) == [],
        "\(clean.calls[call])")
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `every command that only reads has --private-copy`() async throws {
    let known = Set(
      Self.commands.map { command in
        command.split(separator: " ").prefix { $0 != "STORE" }.joined(separator: " ")
      })
    let dump = try await InProcess.run(["--experimental-dump-help"])
    let root = try JSONSerialization.jsonObject(with: Data(dump.output)) as? Object
    func names(_ command: Object, _ path: [String]) -> [String] {
      let commands = command["subcommands"] as? [Object] ?? []
      let arguments = command["arguments"] as? [Object] ?? []
      return commands.flatMap { names($0, path + [$0["commandName"] as? String ?? ""]) }
        + (arguments.contains { option in
          (option["names"] as? [Object] ?? []).contains { $0["name"] as? String == "private-copy" }
        } ? [path.joined(separator: " ")] : [])
    }
    #expect(Set(names(try #require(root?["command"] as? Object), [])) == known)
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `real stores answer the same from a private copy`(_ path: String) async throws {
    let folder = try await Self.folder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("evidence")) {
      try folder.remove("evidence/" + name)
    }
    let name = "evidence/" + URL(fileURLWithPath: path).lastPathComponent
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileBytes.write(try FileBytes.read(path + suffix), to: folder.file(name + suffix))
    }
    let before = try Self.files(in: folder)
    for command in ["info STORE --hashes", "log STORE -n 5 --json", "verify STORE"] {
      let copied = try await Self.run(command + " --private-copy copies", in: folder, name)
      #expect(try Self.files(in: folder) == before, "\(command)")
      #expect([0, 1, 5, 8].contains(copied.status), "\(copied.errors)")
    }
  }

  // MARK: - The copy

  @Test
  func `a kept copy is read again and replaces no other file`() async throws {
    let folder = try await Self.folder()
    let line = "info STORE --private-copy copies"
    let copy = folder.file("copies") + folder.file("evidence/x.store")
    let first = try await Self.run(line, in: folder)
    #expect(first.text.contains("read from   \(copy)\n"), "\(first.text)")
    for suffix in ["", "-wal"] {
      let own = try FileBytes.read(folder.file("evidence/x.store" + suffix))
      #expect(try FileBytes.read(copy + suffix) == own)
      let mode = try FileManager.default.attributesOfItem(atPath: copy + suffix)[.posixPermissions]
      #expect(mode as? Int == 0o600)
    }
    #expect(Self.withoutAges(try await Self.run(line, in: folder)) == Self.withoutAges(first))
    // The log of the original changes.
    let log = folder.file("evidence/x.store-wal")
    try FileBytes.write(Array(try FileBytes.read(log).dropLast(8)), to: log)
    let refused = try await Self.run(line, in: folder)
    #expect(refused.status == 9 && refused.text.isEmpty)
    #expect(refused.errors.contains("\(copy) is a copy of another state of evidence/x.store"))
    // Another folder has room for the new state.
    let second = folder.file("second")
    try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
    let other = try await Self.run("info STORE --private-copy second", in: folder)
    #expect(other.status != 9 && other.text.contains("read from   \(second)/"))
  }

  @Test
  func `the files beside the store are copied too`() async throws {
    let folder = try await Self.folder()
    for line in [
      "bookmark set STORE widget 1", "log STORE",
    ] { #expect(try await Self.run(line, in: folder).status == 0) }
    try FileManager.default.createDirectory(
      atPath: folder.file("evidence/.x_SUPPORT/_EXTERNAL_DATA"), withIntermediateDirectories: true)
    try FileBytes.write([1, 2], to: folder.file("evidence/.x_SUPPORT/_EXTERNAL_DATA/A"))
    let listed = try await Self.run("bookmark list STORE --private-copy copies", in: folder)
    #expect(listed.text.contains("@widget"))
    let copies = folder.file("copies") + folder.file("evidence")
    #expect(try FileBytes.read(copies + "/.x_SUPPORT/_EXTERNAL_DATA/A") == [1, 2])
  }

  @Test
  func `a copy in a forbidden place is refused`() async throws {
    let folder = try await Self.folder()
    let before = try Self.files(in: folder)
    for (place, status, words) in [
      ("nowhere", 9, "no folder at nowhere"), ("evidence", 9, "would be beside evidence/x.store"),
      ("evidence/x.store", 9, "no folder at"), ("/", 9, "would be beside"),
    ] {
      let result = try await Self.run("log STORE --private-copy \(place)", in: folder)
      #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
      #expect(result.text.isEmpty)
    }
    let follow = try await Self.run("log STORE --follow --private-copy copies", in: folder)
    #expect(follow.status == 64)
    let export = try await Self.run(
      "export STORE --output-dir lake --bookmark b --private-copy copies", in: folder)
    #expect(export.status == 64 && export.errors.contains("--bookmark-file"))
    // The original is protected as if it were read itself.
    let onto = try await Self.run(
      "export STORE -o evidence/x.store --overwrite --private-copy copies", in: folder)
    #expect(onto.status != 0)
    #expect(try Self.files(in: folder) == before)
  }

  @Test
  func `a pipe in place of the log is not waited for`() async throws {
    let folder = try await Self.folder()
    try folder.remove("evidence/x.store-wal")
    let shell = try #require(Tool("sh"))
    _ = try await shell.run(["-c", "mkfifo evidence/x.store-wal"], folder: folder.path)
    let result = try await Self.run("log STORE --private-copy copies", in: folder)
    #expect(
      result.status == 9 && result.errors.contains("x.store-wal is a pipe"), "\(result.errors)")
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `an unfinished save is rolled back in a copy only`() async throws {
    let folder = try await Self.folder()
    let store = try SampleStore.write(to: folder.file("evidence/y.store"))
    try await UnfinishedSave.leave(in: store)
    let before = try Self.files(in: folder)
    let own = try await Self.run("log STORE", in: folder, "evidence/y.store")
    #expect(own.status == 9)
    for _ in 0..<2 {
      let result = try await Self.run(
        "log STORE --private-copy copies", in: folder, "evidence/y.store")
      #expect(result.status == 0 && result.rows == LogTests.rows.reversed())
      #expect(result.errors.contains("was left in the middle of a save"), "\(result.errors)")
    }
    #expect(try Self.files(in: folder) == before)
  }

  /// A writer that changes the file faster than it can be copied.
  @Test(.enabled(if: Tool("python3") != nil))
  func `a store that changes during every copy is an error`() async throws {
    let folder = try await Self.folder()
    let script = """
      import os, shutil, subprocess, sys, threading
      # Copying takes longer than the writer waits.
      os.truncate('evidence/x.store', 48 << 20)
      stop = threading.Event()
      def change():
          number = 0
          with open('evidence/x.store', 'r+b', buffering=0) as file:
              while not stop.is_set():
                  number += 1
                  os.pwrite(file.fileno(), number.to_bytes(4, 'big'), 92)
      thread = threading.Thread(target=change)
      thread.start()
      # The writer can sleep for as long as a copy takes, which is sound then.
      for _ in range(20):
          shutil.rmtree('copies')
          os.mkdir('copies')
          result = subprocess.run([sys.argv[1], 'log', 'evidence/x.store', '--private-copy', 'copies'],
                                  capture_output=True, text=True)
          if result.returncode != 0: break
      stop.set()
      thread.join()
      print(result.returncode, result.stderr)
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run(["-c", script, Tool.histctl.path], folder: folder.path)
    #expect(result.text.hasPrefix("7 "), "\(result.text)")
    #expect(result.text.contains("was changed by another program each time that it was copied"))
    #expect(result.text.contains("hint: "))
    let copies = FileManager.default.enumerator(atPath: folder.file("copies"))?.allObjects ?? []
    #expect(!copies.contains { ($0 as? String)?.hasSuffix("x.store") ?? false })
  }

  // MARK: - Hashes

  @Test(.enabled(if: Tool("sha256sum") != nil))
  func `reported digests agree with sha256sum`() async throws {
    let folder = try await Self.folder()
    let text = try await Self.run("info STORE --hashes --private-copy copies", in: folder).text
    #expect(text.contains("SHA-256 (the same before and after reading)\n"))
    let lines = text.split(separator: "\n").filter { $0.contains("x.store") && $0.count > 66 }
      .filter { $0.first?.isHexDigit ?? false && $0.dropFirst(64).hasPrefix("  ") }
    #expect(lines.count == 2)
    let check = try await #require(Tool("sha256sum")).run(
      ["--check"], input: lines.joined(separator: "\n") + "\n")
    #expect(check.status == 0, "\(text) \(check.errors)")
    let json = try await Self.run("info STORE --hashes --private-copy copies --json", in: folder)
    let object = try JSONSerialization.jsonObject(with: Data(json.output)) as? Object
    let hashes = try #require(object?["hashes"] as? Object)
    #expect(hashes["unchanged"] as? Bool == true)
    let files = try #require(hashes["files"] as? [Object])
    #expect(
      files.map { ($0["before"] as? Object)?["sha256"] as? String }
        == lines.map { Optional(String($0.prefix(64))) })
    try await SchemaCheck.expectFits(json.text)
  }

  @Test
  func `files created by reading are reported`() async throws {
    let folder = try await Self.folder()
    let text = try await Self.run("info STORE --hashes", in: folder).text
    #expect(text.contains("no file"))
    #expect(text.contains("x.store-shm (before reading)"))
    #expect(text.contains("note: reading made or changed"))
    let page = try await Self.run("report STORE -o - --hashes --private-copy copies", in: folder)
    #expect(page.text.contains("SHA-256 of x.store-wal"))
    #expect(!(try await Self.run("report STORE -o -", in: folder)).text.contains("SHA-256 of x"))
  }

  @Test(arguments: ["info STORE --hashes --model", "info arch --hashes"])
  func `mistakes end with 64`(_ line: String) async throws {
    let folder = try await Self.folder()
    #expect(try await Self.run("archive STORE arch --quiet", in: folder).status == 0)
    #expect(try await Self.run(line, in: folder).status == 64)
  }
}
