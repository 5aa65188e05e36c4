import Foundation
import StoreFormat
import TestSupport
import Testing

/// What the system refuses, and what others do with the store meanwhile.
@Suite(.bounded) struct ProcessEnvironmentTests {
  private static let shell = Tool(path: "/bin/sh")

  private func shell(_ script: String, in sample: SampleFolder) async throws -> Tool.Result {
    try await Self.shell.run(
      ["-c", script, "sh", Tool.histctl.path], folder: sample.folder.path)
  }

  // MARK: - Descriptors

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: [
      "log sample.store", "log sample.store --changes", "log sample.store --json",
      "info sample.store", "info sample.store --json", "show sample.store last",
      "token check sample.store 1", "token show sample.store 1",
      "token show sample.store 1 --as plist", "--help", "log -h", "--version",
    ]) func `output to a full disk ends with 9`(_ line: String) async throws
  {
    let result = try await shell("\"$1\" \(line) > /dev/full", in: SampleFolder())
    #expect(result.status == 9)
    #expect(result.errors.contains("cannot write to standard output"))
    if line.contains("--json") {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
      #expect(object["kind"] as? String == "outputFailed")
      #expect(object["code"] as? Int == 9)
    } else {
      #expect(result.errors.contains("\nhint: "))
    }
  }

  /// A new root folder often has no /proc, from which Swift reads the words of a command line.
  private static let hidesProc = "mount -t tmpfs none /proc"

  @Test(
    .enabled("a namespace of our own") {
      guard let unshare = Tool("unshare") else { return false }
      return try await unshare.run(["-rm", "sh", "-c", hidesProc]).status == 0
    }) func `a system without its proc folder ends with 9`() async throws
  {
    let sample = try SampleFolder()
    let result = try await #require(Tool("unshare")).run(
      ["-rm", "sh", "-c", Self.hidesProc + " && exec \"$1\" log \"$2\"", "sh"]
        + [Tool.histctl.path, sample.store])
    #expect(result.status == 9 && result.output.isEmpty)
    #expect(result.errors.contains("cannot read the command line: /proc is missing\nhint: "))
  }

  /// The reader has gone before the first byte, and it leaves in the middle of a long answer.
  @Test(arguments: ["", "--json", "--changes"]) func `a reader that leaves early is not an error`(
    _ options: String
  ) async throws {
    let sample = try SampleFolder()
    let writer = try StoreWriter(path: sample.folder.file("long.store"))
    try writer.sql(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, 7e8 FROM n
      """)
    try writer.close()
    let script = """
      { "$1" log long.store \(options); echo "status $?" >&2; } | head -n 1
      """
    let result = try await shell(script, in: sample)
    #expect(result.errors == "status 0\n")
    #expect(result.lines.count == 1)
    #expect(result.text.contains(options == "" ? "TOKEN" : "20000"))
  }

  @Test(arguments: ["log sample.store", "show sample.store last", "token check sample.store 1"])
  func `closed standard descriptors are replaced`(_ line: String) async throws {
    let sample = try SampleFolder()
    let usual = try await sample.run(line)
    let noInput = try await shell("\"$1\" \(line) <&-", in: sample)
    #expect(noInput.output == usual.output && noInput.status == 0)
    let noErrors = try await shell("\"$1\" \(line) 2>&-", in: sample)
    #expect(noErrors.output == usual.output && noErrors.status == 0)
    let before = try FileBytes.read(sample.store)
    // Without a standard output nothing may be written into the store, whose number it could take.
    let noOutput = try await shell("\"$1\" \(line) >&-", in: sample)
    #expect([0, 9].contains(noOutput.status))
    let nothing = try await shell("\"$1\" \(line) <&- >&- 2>&-", in: sample)
    #expect([0, 9].contains(nothing.status))
    #expect(try FileBytes.read(sample.store) == before)
  }

  // MARK: - Rights

  @Test(.enabled(if: OtherUser.isAvailable)) func `an unreadable store ends with 9`() async throws {
    let sample = try SampleFolder()
    try OtherUser.letRead(sample.folder)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: sample.store)
    let person = try await OtherUser.run(["log", sample.store])
    #expect(person.status == 9)
    #expect(person.text == "")
    #expect(person.errors.contains("cannot read \(sample.store): "))
    #expect(person.errors.contains("\nhint: check the permissions"))
    let program = try await OtherUser.run(["log", sample.store, "--json"])
    #expect(program.status == 9)
    #expect(program.errors.contains(#""kind":"unreadable","code":9,"#))
  }

  @Test(.enabled(if: OtherUser.isAvailable)) func `a folder without permission ends with 9`()
    async throws
  {
    let sample = try SampleFolder()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: sample.folder.path)
    let result = try await OtherUser.run(["info", sample.store])
    #expect(result.status == 9)
    #expect(result.errors.contains("cannot read \(sample.store): "))
    #expect(result.errors.contains("\nhint: check the permissions"))
  }

  @Test(.enabled(if: OtherUser.isAvailable)) func `an unreadable log ends with 9`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    try OtherUser.letRead(folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store + "-wal")
    let result = try await OtherUser.run(["log", store])
    // Half of the history would be a lie.
    #expect(result.status == 9)
    #expect(result.text == "")
    #expect(result.errors.contains("cannot read \(store): "))
  }

  // MARK: - Locks

  /// Holds a lock while histctl runs: in a log nobody keeps readers out, in a journal one can.
  private func whileLocked(
    _ statement: String, _ arguments: [String], writeAheadLog: Bool
  ) async throws -> Tool.Result {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = writeAheadLog
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    let script = """
      import sqlite3, subprocess, sys
      db = sqlite3.connect(sys.argv[2], isolation_level=None)
      for statement in sys.argv[1].split(";"):
          db.execute(statement)
      sys.exit(subprocess.run([sys.argv[3], sys.argv[4], sys.argv[2]] + sys.argv[5:]).returncode)
      """
    let python = try #require(Tool("python3"))
    return try await python.run(
      ["-c", script, statement, store, Tool.histctl.path] + arguments)
  }

  @Test(
    .enabled(if: Tool("python3") != nil),
    arguments: [
      ("begin exclusive", false),
      (
        "pragma locking_mode = exclusive; begin exclusive; update Z_METADATA set Z_VERSION = 1",
        true
      ),
    ]) func `a locked store is busy`(_ statement: String, _ writeAheadLog: Bool) async throws
  {
    for line in [["log"], ["info"]] {
      let person = try await whileLocked(
        statement, line + ["--busy-timeout", "0"], writeAheadLog: writeAheadLog)
      #expect(person.status == 7, "\(person.errors)")
      #expect(person.text == "")
      #expect(person.errors.contains("x.store is locked by another program"))
      #expect(person.errors.contains("\nhint: "))
      #expect(person.errors.contains("--busy-timeout"))
    }
    let program = try await whileLocked(
      statement, ["log", "--json", "--busy-timeout=0"], writeAheadLog: writeAheadLog)
    #expect(program.status == 7)
    #expect(program.errors.contains(#""kind":"busy","code":7,"#))
  }

  @Test(
    .enabled(if: Tool("python3") != nil),
    arguments: [
      ("begin immediate; delete from ACHANGE", true),
      ("begin exclusive; delete from ACHANGE", true),
      ("begin immediate", false), ("begin; select * from ACHANGE", false),
    ]) func `an unfinished save does not block readers`(
      _ statement: String, _ writeAheadLog: Bool
    ) async throws
  {
    let result = try await whileLocked(
      statement, ["log", "--busy-timeout", "0"], writeAheadLog: writeAheadLog)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.rows == LogTests.rows.reversed())
  }

  // MARK: - Paths

  @Test(arguments: [
    "with blanks.store", "ünïcode 東京.store", "percent%41?x=1&mode=rw#f.store",
    "-dash.store", "file:x.store", "quote'\"$HOME.store",
  ])
  func `stores with unusual names are read`(_ name: String) async throws {
    let sample = try SampleFolder()
    try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file(name))
    let result = try await sample.run(["log", "-n", "1", "--", name])
    #expect(result.textOfRows == LogTests.rows[11] + "\n", "\(result.errors)")
    if OtherUser.isAvailable {
      try OtherUser.letRead(sample.folder)
      let other = try await OtherUser.run(["log", "-n", "1", sample.folder.file(name)])
      #expect(other.textOfRows == LogTests.rows[11] + "\n", "\(other.errors)")
    }
  }

  /// The log stands beside the file that the link leads to.
  @Test func `a link leads to the store and its log`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    let elsewhere = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: elsewhere.file("link"), withDestinationPath: store)
    let result = try await Tool.histctl.run(["log", elsewhere.file("link")])
    #expect(result.rows == LogTests.rows.reversed())
    #expect(try elsewhere.names() == ["link"])
    let circle = folder.file("circle")
    try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: circle)
    let round = try await Tool.histctl.run(["log", circle])
    #expect(round.status == 9)
    #expect(round.errors.contains(circle))
  }

  @Test func `a journal that must be rolled back is left unchanged`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    // A save that died: its journal is copied while it is under way, as a crash leaves it.
    let script = """
      import os, shutil, sqlite3, sys
      store = sys.argv[1]
      db = sqlite3.connect(store, isolation_level=None)
      db.execute("pragma cache_size = 1")
      db.execute("pragma cache_spill = 1")
      db.execute("begin exclusive")
      db.execute("create table filler (x)")
      for _ in range(200):
          db.execute("insert into filler values (randomblob(3000))")
      db.execute("update ATRANSACTION set ZTIMESTAMP = 0")
      shutil.copyfile(store, store + ".copy")
      shutil.copyfile(store + "-journal", store + ".copy-journal")
      db.execute("rollback")
      """
    let python = try #require(Tool("python3"))
    let prepared = try await python.run(["-c", script, store])
    try #require(prepared.status == 0, "\(prepared.errors)")
    let copy = store + ".copy"
    let before = try [FileBytes.read(copy), FileBytes.read(copy + "-journal")]
    try #require(before[1].max() ?? 0 > 0)
    let result = try await Tool.histctl.run(["log", copy])
    #expect(result.status == 9, "\(result.errors)\(result.text)")
    #expect(result.text == "")
    #expect(result.errors.contains("in the middle of a save"))
    #expect(try [FileBytes.read(copy), FileBytes.read(copy + "-journal")] == before)
  }
}
