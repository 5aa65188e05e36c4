import Foundation
import StoreFormat
import TestSupport
import Testing

/// Commands that read a store and its archive as one history.
@Suite(.bounded) struct ArchivedHistoryTests {
  /// Two folders with a `default.store` each: one as it was, and one that was sealed in `sealed` and
  /// pruned.
  private struct Copies {
    let whole: TemporaryFolder
    let pruned: TemporaryFolder

    /// - Parameters:
    ///   - path: The store; the sample unless given.
    ///   - sealed: What is sealed stands before these tokens, a run each.
    ///   - cut: The oldest transaction that stays.
    init(
      of path: String? = nil, sealedBefore sealed: [String], prunedBefore cut: String
    ) async throws {
      whole = try TemporaryFolder()
      pruned = try TemporaryFolder()
      for folder in [whole, pruned] {
        let target = folder.file("default.store")
        guard let path else {
          try SampleStore.write(to: target)
          continue
        }
        for suffix in ["", "-wal"] {
          guard let bytes = try? FileBytes.read(path + suffix) else { continue }
          try FileBytes.write(bytes, to: target + suffix)
        }
      }
      for token in sealed {
        let result = try await run("archive default.store sealed --before \(token)")
        try #require(result.status == 0, "\(result.errors)")
      }
      let result = try await run(
        "prune default.store --before \(cut) --yes --ignore-guard mirroring")
      try #require(result.status == 0, "\(result.errors)")
    }

    func run(_ line: String, inWhole: Bool = false) async throws -> Tool.Result {
      try await InProcess.run(
        line.split(separator: " ").map(String.init), folder: (inWhole ? whole : pruned).path)
    }

    /// Whether a command says with the archive what it says of the whole store.
    func expectSame(_ line: String) async throws {
      var words = line.split(separator: " ").map(String.init)
      words.insert("default.store", at: words[0] == "token" ? 2 : 1)
      let command = words.joined(separator: " ")
      let expected = try await run(command, inWhole: true)
      let found = try await run(command + " --archive sealed")
      #expect(found.text == expected.text, "\(line)")
      #expect(found.errors == expected.errors, "\(line)")
      #expect(found.status == expected.status, "\(line)")
    }

