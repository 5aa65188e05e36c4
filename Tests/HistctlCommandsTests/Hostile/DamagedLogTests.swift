import Foundation
import TestSupport
import Testing

/// Saves that SQLite passes over, because the log is damaged before them, are told of by whatever
/// reads the store.
@Suite(.bounded) struct DamagedLogTests {
  /// Writes a store with a log, and flips a bit in the midst of that.
  private static func store(in folder: TemporaryFolder) throws -> String {
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    var log = try FileBytes.read(store + "-wal")
    let frame = 24 + 4096
    log[32 + (log.count - 32) / frame * 3 / 4 * frame + 100] ^= 1
    try FileBytes.write(log, to: store + "-wal")
    return store
  }

  @Test(arguments: [
    "log STORE", "log STORE --json", "log STORE -n 1", "show STORE 1", "diff STORE 0 2",
    "diff STORE 0 2 --exit-code", "diff OTHER --with STORE", "diff STORE --with OTHER",
    "object STORE Trip/p1", "stats STORE", "report STORE -o -", "export STORE",
    "token check STORE 1 30",
    "archive STORE ARCHIVE --dry-run --ignore-guard damage",
    "rehearse STORE 1 -o COPY", "bookmark set STORE here 1",
    "export STORE --output-dir FOLDER", "record STORE --once",
  ])
  func `every command reports a damaged log`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let other = try SampleStore.write(to: folder.file("other.store"))
    let places = [
      "STORE": store, "OTHER": other, "ARCHIVE": folder.file("archive"),
      "COPY": folder.file("copy.store"), "FOLDER": folder.file("exports"),
    ]
    let words = line.split(separator: " ").map { places[String($0)] ?? String($0) }
    let result = try await Tool.histctl.run(words)
    #expect(result.status == 5, "\(result.errors)")
    #expect(result.errors.contains("of its -wal cannot be used, so saves may be missing here"))
    #expect(result.errors.components(separatedBy: "saves may be missing").count == 2)
    if words.contains("--json") {
      #expect(result.errors.hasPrefix(#"{"schema":1,"type":"warning","kind":"damagedLog""#))
    }
  }

  @Test func `check reports a damaged log as a finding`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let page = try await Tool.histctl.run(["check", store])
    #expect(page.status == 5 && !page.text.contains(": ok"))
    #expect(page.text.contains("of its -wal cannot be used, so saves may be missing here"))
    let program = try await Tool.histctl.run(["check", store, "--json"])
    #expect(program.status == 5 && program.text.contains(#""ok":false"#))
    #expect(program.text.contains(#""findings":[{"finding":"damagedLog","#))
    try await SchemaCheck.expectFits(program.text)
    let other = try SampleStore.write(to: folder.file("other.store"))
    let metrics = try await Tool.histctl.run(["check", other, store, "--prometheus"])
    #expect(metrics.status == 5)
  }

  @Test func `info reports a damaged log as a notice`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let page = try await Tool.histctl.run(["info", store])
    #expect(page.status == 5 && page.text.contains("\nhistory "))
    #expect(page.text.contains("of its -wal cannot be used, so saves may be missing here"))
    let program = try await Tool.histctl.run(["info", store, "--json"])
    #expect(program.text.contains(#""notices":[{"kind":"damagedLog""#))
    #expect(program.errors == "")
  }

  @Test func `find lists a store with a damaged log and reports it`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(in: folder)
    let copies = folder.file("copies.tar")
    let tar = try #require(Tool("tar"))
    #expect(
      try await tar.run(["cf", copies, "-C", folder.path, "x.store", "x.store-wal"]).status == 0)
    let result = try await Tool.histctl.run(["find", folder.path, "--json"])
    #expect(result.status == 3)
    #expect(result.lines.count == 2)
    #expect(result.errors.components(separatedBy: "of its -wal: its checksum is wrong").count == 3)
    for path in [store, copies + "!/x.store"] {
      #expect(result.text.contains(#""path":"\#(path)""#))
      #expect(result.errors.contains("\(path) is damaged: frame "), "\(result.errors)")
    }
    try await SchemaCheck.expectFits(result.text)
    let unselected = try await Tool.histctl.run(["find", store, "--changed-after", "2090-01-01"])
    #expect(unselected.status == 0 && unselected.text == "" && unselected.errors == "")
  }

  @Test func `an intact log is not reported`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    for command in ["log", "info", "stats", "check", "find"] {
      let result = try await Tool.histctl.run([command, store])
      #expect(result.status == 0 && result.errors == "")
      // info has its size.
      #expect(result.text.contains("-wal") == (command == "info"))
    }
  }

  /// A store whose log ends in the middle of a save.
  private static func unfinished(
    in folder: TemporaryFolder, _ change: (inout [UInt8]) -> Void
  ) throws -> String {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    let store = folder.file("x.store")
    try FileBytes.write(FileBytes.read(trips.path), to: store)
    var log = try FileBytes.read(trips.path + "-wal")
    change(&log)
    try FileBytes.write(log, to: store + "-wal")
    return store
  }

  private static let frame = 24 + 4096

  @Test(arguments: ["cut", "uncommitted", "flipped", "zeroed"])
  func `a log that ends in the middle of a save is told, and is no error`(
    _ kind: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try Self.unfinished(in: folder) { log in
      let end = log.count
      switch kind {
      case "cut": log.removeLast(1000)
      case "uncommitted": log.removeLast(Self.frame)
      case "flipped": log[end - 100] ^= 1
      default:
        // A hole before the last frame, as of a disk that wrote them in another order.
        let hole = end - 2 * Self.frame..<end - Self.frame
        log.replaceSubrange(hole, with: repeatElement(0, count: hole.count))
      }
    }
    let words = [
      "cut": "the file ends in the middle of it",
      "uncommitted": "a save begins with it and has no end",
      "flipped": "its checksum is wrong, and no save ends after it",
      "zeroed": "it does not belong to this -wal, which goes on after it: 1 frame",
    ]
    let text = try #require(words[kind])
    let verify = try await Tool.histctl.run(["verify", store])
    #expect(verify.status == 1 && verify.text.contains("unfinishedLog, 1"), "\(verify.text)")
    #expect(verify.text.contains(text), "\(verify.text)")
    let info = try await Tool.histctl.run(["info", store])
    #expect(info.status == 0 && info.text.contains(text), "\(info.text)")
    #expect(
      info.text.contains("its -wal ends in the middle of a save, which is ignored"), "\(info.text)")
    let json = try await Tool.histctl.run(["info", store, "--json"])
    #expect(json.text.contains(#""notices":[{"kind":"unfinishedLog""#))
    let check = try await Tool.histctl.run(["check", store])
    #expect(check.status == 0 && check.text.contains("its -wal ends in the middle of a save"))
    let program = try await Tool.histctl.run(["check", store, "--json"])
    #expect(program.status == 0 && program.text.contains(#""ok":true"#))
    #expect(program.text.contains(#""notices":[{"kind":"unfinishedLog""#), "\(program.text)")
    try await SchemaCheck.expectFits(program.text)
    let log = try await Tool.histctl.run(["log", store])
    #expect(log.status == 0 && !log.errors.contains("-wal"), "\(log.errors)")
  }

  @Test func `a log that ends with a save has no such note`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.unfinished(in: folder) { _ in }
    let check = try await Tool.histctl.run(["check", store, "--json"])
    #expect(!check.text.contains("notices"), "\(check.text)")
    #expect(try await Tool.histctl.run(["verify", store]).status == 0)
  }
}
