#if os(Linux)
import Foundation
import TestSupport
import Testing

/// A run with a bookmark records its file before the file appears, so that the next run knows what to finish.
@Suite(.bounded, .needsOptimization, .enabled(if: FaultInjector.isPossible))
struct ExportRecordTests {
  /// The moment in which a run is killed.
  enum Moment: String, CaseIterable {
    /// The file is complete and has the name of a draft; it is not in the bookmark yet.
    case beforeRecord
    /// The bookmark has the file, which does not have its name yet.
    case beforeFile
    /// The file has its name, and the bookmark has not moved.
    case beforeMove
    /// The bookmark has moved, which has removed the record.
    case afterMove
  }

  static let formats = [
    "--format jsonl", "--format csv --compress gzip", "--format sqlite",
    "--format changes --with-current", "--format debezium --compress none",
  ]

  private static let bookmarks = "trips.store-bookmarks.json"

  /// A folder with a store of trips in which a run was killed.
  private struct Trial {
    let place: TemporaryFolder
    let line: String

    init(_ moment: Moment, _ options: String) async throws {
      line = "export trips.store --output-dir logs --bookmark n -q " + options
      place = try TemporaryFolder()
      let tools = try TemporaryFolder()
      defer { withExtendedLifetime(tools) {} }
      let injector = try await FaultInjector(folder: tools)
      let made = try await Tool.histctl.run(
        ["demo", place.path, "--ending", "2026-11-20", "-q"])
      #expect(made.status == 0, "\(made.errors)")
      try StoreQuery(path: place.file("trips.store")).run("PRAGMA wal_checkpoint(TRUNCATE)")
      // The calls of a run of the same store elsewhere, which are the same ones.
      let other = try TemporaryFolder()
      try FileBytes.write(
        try FileBytes.read(place.file("trips.store")), to: other.file("trips.store"))
      let calls = try await injector.calls(
        of: .histctl, words, files: other.path, folder: other.path
      ).calls
      let call = try #require(Self.call(moment, calls), "\(calls)")
      let killed = try await injector.run(
        .histctl, words, files: place.path, .init(.kill, at: call), folder: place.path)
      #expect(killed.status == 137, "\(killed.errors)")
    }

    private var words: [String] { line.split(separator: " ").map(String.init) }

    /// The number of the call before which the run is killed.
    private static func call(_ moment: Moment, _ calls: [FaultInjector.Call]) -> Int? {
      let names = calls.indices.filter {
        calls[$0].name.hasPrefix("rename") || calls[$0].name.hasPrefix("link")
      }
      let moves = names.filter { calls[$0].path.hasSuffix(ExportRecordTests.bookmarks) }
      let files = names.filter {
        calls[$0].path.contains("/logs/") && !calls[$0].path.hasSuffix(ExportRecordTests.bookmarks)
      }
      // The first one makes the bookmark, before all history.
      guard moves.count == 3, let file = files.last else { return nil }
      return switch moment {
      case .beforeRecord: moves[1] + 1
      case .beforeFile: file + 1
      case .beforeMove: moves[2] + 1
      case .afterMove: moves[2] + 2
      }
    }

    func run(_ line: String? = nil) async throws -> Tool.Result {
      try await Tool.histctl.run(
        (line ?? self.line).split(separator: " ").map(String.init), folder: place.path)
    }

    /// The record of the bookmark.
    func record(of name: String = "n") throws -> [String: Any]? {
      let bytes = try FileBytes.read(place.file(ExportRecordTests.bookmarks))
      let content = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      let entries = content?["bookmarks"] as? [[String: Any]]
      return entries?.first { $0["name"] as? String == name }?["pending"] as? [String: Any]
    }

    /// The names of the exported files.
    func files(in folder: String = "logs") throws -> [String] {
      let path = place.file(folder)
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return try FileManager.default.subpathsOfDirectory(atPath: path)
        .filter { $0.contains("/") && !$0.contains("partial") }.sorted()
        .map { String($0.split(separator: "/")[1]) }
    }

    func path(_ name: String) throws -> String {
      let store = try FileManager.default.contentsOfDirectory(atPath: place.file("logs"))[0]
      return place.file("logs/\(store)/\(name)")
    }

    /// The oldest and the newest transaction of the store.
    var range: ClosedRange<Int> {
      get throws {
        let numbers = try StoreQuery(path: place.file("trips.store"))
          .lines("SELECT min(Z_PK) || ' ' || max(Z_PK) FROM ATRANSACTION")
          .flatMap { $0.split(separator: " ").compactMap { Int($0) } }
        try #require(numbers.count == 2)
        return numbers[0]...numbers[1]
      }
    }

    /// Changes all trips and adds a transaction, as an app does meanwhile.
    func save() throws {
      let query = try StoreQuery(path: place.file("trips.store"))
      try query.run(
        """
        UPDATE ZTRIP SET ZNAME = 'now ' || ZNAME;
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)
          SELECT max(Z_PK) + 1, max(Z_ENT), max(ZTIMESTAMP) + 1 FROM ATRANSACTION;
        UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION)
          WHERE Z_ENT = (SELECT max(Z_ENT) FROM ATRANSACTION)
        """)
    }
  }

  private static func name(_ range: ClosedRange<Int>) -> String {
    [range.lowerBound, range.upperBound].map { String(String(1_000_000_000_000 + $0).dropFirst()) }
      .joined(separator: "-")
  }

