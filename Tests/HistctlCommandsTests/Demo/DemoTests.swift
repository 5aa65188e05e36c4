import Foundation
import StoreFormat
import TestSupport
import Testing

/// `histctl demo`: a sample store, and commands that work on it.
@Suite(.bounded) struct DemoTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    try await InProcess.run(
      ["demo"] + arguments, environment: environment, folder: folder.path)
  }

  private func shell(_ script: String, _ arguments: [String] = []) async throws -> Tool.Result {
    try await Tool(path: "/bin/sh").run(
      ["-c", script, "sh", Tool.histctl.path] + arguments, folder: folder.path)
  }

  private struct Facts: Decodable {
    struct Position: Decodable {
      let transaction: Int
      let timestamp: String
    }
    struct Command: Decodable {
      let command: String
      let reason: String
      let status: Int
    }

    let type: String
    let path: String
    let store: String
    let transactions: Int
    let changes: Int
    let oldest: Position
    let newest: Position
    let validToken: String
    let expiredToken: String
    let commands: [Command]
  }

  private func facts(_ arguments: [String]) async throws -> Facts {
    let result = try await run(["--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors == "")
    #expect(result.lines.count == 1)
    return try JSONDecoder().decode(Facts.self, from: Data(result.output))
  }

  // MARK: - What it says

  @Test(.enabled(if: Tool("sqlite3") != nil)) func `the reported facts agree with the store`()
    async throws
  {
    let facts = try await facts(["some/new folder"])
    #expect(facts.type == "demo")
    #expect(facts.path == "some/new folder/trips.store")
    let store = folder.file(facts.path)
    let answer = try await #require(Tool("sqlite3")).run([
      store,
      """
      PRAGMA integrity_check; SELECT Z_UUID FROM Z_METADATA;
      SELECT count(*), min(Z_PK), max(Z_PK) FROM ATRANSACTION; SELECT count(*) FROM ACHANGE;
      SELECT strftime('%Y-%m-%dT%H:%M:%S', min(ZTIMESTAMP) + 978307200, 'unixepoch'),
        strftime('%Y-%m-%dT%H:%M:%S', max(ZTIMESTAMP) + 978307200, 'unixepoch')
        FROM ATRANSACTION;
      SELECT count(*) FROM ATRANSACTION WHERE Z_PK = \(facts.validToken);
      SELECT count(*) FROM ATRANSACTION WHERE Z_PK = \(facts.expiredToken);
      """,
    ])
    #expect(
      answer.lines == [
        "ok", facts.store,
        "\(facts.transactions)|\(facts.oldest.transaction)|\(facts.newest.transaction)",
        "\(facts.changes)",
        "\(facts.oldest.timestamp.prefix(19))|\(facts.newest.timestamp.prefix(19))", "1", "0",
      ])
    #expect(Int(facts.expiredToken) ?? 0 > 0)
  }

  /// Yesterday on the local clock, wherever that is, summer time or not.
  @Test(arguments: ["UTC", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Kiritimati"])
  func `the history ends yesterday`(_ zone: String) async throws {
    let result = try await run(["demo", "--json"], environment: ["TZ": zone])
    let facts = try JSONDecoder().decode(Facts.self, from: Data(result.output))
    let newest = try await InProcess.run(
      ["log", facts.path, "--after", "yesterday", "--until", "today", "-n", "1", "--json"],
      environment: ["TZ": zone], folder: folder.path)
    #expect(newest.text.contains("\"transaction\":\(facts.newest.transaction),"))
    let later = try await InProcess.run(
      ["log", facts.path, "--after", "today", "--json"], environment: ["TZ": zone],
      folder: folder.path)
    #expect(later.text == "")
    #expect(later.status == 0)
  }

  @Test func `text and JSON report the same`() async throws {
    let facts = try await facts(["demo", "--ending", "2026-11-20"])
    let person = try await run(["demo", "--ending", "2026-11-20", "--overwrite"])
    #expect(person.status == 0)
    #expect(person.errors == "")
    #expect(
      person.lines.filter { $0.hasPrefix("  ") }.map { String($0.dropFirst(2)) }
        == facts.commands.map(\.command))
    let text = person.text
    for command in facts.commands { #expect(text.contains("\n\(command.reason)\n")) }
    #expect(text.hasPrefix("store       demo/trips.store\n"))
    #expect(
      text.contains("\nhistory     \(facts.transactions) transactions, \(facts.changes) changes\n"))
    #expect(text.contains("\noldest      \(facts.oldest.transaction)  2026-10-10 "))
    #expect(text.contains("\nnewest      \(facts.newest.transaction)  2026-11-20 "))
    #expect(text.contains("\nexpired     \(facts.expiredToken), "))
  }

  @Test func `the day chooses the store`() async throws {
    let first = try await facts(["one", "--ending", "2026-11-20"])
    let second = try await facts(["two", "--ending", "2026-11-20 15:00"])
    let third = try await facts(["three", "--ending", "2024-02-29"])
    #expect(first.store == second.store)
    #expect(first.store != third.store)
    #expect(third.newest.timestamp.hasPrefix("2024-02-29T"))
    let isSame =
      try FileBytes.read(folder.file("one/trips.store"))
      == FileBytes.read(folder.file("two/trips.store"))
    #expect(isSame)
  }

  @Test(.enabled(if: Tool.hasTerminals), arguments: [20, 200])
  func `commands are not truncated on a terminal`(_ columns: Int) async throws {
    let plain = try await run([folder.file("demo"), "--ending", "2026-11-20"])
    let terminal = try await Tool.histctl.runOnTerminal(
      ["demo", folder.file("demo"), "--ending", "2026-11-20", "--overwrite"], columns: columns,
      environment: ["NO_COLOR": "1"])
    #expect(terminal.status == 0)
    #expect(
      terminal.lines.filter { $0.hasPrefix("  ") } == plain.lines.filter { $0.hasPrefix("  ") })
    #expect(plain.lines.count > 20)
  }

  // MARK: - Its commands

  /// Each is pasted into a shell and ends as it is said to; whatever the folder is called.
  @Test(arguments: [
    "demo", "with space", "it's", "-n", "$(touch made)", "~", "a\nb", "tab\t\u{202E}\u{1B}[2J%d",
    "Übung 語", "./x/", "a;b&c|d", "*",
  ]) func `every command can be pasted`(_ name: String) async throws {
    let facts = try await facts(["--", name])
    #expect(facts.commands.count >= 10)
    let statuses = Set(facts.commands.map(\.status))
    #expect(statuses == [0, 1, 4])
    for command in facts.commands {
      let result = try await Tool(path: "/bin/sh").run(
        ["-c", command.command], folder: folder.path)
      #expect(result.status == command.status, "\(command.command): \(result.errors)")
      // Something is shown, but where history is refused.
      #expect(result.text.isEmpty == (command.status == 4), "\(command.command)")
    }
    #expect(try !folder.names().contains("made"))
    #expect(try folder.names().count == 1)
    let text = try await run(["--overwrite", "--", name]).text
    for command in facts.commands { #expect(text.contains("  \(command.command)\n")) }
  }

  @Test func `tokens can be qualified`() async throws {
    let facts = try await facts(["demo", "--qualified"])
    #expect(facts.expiredToken.hasPrefix(facts.store + ":"))
    for command in facts.commands {
      let result = try await Tool(path: "/bin/sh").run(
        ["-c", command.command], folder: folder.path)
      #expect(result.status == command.status, "\(command.command): \(result.errors)")
    }
  }

  @Test func `the commands name the program as it was invoked`() async throws {
    let directory = URL(fileURLWithPath: Tool.histctl.path).deletingLastPathComponent().path
    let found = try await shell(#"PATH="$2:$PATH" histctl demo demo"#, [directory])
    #expect(found.text.contains("\n  histctl info demo/trips.store\n"))
    let link = try await shell(#"ln -s "$1" "my tool"; "./my tool" demo demo --overwrite"#)
    #expect(link.text.contains("\n  './my tool' info demo/trips.store\n"))
    let odd = try await Tool("bash")?.run(
      ["-c", #"exec -a "" "$1" demo demo --overwrite"#, "bash", Tool.histctl.path],
      folder: folder.path)
    if let odd { #expect(odd.text.contains("\n  histctl info demo/trips.store\n")) }
  }

  // MARK: - Replacing

  @Test func `an existing store stays`() async throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("demo"), withIntermediateDirectories: false)
    try FileBytes.write(Array("mine".utf8), to: folder.file("demo/trips.store"))
    let person = try await run(["demo"])
    #expect(person.status == 9)
    #expect(person.text == "")
    #expect(
      person.errors == """
        histctl: demo/trips.store already exists
        hint: choose another path; only a store is replaced

        """)
    let program = try await run(["demo", "--json"])
    #expect(program.status == 9)
    #expect(
      program.errors.hasPrefix(
        #"{"schema":1,"type":"error","kind":"alreadyThere","code":9,"message":"#))
    #expect(try FileBytes.read(folder.file("demo/trips.store")) == Array("mine".utf8))
    let refused = try await run(["demo", "--overwrite"])
    #expect(refused.status == 9 && refused.errors.contains("only a store is replaced"))
    #expect(try FileBytes.read(folder.file("demo/trips.store")) == Array("mine".utf8))
    try FileBytes.write([], to: folder.file("demo/trips.store"))
    let replaced = try await run(["demo", "--overwrite"])
    #expect(replaced.status == 0)
    #expect(try FileBytes.read(folder.file("demo/trips.store")).count > 100_000)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("demo")) == ["trips.store"])
  }

  @Test func `an open store stays`() async throws {
    _ = try await facts(["demo"])
    let query = try StoreQuery(path: folder.file("demo/trips.store"))
    let count = try query.lines("SELECT count(*) FROM ATRANSACTION")
    let result = try await run(["demo", "--overwrite", "--ending", "2020-01-01"])
    #expect(result.status == 7)
    #expect(result.errors.contains("demo/trips.store is locked by another program"))
    #expect(result.errors.contains("\nhint: close the program that has the store open"))
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == count)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("demo"))
        .allSatisfy { !$0.contains("partial") })
  }

  // MARK: - Bad surroundings

  @Test(arguments: [
    ("file", "cannot make the folder file: a file of that name exists"),
    ("file/below", "cannot make the folder file: a file of that name"),
    ("file/below/deeper/", "cannot make the folder file: a file of that name"),
    (String(repeating: "x", count: 300), "File name too long"),
    ("/dev/null", "cannot make the folder /dev/null: a file of that name"),
    ("/proc/histctl", "cannot make the folder /proc/histctl: "),
  ]) func `a folder that cannot be created is an error`(
    _ name: String, _ words: String
  ) async throws {
    guard !name.hasPrefix("/proc") || FileManager.default.fileExists(atPath: "/proc") else {
      return
    }
    try FileBytes.write([1], to: folder.file("file"))
    let result = try await run([name])
    #expect(result.status == 9)
    #expect(result.text == "")
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.contains("\nhint: "))
    #expect(try folder.names() == ["file"])
  }

  @Test(.enabled(if: OtherUser.isAvailable)) func `an unwritable folder is an error`() async throws
  {
    try OtherUser.letRead(folder)
    for name in [folder.path, folder.file("new")] {
      let result = try await OtherUser.run(["demo", name])
      #expect(result.status == 9)
      #expect(result.errors.contains("Permission denied"), "\(result.errors)")
      #expect(!result.errors.contains("partial"))
      #expect(result.errors.contains("\nhint: "))
    }
    #expect(try folder.names() == [])
  }

  /// As on a disk that is full; the limit is in blocks of 512 or 1024 bytes.
  @Test(arguments: [0, 1, 8, 20, 60]) func `a full disk leaves no store or the former one`(
    _ blocks: Int
  ) async throws {
    for former in [false, true] {
      if former { _ = try await facts(["demo", "--ending", "2026-11-20"]) }
      let before = former ? try FileBytes.read(folder.file("demo/trips.store")) : []
      let result = try await shell("ulimit -f \(blocks); \"$1\" demo demo --overwrite")
      #expect(result.status == 9, "\(result.errors)")
      #expect(result.text == "")
      #expect(result.errors.hasPrefix("histctl: cannot write demo/trips.store: "))
      #expect(
        result.errors.contains("\nhint: check the permissions of the folder and the free space"))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.file("demo"))
          == (former ? ["trips.store"] : []))
      if former { #expect(try FileBytes.read(folder.file("demo/trips.store")) == before) }
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a full output is reported`() async throws {
    let full = try await shell("\"$1\" demo demo > /dev/full")
    #expect(full.status == 9)
    #expect(full.errors.contains("cannot write to standard output"))
    let closed = try await shell(
      "{ \"$1\" demo demo --overwrite; echo \"status $?\" >&2; } | true")
    #expect(closed.errors == "status 0\n")
    // The store is there all the same.
    #expect(
      try await InProcess.run(["info", "demo/trips.store"], folder: folder.path).status == 0)
  }

  @Test(arguments: [("077", 0o600), ("027", 0o640), ("022", 0o644)])
  func `permissions follow the umask`(_ mask: String, _ mode: Int) async throws {
    let result = try await shell("umask \(mask); \"$1\" demo new/demo")
    #expect(result.status == 0)
    func permissions(_ name: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
    #expect(try permissions("new/demo/trips.store") == mode)
    let folderMode = 0o777 & ~(Int(mask, radix: 8) ?? 0)
    #expect(try permissions("new") == folderMode)
    #expect(try permissions("new/demo") == folderMode)
  }

  /// Wherever it is stopped, there is no half store: none, the former one or the new one.
  @Test(arguments: [("TERM", false), ("TERM", true), ("KILL", false), ("KILL", true)])
  func `an interrupted run leaves no half store`(_ signal: String, _ overwrites: Bool) async throws
  {
    for step in Campaign.sample(4, of: Array(0..<12)) {
      let name = "demo\(step)"
      if overwrites { _ = try await facts([name, "--ending", "2026-11-20"]) }
      let result = try await shell(
        """
        "$1" demo \(name) --overwrite --ending 2026-11-19 > out & child=$!
        sleep 0.\(step < 10 ? "0\(step)" : "\(step)"); kill -\(signal) $child; wait $child
        """)
      #expect([0, signal == "TERM" ? 143 : 137].contains(result.status))
      let path = folder.file("\(name)/trips.store")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.file(name))) ?? []
      // A killed program leaves the empty log of the former store.
      let left = ["trips.store-wal", "trips.store-journal"].filter(names.contains)
      #expect(try left.allSatisfy { try FileBytes.read(folder.file("\(name)/\($0)")).isEmpty })
      if signal == "TERM" { #expect(names.allSatisfy { $0 == "trips.store" }, "\(names)") }
      if overwrites { #expect(names.contains("trips.store")) }
      if names.contains("trips.store") {
        let query = try StoreQuery(path: path)
        #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
        #expect(try query.lines("SELECT count(*) > 200 FROM ATRANSACTION") == ["1"])
      }
    }
  }

  @Test(arguments: [
    ("soon", "'soon' is not a day"), ("", "'' is not a day"), ("7", "'7' is not a day"),
    ("2026-02-30", "2026-02-30"), ("0001-01-02", "leaves the years 1 to 9999"),
    ("9999-12-31", "leaves the years 1 to 9999"), ("a\nb", "has the unknown unit 'b'"),
  ]) func `a malformed day is refused`(_ day: String, _ words: String) async throws {
    let result = try await run(["demo", "--ending", day])
    #expect(result.status == 64)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 2)
    #expect(result.errors.contains("\nhint: "))
    #expect(try folder.names() == [])
    let program = try await run(["demo", "--ending", day, "--json"])
    #expect(program.status == 64)
    #expect(program.errors.split(separator: "\n").count == 1)
  }

  @Test func `an empty folder name is refused`() async throws {
    let result = try await run([""])
    #expect(result.status == 64)
    #expect(result.errors.contains("no folder is named"))
    #expect(try folder.names() == [])
  }

  // MARK: - make demo

  @Test(.enabled(if: Tool("bash") != nil)) func `the demonstration can be run again`()
    async throws
  {
    let bash = try #require(Tool("bash"))
    for _ in 0..<2 {
      let result = try await bash.run(
        [Manual.path(".ci/demo"), Tool.histctl.path, "a folder"], folder: folder.path)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors == "")
      let commands = result.lines.filter { $0.hasPrefix("$ histctl ") }.map { line in
        line.dropFirst("$ histctl ".count).prefix { $0 != " " }
      }
      #expect(commands == ["demo", "info", "log", "show", "token", "log", "report"])
      for words in [
        "\nidentifier  ", "  - Trip/p", "name: \"Company offsite\"", "has expired in a folder/",
        "{\"schema\":1,\"type\":\"transaction\"", "Now try it yourself:",
      ] { #expect(result.text.contains(words), "\(words)") }
      #expect(result.lines.count < 100)
    }
  }
}
