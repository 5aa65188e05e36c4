#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Whatever fails or ends what moves a bookmark, no bookmark is lost, and no transaction that is
/// exported with one is lost or doubled.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct BookmarkFaultTests {
  private static let bookmarks = SampleFolder.name + "-bookmarks.json"

  /// A file of bookmarks, by hand.
  static func file(_ numbers: [String: Int]) -> [UInt8] {
    let entries = numbers.sorted { $0.key < $1.key }.map { name, number in
      """
      {"name":"\(name)","timestampRaw":\(743_906_500 + number * 60),
      "token":{"storeTokens":{"\(SampleFolder.identifier)":\(number)}}}
      """
    }
    return Array(#"{"schema":1,"bookmarks":[\#(entries.joined(separator: ","))]}"#.utf8)
  }

  /// Where the bookmarks stand; none where there is no file, or nothing in it yet.
  static func positions(_ place: FaultLoop.Folder) throws -> [String: Int] {
    struct Content: Decodable {
      struct Entry: Decodable {
        struct Token: Decodable { let storeTokens: [String: Int] }
        let name: String
        let token: Token
      }
      let bookmarks: [Entry]
    }
    guard let bytes = try place.files()[bookmarks], !bytes.isEmpty else { return [:] }
    let content = try JSONDecoder().decode(Content.self, from: Data(bytes))
    return Dictionary(
      uniqueKeysWithValues: content.bookmarks.map {
        ($0.name, $0.token.storeTokens[SampleFolder.identifier] ?? -1)
      })
  }

  /// The numbers of the transactions in the exported files, lines or databases.
  static func exported(_ place: FaultLoop.Folder) throws -> [Int] {
    struct Line: Decodable { let transaction: Int }
    var numbers: [Int] = []
    for (name, bytes) in try place.files().sorted(by: { $0.key < $1.key })
    where name.hasPrefix("logs/") && !name.contains("partial") {
      if name.hasSuffix(".sqlite") {
        let tables = try StoreQuery(path: place.folder.file(name))
        numbers += try tables.lines("SELECT id FROM transactions ORDER BY id")
          .compactMap { Int($0) }
      } else if name.hasSuffix(".jsonl") {
        for line in bytes.split(separator: 0x0A) {
          numbers.append(try JSONDecoder().decode(Line.self, from: Data(line)).transaction)
        }
      }
    }
    return numbers
  }

  private static func changedStore(
    _ place: FaultLoop.Folder, _ original: [UInt8]?
  ) throws -> [String] {
    try place.files()[SampleFolder.name] == original ? [] : ["the store has changed"]
  }

  @Test(arguments: [[:], ["widget": 3], ["widget": 3, "nightly": 5]] as [[String: Int]])
  func `bookmark set survives any failing or killing system call`(
    _ present: [String: Int]
  ) async throws {
    let sample = try SampleFolder()
    let store = try FileBytes.read(sample.store)
    var files = [SampleFolder.name: store]
    if !present.isEmpty { files[Self.bookmarks] = Self.file(present) }
    let wanted = present.merging(["widget": 9]) { $1 }
    let statuses = try await FaultLoop(
      files: files, arguments: ["bookmark", "set", SampleFolder.name, "widget", "9", "--quiet"],
      problemsAfterFault: { place, status in
        let found = try Self.positions(place)
        return (found == wanted || (found == present && status != 0) ? [] : ["\(found)"])
          + (try Self.changedStore(place, store))
      },
      problemsInTheEnd: { place in
        try Self.positions(place) == wanted ? [] : ["\(try Self.positions(place))"]
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }

  /// The forms of exported files that ``exported(_:)`` reads.
  static let forms = [
    "--compress none", "--format sqlite", "--compress none --partition store,month",
    "--format sqlite --partition store,month",
  ]

  @Test(arguments: [0, 5], forms)
  func `export with a bookmark survives any failing or killing system call`(
    _ begun: Int, _ form: String
  ) async throws {
    let sample = try SampleFolder()
    // Four transactions in each month.
    try await sample.sqlite(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + (Z_PK - 1) / 4 * 31 * 86400")
    let options = "--output-dir logs --bookmark nightly --quiet " + form
    if begun > 0 {
      let first = try await sample.run("export sample.store \(options) --until \(begun)")
      #expect(first.status == 0, "\(first.errors)")
    }
    try await sample.sqlite("PRAGMA wal_checkpoint(TRUNCATE)")
    let store = try FileBytes.read(sample.store)
    let files = try FaultLoop.Folder(folder: sample.folder).files().filter {
      $0.key == SampleFolder.name || $0.key == Self.bookmarks || $0.key.hasPrefix("logs/")
    }
    let all = Array(1...SampleStore.transactionCount)
    let statuses = try await FaultLoop(
      files: files,
      arguments: ["export", SampleFolder.name] + options.split(separator: " ").map(String.init),
      problemsAfterFault: { place, status in
        let exported = try Self.exported(place)
        let position = try Self.positions(place)["nightly"] ?? 0
        var problems = try Self.changedStore(place, store)
        if exported != Array(all.prefix(exported.count)) || exported.count < begun {
          problems.append("exported: \(exported)")
        }
        // The file first, then the bookmark.
        if position < begun || position > exported.count {
          problems.append("bookmark at \(position), exported \(exported)")
        }
        if status == 0, position != all.count { problems.append("said to be done") }
        return problems
      },
      problemsInTheEnd: { place in
        let exported = try Self.exported(place)
        let position = try Self.positions(place)["nightly"]
        return (exported == all ? [] : ["exported: \(exported)"])
          + (position == all.count ? [] : ["bookmark at \(position.map(String.init) ?? "none")"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }

  private static let prune = ["prune", SampleFolder.name, "--keep-last", "4", "--yes", "--quiet"]
  private static let mark = ["bookmark", "set", SampleFolder.name, "late", "5"]

  /// Where `bookmark set` is when the prune comes.
  enum Step: String, CaseIterable {
    /// It has seen that the token works, and changes nothing yet.
    case begun
    /// It gives the new file its name.
    case placing
  }

  /// A prune and a bookmark that is set at the same time: either the bookmark is respected, or whoever
  /// sets it is told that the history is gone.
  @Test(arguments: Step.allCases, [false, true])
  func `a concurrent prune respects a bookmark, or setting it fails`(
    _ step: Step, _ hasFile: Bool
  ) async throws {
    let sample = try SampleFolder()
    var files = [SampleFolder.name: try FileBytes.read(sample.store)]
    if hasFile { files[Self.bookmarks] = Self.file(["other": 11]) }
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let trial = try FaultLoop.Folder(files)
    let calls = try await injector.calls(
      of: .histctl, Self.mark, files: trial.folder.file(Self.bookmarks), folder: trial.folder.path
    ).calls
    let number: Int
    switch step {
    case .begun: number = 1
    case .placing:
      // A new file gets a free name by a link.
      let names = ["rename", "link"]
      number =
        1
        + (try #require(
          calls.lastIndex { call in names.contains { call.name.hasPrefix($0) } }))
    }

    let place = try FaultLoop.Folder(files)
    let (path, gate) = (place.folder.path, tools.file("gate"))
    let setting = Task {
      try await injector.hold(
        .histctl, Self.mark, files: place.folder.file(Self.bookmarks), at: number, gate: gate,
        folder: path)
    }
    for _ in 0..<6000 where !FileManager.default.fileExists(atPath: gate) {
      try await Task.sleep(nanoseconds: 10_000_000)
    }
    try #require(FileManager.default.fileExists(atPath: gate))
    let pruned = try await Tool.histctl.run(Self.prune + ["--busy-timeout", "0.2"], folder: path)
    try FileManager.default.removeItem(atPath: gate)
    let set = try await setting.value
    let works = try await Tool.histctl.run(
      ["token", "check", SampleFolder.name, "5"], folder: path)
    if pruned.status == 0 {
      #expect(set.status == 4, "\(set.errors)")
      #expect(try Self.positions(place)["late"] == nil)
      #expect(works.status != 0)
    } else {
      #expect(pruned.status == 7, "\(pruned.errors)")
      #expect(set.status == 0, "\(set.errors)")
      #expect(try Self.positions(place)["late"] == 5)
      #expect(works.status == 0)
      // The next prune knows of it.
      #expect(try await Tool.histctl.run(Self.prune, folder: path).status == 0)
      let still = try await Tool.histctl.run(
        ["token", "check", SampleFolder.name, "5"], folder: path)
      #expect(still.status == 0)
    }
    // A file that is there is not locked before it is to be changed.
    if step == .placing { #expect(pruned.status == 7) }
    #expect(try Self.positions(place)["other"] == (hasFile ? 11 : nil))
  }
}
#endif