  @Test(arguments: Moment.allCases, formats)
  func `a run killed at any step is finished by the next one`(
    _ moment: Moment, _ options: String
  ) async throws {
    let trial = try await Trial(moment, options)
    let range = try trial.range
    let (first, last) = (range.lowerBound, range.upperBound)
    let files = try trial.files()
    let record = try trial.record()
    let hasFile = moment == .beforeMove || moment == .afterMove
    #expect(files.map { $0.prefix(25) } == (hasFile ? ["\(Self.name(first...last))"] : []))
    #expect((record != nil) == (moment == .beforeFile || moment == .beforeMove))
    if let record {
      #expect(record["first"] as? Int == first && record["last"] as? Int == last)
      let path = try #require(record["file"] as? String)
      #expect(path.split(separator: "/").count == 2)
      // The file, or its draft.
      let folder = (trial.place.file("logs/" + path) as NSString).deletingLastPathComponent
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 1)
      let file = folder + "/" + names[0]
      let sum = try await #require(Tool("sha256sum")).run([file])
      #expect(sum.text.prefix(64) == record["sha256"] as? String ?? "")
      #expect(record["bytes"] as? Int == (try FileBytes.read(file)).count)
    }
    // History that may be in no file is kept.
    let pruned = try await trial.run("prune trips.store --keep-last 1 --yes -q")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try trial.range.lowerBound == (moment == .afterMove ? last : first))

    try trial.save()
    let again = try await trial.run()
    #expect(again.status == 0, "\(again.errors)")
    let names = try trial.files().map { String($0.prefix(25)) }
    #expect(
      names
        == (hasFile
          ? [Self.name(first...last), Self.name(last + 1...last + 1)]
          : [Self.name(first...last + 1)]))
    #expect(try trial.record() == nil)
    let check = try await trial.run("token check trips.store @n --json")
    #expect(check.text.contains("\"transaction\":\(last + 1)"))
    let drafts = try FileManager.default.subpathsOfDirectory(atPath: trial.place.path)
      .filter { $0.contains("partial") }
    #expect(drafts == [])
  }

  @Test func `a recorded file with other contents is refused until it is moved away`() async throws
  {
    let trial = try await Trial(.beforeMove, "--compress none")
    let name = try trial.files()[0]
    let path = try trial.path(name)
    let bytes = try FileBytes.read(path)
    let bookmarks = try FileBytes.read(trial.place.file(Self.bookmarks))
    for other in [Array(bytes.dropLast()), bytes.reversed(), []] {
      try FileBytes.write(other, to: path)
      let refused = try await trial.run()
      #expect(refused.status == 4, "\(refused.errors)")
      #expect(refused.errors.contains("has other contents than the interrupted export"))
      #expect(try FileBytes.read(path) == other)
      #expect(try FileBytes.read(trial.place.file(Self.bookmarks)) == bookmarks)
    }
    try FileBytes.remove(path)
    #expect(try await trial.run().status == 0)
    #expect(try FileBytes.read(path) == bytes)
    #expect(try trial.record() == nil)
  }

  @Test func `a recorded file of another copy of the store is refused`() async throws {
    let trial = try await Trial(.beforeMove, "")
    let store = try StoreQuery(path: trial.place.file("trips.store"))
    try store.run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = (SELECT max(Z_PK) FROM ATRANSACTION)"
    )
    let refused = try await trial.run()
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(refused.errors.contains("another copy of the store"))
    #expect(try trial.record() != nil)
  }

  @Test func `a run into another folder writes the transactions of the recorded file there`()
    async throws
  {
    let trial = try await Trial(.beforeMove, "")
    let range = try trial.range
    try trial.save()
    let other = try await trial.run("export trips.store --output-dir more --bookmark n -q")
    #expect(other.status == 0, "\(other.errors)")
    #expect(
      try trial.files(in: "more").map { $0.prefix(25) } == [
        "\(Self.name(range.lowerBound...range.upperBound + 1))"
      ])
  }

  @Test func `other bookmarks leave a record, and setting its own removes it`() async throws {
    let trial = try await Trial(.beforeMove, "")
    let record = try #require(try trial.record())
    for line in ["bookmark set trips.store m 60 -q", "bookmark remove trips.store m -q"] {
      #expect(try await trial.run(line).status == 0)
      #expect(try trial.record()?["sha256"] as? String == record["sha256"] as? String)
    }
    #expect(try await trial.run("bookmark set trips.store n 60 -q").status == 0)
    #expect(try trial.record() == nil)
  }

  @Test(arguments: [
    #""first":9,"last":3"#, #""first":"1","last":3"#, #""last":3"#,
  ])
  func `a malformed record makes bookmarks unreadable`(_ range: String) async throws {
    let folder = try SampleFolder()
    let record = #"{"bytes":1,"file":"/x","sha256":"00",\#(range)}"#
    let token = #"{"storeTokens":{"\#(SampleFolder.identifier)":0}}"#
    let text =
      #"{"schema":1,"bookmarks":[{"name":"n","token":\#(token),"pending":\#(record)}]}"#
    try FileBytes.write(Array(text.utf8), to: folder.store + "-bookmarks.json")
    let result = try await folder.run("export sample.store --output-dir logs --bookmark n")
    #expect(result.status == 9, "\(result.errors)")
    #expect(try FileBytes.read(folder.store + "-bookmarks.json") == Array(text.utf8))
  }
}
#endif