    /// The segments' files and manifests.
    func files() throws -> [String] {
      let folder = pruned.file("sealed/\(StoreWriter.identifier)")
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
        "\(folder)/\($0)"
      }
    }
  }

  private static let questions = [
    "log", "log --reverse --json", "log --json -n 9", "log --json -n 9 --reverse", "log --changes",
    "log --json --author widget", "log --json --not-author app --reverse", "log --json --no-author",
    "log --json --entity Trip --kind delete", "log --json --object Trip/p5 --only-matching",
    "log --json --attribute name", "log --json --attribute isConfirmed --kind update",
    "log --json --after 3 --until 10", "log --json --after 2024-07-29T00:45:00Z",
    "log --json --until 2024-07-29T00:47:00Z", "log --after first~2 --until last~2 --json",
    "log --entity Trap", "log --after 99", "log --json --object Trip/p5 --after last",
    "export", "export --after 2", "export --format csv", "export --format debezium",
    "export --format timesketch", "export --format bodyfile --after 2",
    "export --format changes --entity Trip", "export --only-matching --kind insert",
    "export --fields transaction,author,entity",
    "diff 0 --json", "diff 2 --json", "diff 3 10 --json", "diff 6 2 --json", "diff 0 --stat",
    "diff 0 --each --json", "diff 1 7 --name-only", "diff 0 12 --author app --json", "diff 3 8",
    "object Trip/p5 --json", "object LivingAccommodation/p1", "object Trip/p1 --kind update",
    "object Trip/p99", "show first", "show last~11 --json", "show 8 --json", "show 9",
    "show 2024-07-29T00:45:00Z --json", "show 13",
  ]

  @Test
  func `every query with the archive has the same answer as before pruning`() async throws {
    let copies = try await Copies(sealedBefore: ["4", "9"], prunedBefore: "9")
    for question in Self.questions { try await copies.expectSame(question) }
  }

  @Test
  func `transactions in both store and archive are shown once`() async throws {
    let copies = try await Copies(sealedBefore: ["3", "10"], prunedBefore: "5")
    for question in ["log --json", "export", "diff 0 --json", "show 7 --json", "log --reverse"] {
      try await copies.expectSame(question)
    }
  }

  @Test(
    .needsRealStores,
    arguments: ["swiftdata-rm-4wal.store", "photos-10.15.7.sqlite", "truthsocial-ios17.sqlite"])
  func `pruned real stores with an archive answer as before`(name: String) async throws {
    guard let store = RealStores.path(name) else { return }
    let copies = try await Copies(
      of: store, sealedBefore: ["first~3", "last~3"], prunedBefore: "last~3")
    for question in [
      "log --date utc", "export", "diff 0 --json", "diff first~2 last~1 --stat",
      "log --json --kind delete", "show first~2 --json", "show last~5",
    ] { try await copies.expectSame(question) }
  }

  @Test
  func `an update of a relationship is named after its order key left the model`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let query = try StoreQuery(path: path)
    func hex(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    // The mask has the slots of the relationship's key and of its order key.
    let mask = hex(SampleStore.mask("BucketListItem", ["isDone", "trip"]))
    let number = TripsModel.number("BucketListItem")
    try query.run(
      "UPDATE ACHANGE SET ZCOLUMNS = x'\(mask)' WHERE ZTRANSACTIONID = 10 AND ZENTITY = \(number)")
    func run(_ line: String) async throws -> Tool.Result {
      try await InProcess.run(line.split(separator: " ").map(String.init), folder: folder.path)
    }
    #expect(try await run("archive default.store sealed").status == 0)
    #expect(try await run("prune default.store --before 12 --yes").status == 0)
    let unordered = ManagedProperty.relationship(
      .init(
        name: "items", destinationName: "BucketListItem", inverseName: "trip", isToMany: true))
    let entities = TripsModel.model.entities.values.map { entity in
      ManagedEntity(
        name: entity.name, superentityName: entity.superentityName, isAbstract: entity.isAbstract,
        properties: entity.properties.map { $0.name == "items" ? unordered : $0 })
    }
    let cache = try ModelArchive.cache(of: ManagedModel(entities: entities))
    try query.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex(cache))'")
    let answer = try await run(
      "diff default.store 9 10 --archive sealed --entity BucketListItem --json")
    #expect(answer.text.contains(#""attributes":["trip","isDone"]"#), "\(answer.text)")
  }

  @Test
  func `statistics count store and archive, and bytes of the store only`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    for options in ["", " --author widget", " --entity Trip --by hour", " --after 4"] {
      let whole = try await copies.run("stats default.store --json" + options, inWhole: true)
      let found = try await copies.run("stats default.store --json --archive sealed" + options)
      var report = try plain(found)
      #expect(report.removeValue(forKey: "archive") as? String == "sealed")
      #expect(NSDictionary(dictionary: report).isEqual(to: try plain(whole)))
    }
  }

  private func plain(_ result: Tool.Result) throws -> [String: Any] {
    func plain(_ value: Any) -> Any {
      switch value {
      case let object as [String: Any]:
        return object.filter { !$0.key.lowercased().contains("bytes") }.mapValues(plain)
      case let array as [Any]: return array.map(plain)
      default: return value
      }
    }
    let json = try JSONSerialization.jsonObject(with: Data(result.output))
    return try #require(plain(json) as? [String: Any])
  }

  @Test
  func `an archive instead of a store answers for the sealed history`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    for (alone, whole) in [
      ("log sealed --json", "log default.store --json --until 8"),
      ("log sealed --author widget", "log default.store --until 8 --author widget"),
      ("export sealed --after 2", "export default.store --after 2 --until 8"),
      ("show sealed 5", "show default.store 5"), ("show sealed last", "show default.store 8"),
      ("diff sealed 2 --json", "diff default.store 2 8 --json"),
      ("diff sealed 0 6", "diff default.store 0 6"),
      ("token check sealed 3 last", "token check default.store 3 8"),
    ] {
      let expected = try await copies.run(whole, inWhole: true)
      let found = try await copies.run(alone)
      #expect(
        found.text.replacing("last ", with: "8    ")
          == expected.text.replacing("last ", with: "8    "),
        "\(alone): \(found.errors)")
      #expect(found.status == 0)
    }
    let life = try await copies.run("object sealed Trip/p1 --json")
    #expect(life.lines.last?.contains(#""state":"deleted""#) == true)
    let prune = try await copies.run("prune sealed --keep-last 3 --yes")
    #expect(prune.status == 8 && prune.errors.contains("is an archive"))
    let both = try await copies.run("log sealed --archive sealed")
    #expect(both.status == 64)
  }

  @Test
  func `an archive of several stores needs the name of one`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    var shape = StoreWriter.Shape()
    shape.identifier = "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    try SampleStore.write(to: copies.pruned.file("other.store"), shape: shape)
    #expect(try await copies.run("archive other.store sealed --before 4").status == 0)
    let unnamed = try await copies.run("log sealed")
    #expect(unnamed.status == 64)
    #expect(unnamed.errors.contains(shape.identifier))
    #expect(unnamed.errors.contains(StoreWriter.identifier))
    let named = try await copies.run("log sealed --json --store-identifier \(shape.identifier)")
    #expect(named.lines.count == 3 && named.status == 0)
    // A store finds its own.
    try await copies.expectSame("log --json")
    #expect(try await copies.run("log default.store --store-identifier x").status == 64)
    // One that was never sealed there is read alone, and that is told.
    shape.identifier = "3D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    try SampleStore.write(to: copies.pruned.file("third.store"), shape: shape)
    let third = try await copies.run("log third.store --json --archive sealed")
    #expect(third.lines.count == 12 && third.status == 0)
    #expect(third.errors.contains("has no segments of the store"))
  }

  @Test
  func `history pruned without being sealed is a gap at its place`() async throws {
    let copies = try await Copies(sealedBefore: ["6"], prunedBefore: "9")
    let log = try await copies.run("log default.store --archive sealed --reverse --json")
    #expect(log.status == 4)
    #expect(
      log.lines[5]
        == #"{"schema":1,"type":"gap","store":"\#(StoreWriter.identifier)","after":5,"oldest":9}"#)
    #expect(log.lines.count == 10)
    #expect(log.errors.contains(#""kind":"historyGap","code":4"#))
    let export = try await copies.run("export default.store --archive sealed")
    #expect(export.text == log.text && export.status == 4)
    let text = try await copies.run("log default.store --archive sealed")
    #expect(text.rows[4] == "-- transactions 6 to 8 are gone --")
    #expect(text.status == 4 && text.errors.contains("transactions 6 to 8 are gone"))
    for line in ["diff default.store 0 --json", "stats default.store --json"] {
      let result = try await copies.run(line + " --archive sealed")
      #expect(result.status == 4 && result.text.contains(#""after":5,"oldest":9"#))
    }
    let token = try await copies.run("log default.store --after 3 --archive sealed")
    #expect(token.status == 4 && token.text == "")
    #expect(token.errors.contains("after it 6 to 8 are missing"))
    #expect(token.errors.contains("the archive sealed holds 1 to 5"))
    // Nothing is missing of what these are about.
    for line in [
      "show default.store 3", "log default.store -n 4", "export default.store --after 9",
    ] {
      let result = try await copies.run(line + " --archive sealed")
      #expect(result.status == 0, "\(line): \(result.errors)")
    }
  }

  @Test
  func `a number that was never issued is not a gap`() async throws {
    let folder = try SampleFolder()
    // Nine was never saved: a save that failed takes a number with it.
    try await folder.sqlite(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 9; DELETE FROM ATRANSACTION WHERE Z_PK = 9")
    let whole = try await folder.run("export sample.store")
    let rows = try StoreQuery(path: folder.store).contents()
    #expect(try await folder.run("archive sample.store sealed --before 9").status == 0)
    #expect(try await folder.run("prune sample.store --before 10 --yes").status == 0)
    let export = try await folder.run("export sample.store --archive sealed")
    #expect(export.text == whole.text && export.status == 0, "\(export.errors)")
    let token = try await folder.run("token check sample.store 3 8 --archive sealed")
    #expect(token.status == 0 && token.text.contains("archived"))
    let verify = try await folder.run("verify sample.store --archive sealed")
    #expect(verify.status == 0, "\(verify.text)")
    // What is sealed next goes on without a gap.
    let plan = try await folder.run("archive sample.store sealed --dry-run --json")
    #expect(plan.status == 0 && !plan.text.contains("leavesGap"))
    let restore = try await folder.run("restore sample.store sealed --yes")
    #expect(restore.status == 0, "\(restore.errors)")
    #expect(try StoreQuery(path: folder.store).contents()["ACHANGE"] == rows["ACHANGE"])
    #expect(try await folder.run("archive sample.store sealed").status == 0)
    let info = try await folder.run("info sealed --json")
    #expect(info.text.contains(#""ranges":[{"first":1,"last":11}]"#))
    // Where nine was saved and is gone, it is missing.
    let other = try SampleFolder()
    #expect(try await other.run("archive sample.store sealed --before 9").status == 0)
    #expect(try await other.run("prune sample.store --before 10 --yes").status == 0)
    let gap = try await other.run("export sample.store --archive sealed")
    #expect(gap.status == 4 && gap.text.contains(#""after":8,"oldest":10"#))
    #expect(try await other.run("restore sample.store sealed --yes").status == 4)
    #expect(try await other.run("archive sample.store sealed").status == 4)
    #expect(try await other.run("verify sample.store --archive sealed").status == 1)
  }

  @Test
  func `a segment removed from the archive is a gap`() async throws {
    let copies = try await Copies(sealedBefore: ["4", "6", "9"], prunedBefore: "9")
    // Without the catalog's second line the third does not follow the first.
    let catalog = copies.pruned.file("sealed/catalog.jsonl")
    let lines = try FileBytes.read(catalog).split(separator: 10)
    try FileBytes.write(Array(lines[0] + [10] + lines[2] + [10]), to: catalog)
    let broken = try await copies.run("log default.store --archive sealed")
    #expect(broken.status == 5 && broken.errors.contains("catalog.jsonl"))
    try FileBytes.write(Array(lines[0] + [10]), to: catalog)
    let short = try await copies.run("log default.store --archive sealed --json")
    #expect(short.status == 5 && short.errors.contains("000000000004-000000000005.jsonl.zst"))
    for name in ["000000000004-000000000005", "000000000006-000000000008"] {
      let path = copies.pruned.file("sealed/\(StoreWriter.identifier)/\(name)")
      for suffix in [".jsonl.zst", ".json"] { try FileBytes.remove(path + suffix) }
    }
    let cut = try await copies.run("log default.store --archive sealed --json")
    #expect(cut.status == 4 && cut.text.contains(#""after":3,"oldest":9"#))
  }

  @Test
  func `a token does not work if a segment after it is missing or too short`() async throws {
    let copies = try await Copies(sealedBefore: ["4", "6", "9"], prunedBefore: "9")
    let name = "000000000004-000000000005.jsonl.zst"
    let segment = copies.pruned.file("sealed/\(StoreWriter.identifier)/\(name)")
    let bytes = try FileBytes.read(segment)
    try FileManager.default.removeItem(atPath: segment)
    for change in ["missing", "short"] {
      if change == "short" { try FileBytes.write(Array(bytes.dropLast(3)), to: segment) }
      for (line, status) in [
        ("default.store 2 --archive sealed", 5), ("default.store 4 9 --archive sealed", 5),
        ("sealed 3", 5), ("default.store 5 --archive sealed", 5), ("sealed 6 last", 0),
        ("default.store 6 8 9 --archive sealed", 0),
      ] {
        let result = try await copies.run("token check " + line)
        #expect(result.status == status, "\(change), \(line): \(result.errors)")
        #expect(result.errors.contains(name) == (status == 5))
      }
    }
  }

  @Test
  func `a flipped byte is reported with its file`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    let whole = try await copies.run("export default.store", inWhole: true)
    for path in try copies.files() + [copies.pruned.file("sealed/catalog.jsonl")] {
      let bytes = try FileBytes.read(path)
      for place in [0, bytes.count / 3, bytes.count / 2, bytes.count - 2] {
        var damaged = bytes
        damaged[place] ^= 0x10
        try FileBytes.write(damaged, to: path)
        let result = try await copies.run("export default.store --archive sealed")
        #expect(result.status == 5, "\(path) at \(place): \(result.errors)")
        #expect(result.errors.contains(URL(fileURLWithPath: path).lastPathComponent))
        // People count from 1.
        #expect(!result.errors.contains("frame 0"))
      }
      for broken in [[], Array(bytes.dropLast(5)), bytes + bytes] {
        try FileBytes.write(broken, to: path)
        let result = try await copies.run("export default.store --archive sealed")
        #expect(result.status == 5, "\(path)")
      }
      try FileManager.default.removeItem(atPath: path)
      let missing = try await copies.run("export default.store --archive sealed")
      #expect(missing.status == 5)
      try FileBytes.write(bytes, to: path)
    }
    #expect(try await copies.run("export default.store --archive sealed").text == whole.text)
  }

  @Test
  func `tokens show where their transaction is`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    let bookmark = #"{"storeTokens":{"\#(StoreWriter.identifier)":4}}"#
    try FileBytes.write(
      Array(
        #"{"schema":1,"bookmarks":[{"name":"other","token":\#(bookmark),"timestampRaw":1.5}]}"#.utf8
      ),
      to: copies.pruned.file("default.store-bookmarks.json"))
    let found = try await copies.run(
      "token check default.store 0 3 8 9 12 13 @other --archive sealed")
    #expect(
      found.rows.map { $0.split(separator: " ")[1] } == [
        "valid", "archived", "archived", "valid", "valid", "ahead", "diverged",
      ])
    #expect(found.status == 1)
    let usable = try await copies.run("token check default.store 3 9 --archive sealed --json")
    #expect(usable.status == 0 && usable.text.contains(#""state":"archived""#))
  }

  @Test
  func `a consumer whose bookmark has expired continues from the archive`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    let bookmark = #"{"storeTokens":{"\#(StoreWriter.identifier)":4}}"#
    try FileBytes.write(
      Array(
        #"{"schema":1,"bookmarks":[{"name":"nightly","token":\#(bookmark)}]}"#.utf8),
      to: copies.pruned.file("default.store-bookmarks.json"))
    let line = "export default.store --output-dir out --compress none --bookmark nightly"
    let alone = try await copies.run(line)
    #expect(alone.status == 4 && alone.errors.contains("has expired"))
    #expect(try await copies.run(line + " --archive sealed").status == 0)
    let expected = try await copies.run("export default.store --after 4", inWhole: true)
    let file = "out/\(StoreWriter.identifier)/000000000005-000000000012.jsonl"
    #expect(try FileBytes.read(copies.pruned.file(file)) == expected.output)
    #expect(try await copies.run(line).status == 0)
  }

  @Test
  func `paths that are not archives are refused`() async throws {
    let copies = try await Copies(sealedBefore: ["9"], prunedBefore: "9")
    let none = try await copies.run("log default.store --archive nowhere")
    #expect(none.status == 8 && none.errors.contains("nowhere is not an archive"))
    let store = try await copies.run("log default.store --archive default.store")
    #expect(store.status == 8)
    let both = try await copies.run("diff default.store --with default.store --archive sealed")
    #expect(both.status == 64)
  }
}
