import Foundation
import TestSupport
import Testing

/// Several stores, archives and files of lines, shown as one history.
@Suite(.bounded) struct SeveralStoresTests {
  /// Merges the lines of single logs as Python does, whose `heapq.merge` keeps the order of each.
  private static let merge = """
    import heapq, json, subprocess, sys
    program, options, stores = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
    def lines(place, store):
        text = subprocess.run([program, "log", store, "--json"] + options, capture_output=True, text=True).stdout
        last = float("-inf") if "--reverse" in options else float("inf")
        for line in text.splitlines():
            line = json.loads(line)
            if line["type"] != "transaction":
                continue
            last = line.get("timestampRaw", last)
            line["path"] = store
            yield (last if "--reverse" in options else -last, place), line
    streams = [lines(place, store) for place, store in enumerate(stores)]
    for _, line in heapq.merge(*streams, key=lambda pair: pair[0]):
        print(json.dumps(line, sort_keys=True))
    """

  /// The same keys in the same order as Python writes them.
  private static let sort = """
    import json, sys
    for line in sys.stdin:
        line = json.loads(line)
        if line["type"] == "transaction":
            print(json.dumps(line, sort_keys=True))
    """

  /// Stores of different models and layouts, with the same times, clocks that were set back, and missing times.
  private static func stores(_ count: Int, in folder: TemporaryFolder) throws -> [String] {
    var generator = SeededGenerator(seed: 40)
    return try (0..<count).map { place in
      let path = folder.file("\(place).store")
      try SampleStore.write(to: path)
      let shift = place % 3 == 0 ? 0 : Int.random(in: 0...900, using: &generator)
      var sql = """
        UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + \(shift);
        UPDATE Z_METADATA SET Z_UUID = '\(UUID().uuidString)';
        """
      if place % 4 == 1 { sql += "UPDATE ATRANSACTION SET ZTIMESTAMP = 700 WHERE Z_PK = 7;" }
      if place % 5 == 2 { sql += "UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK IN (1, 6);" }
      try StoreQuery(path: path).run(sql)
      return path
    }
  }

  @Test(
    .enabled(if: Tool("python3") != nil),
    arguments: ["", "--reverse", "--author widget", "--entity Trip --only-matching --reverse"])
  func `the log of 40 stores is the merge of 40 logs`(_ options: String) async throws {
    let folder = try TemporaryFolder()
    let stores = try Self.stores(40, in: folder)
    let python = try #require(Tool("python3"))
    let expected = try await python.run(["-c", Self.merge, Tool.histctl.path, options] + stores)
    let words = options.split(separator: " ").map(String.init)
    let merged = try await InProcess.run(["log"] + stores + words + ["--json"])
    #expect(merged.status == 0, "\(merged.errors)")
    let sorted = try await python.run(["-c", Self.sort], input: merged.text)
    #expect(sorted.lines.count > 40 && sorted.text == expected.text)
    let counted = try await InProcess.run(["log"] + stores + words + ["--count"])
    #expect(counted.text == "\(sorted.lines.count)\n")
  }

  @Test(
    .enabled(if: !RealStores.paths.isEmpty && Tool("python3") != nil), arguments: ["", "--reverse"])
  func `the log of all real stores is the merge of their logs`(_ options: String) async throws {
    let python = try #require(Tool("python3"))
    let stores = RealStores.paths
    let expected = try await python.run(["-c", Self.merge, Tool.histctl.path, options] + stores)
    let words = options.split(separator: " ").map(String.init)
    let merged = try await Tool.histctl.run(["log"] + stores + words + ["--json"])
    let sorted = try await python.run(["-c", Self.sort], input: merged.text)
    #expect(sorted.lines.count > 100 && sorted.text == expected.text)
  }

  @Test(arguments: [
    ("-n 7", 0..<7), ("--skip 5 -n 7", 5..<12), ("--skip 40", 40..<48), ("--skip 48", 48..<48),
    ("-n 0", 0..<0), ("-n 99", 0..<48), ("--skip 9 -n 9223372036854775807", 9..<48),
  ])
  func `pages count the transactions of all stores`(
    _ options: String, _ range: Range<Int>
  ) async throws {
    let folder = try TemporaryFolder()
    let stores = try Self.stores(4, in: folder)
    func tokens(_ options: String) async throws -> [String] {
      let words = options.split(separator: " ").map(String.init)
      let result = try await InProcess.run(["log"] + stores + words)
      #expect(result.status == 0, "\(result.errors)")
      return result.rows.compactMap { $0.split(separator: " ").first.map(String.init) }
    }
    let all = try await tokens("")
    #expect(all.count == 48)
    let page = try await tokens(options)
    #expect(page == Array(all[range]))
    let reversed = try await tokens(options + " --reverse")
    // Clocks that were set back give the other direction another order.
    #expect(Set(reversed) == Set(page) && reversed.count == page.count)
  }

  @Test func `rows have the name of their store, and tokens its identifier`() async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let result = try await sample.run("log sample.store other.store -n 2 --reverse")
    #expect(
      result.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "TOKEN STORE", "\(SampleFolder.identifier):12 sample.store",
        "\(SampleFolder.identifier):12 other.store",
      ], "\(result.text)")
    // A token can be pasted behind its store.
    let shown = try await sample.run("show other.store \(SampleFolder.identifier):12")
    #expect(shown.status == 0)
    let after = try await sample.run(
      "log sample.store other.store --after \(SampleFolder.identifier):11 --changes")
    #expect(after.text.components(separatedBy: "other.store").count == 2, "\(after.text)")
    let alone = try await sample.run("log sample.store -n 1")
    #expect(alone.lines.first?.contains("STORE") == false)
  }

  @Test(.enabled(if: Tool.hasTerminals), arguments: [60, 80])
  func `the time is shown beside tokens with identifiers`(_ columns: Int) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let line = ["log", sample.store, sample.folder.file("other.store"), "-n", "2"]
    let result = try await Tool.histctl.runOnTerminal(
      line + ["--color", "never"], columns: columns)
    #expect(result.text.contains("TIME"), "\(result.text)")
    #expect(result.text.contains(":12 "), "\(result.text)")
  }

  @Test func `archives and lines are merged with stores`() async throws {
    let sample = try SampleFolder()
    for name in ["b.store", "c.store"] {
      try SampleStore.write(to: sample.folder.file(name))
      try StoreQuery(path: sample.folder.file(name)).run(
        "UPDATE Z_METADATA SET Z_UUID = '\(UUID().uuidString)'")
      _ = try await sample.run("archive \(name) sealed --before last")
    }
    _ = try await sample.run("export sample.store -o x.jsonl")
    let merged = try await sample.run("log sealed x.jsonl sample.store --count --json")
    let counts = merged.lines.compactMap {
      ((try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any])?["transactions"]
        as? Int
    }
    #expect(counts == [11, 11, 12, 12], "\(merged.text) \(merged.errors)")
    let joined = try await sample.run("log sample.store b.store --archive sealed --count")
    #expect(joined.text == "24\n", "\(joined.errors)")
  }

  @Test(arguments: [
    ("log sample.store other.store --after 5", "5 is a transaction of one store"),
    ("log sample.store other.store 3..", "3 is a transaction of one store"),
    ("stats sample.store other.store --until 5", "5 is a transaction of one store"),
    ("diff sample.store other.store 5 --stat", "5 is a transaction of one store"),
    ("log sample.store other.store 5", "a single token is not a range"),
    ("log sample.store other.store --follow", "--follow reads one store"),
    ("log sample.store other.store --values-file v", "--values-file is of one store"),
    ("diff sample.store other.store 1d", "'other.store' is a second store"),
    ("diff sample.store 1d other.store --stat", "'other.store' is not a token"),
    ("diff sample.store other.store 2d 1d 3d --stat", "Unexpected argument '3d'"),
    ("log sample.store other.store --entity Trp", "did you mean Trip?"),
    ("log sample.store other.store --after nonsense", "'nonsense' is not a token"),
    ("stats sample.store other.store 3..4", "--range 3..4"),
  ])
  func `what means nothing for several stores is refused`(
    _ line: String, _ message: String
  ) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let result = try await sample.run(line)
    #expect(result.status == 64 && result.output.isEmpty, "\(result.text)")
    #expect(result.errors.lowercased().contains(message.lowercased()), "\(result.errors)")
    #expect(result.errors.contains("hint: "), "\(result.errors)")
  }

  @Test func `a store that cannot be read does not take the others`() async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("damaged.store"))
    try FileBytes.write(Array("no store".utf8), to: sample.folder.file("text.store"))
    // The rows of the changes are gone, and their index has them.
    try StoreQuery(path: sample.folder.file("damaged.store")).run(
      """
      PRAGMA writable_schema = 1;
      UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'ACHANGE'
      """)
    for options in ["", " --json", " --stat", " --count"] {
      let result = try await sample.run(
        "log text.store damaged.store sample.store none.store" + options)
      #expect(result.status == 3, "\(options) \(result.errors)")
      #expect(result.errors.contains("no file at none.store"), "\(result.errors)")
      #expect(result.errors.contains("text.store"), "\(result.errors)")
      #expect(result.errors.contains("damaged.store"), "\(result.errors)")
      let expected = try await sample.run("log sample.store" + options)
      if options == " --count" {
        #expect(result.text == expected.text)
      } else if options == " --json" {
        let lines = result.lines.map {
          $0.replacing(#""path":"sample.store","#, with: "")
        }
        #expect(lines == expected.lines)
      } else {
        #expect(result.lines.count == expected.lines.count, "\(result.text)")
      }
    }
    let none = try await sample.run("log text.store none.store")
    #expect(none.status == 9 || none.status == 8, "\(none.errors)")
  }

  @Test func `statistics of several stores are the sums of theirs`() async throws {
    let folder = try TemporaryFolder()
    let stores = try Self.stores(3, in: folder)
    func json(_ words: [String]) async throws -> [String: Any] {
      let result = try await InProcess.run(
        ["stats"] + words + ["--by", "month", "--top", "100", "--json"])
      #expect(result.status == 0, "\(result.errors)")
      return try #require(
        try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    }
    var singles: [[String: Any]] = []
    for store in stores { singles.append(try await json([store])) }
    let all = try await json(stores)
    for member in ["transactions", "changes", "inserts", "updates", "deletes", "historyBytes"] {
      let sum = singles.reduce(0) { $0 + ($1[member] as? Int ?? 0) }
      #expect(all[member] as? Int == sum, "\(member)")
    }
    for list in ["authors", "entities", "kinds", "periods"] {
      func counts(_ stats: [String: Any]) -> [String: Int] {
        let rows = stats[list] as? [[String: Any]] ?? []
        return Dictionary(
          rows.map { row in
            let key =
              list == "periods"
              ? row["start"] : row[list == "entities" ? "entity" : String(list.dropLast())]
            return ("\(key ?? "")", row["changes"] as? Int ?? 0)
          }, uniquingKeysWith: +)
      }
      let sums = singles.map(counts).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
      #expect(counts(all) == sums && !sums.isEmpty, "\(list)")
    }
    let listed = all["stores"] as? [[String: Any]] ?? []
    #expect(listed.map { $0["path"] as? String } == stores)
    #expect(listed.map { $0["changes"] as? Int } == singles.map { $0["changes"] as? Int })
    let objects = all["objects"] as? [[String: Any]] ?? []
    #expect(objects.count == 27 && Set(objects.map { $0["path"] as? String }).count == 3)
    let text = try await InProcess.run(["stats"] + stores)
    #expect(text.text.contains("\nSTORE    TRANSACTIONS"), "\(text.text)")
    #expect(text.text.contains("\nSTORE    OBJECT"), "\(text.text)")
    let csv = try await InProcess.run(["stats"] + stores + ["--csv"])
    #expect(csv.lines.first?.hasSuffix(",author,path") == true)
    #expect(csv.lines.filter { $0.hasPrefix("store,") }.count == 3)
    let sessions = try await InProcess.run(["stats"] + stores + ["--sessions", "--json"])
    let starts = sessions.lines.compactMap {
      ((try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any])?["start"]
        as? String
    }
    #expect(starts.count >= 9 && starts == starts.sorted())
  }

  @Test func `the net changes of several stores are counted each`() async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let single = try await sample.run("diff other.store 2024-07-29T00:45:00Z.. --stat --json")
    let both = try await sample.run(
      "diff sample.store other.store 2024-07-29T00:45:00Z.. --stat --json --exit-code")
    #expect(both.status == 1, "\(both.errors)")
    let others = both.lines.filter { $0.contains(#""path":"other.store""#) }
    #expect(others.map { $0.replacing(#""path":"other.store","#, with: "") } == single.lines)
    #expect(both.lines.count == 2 * single.lines.count)
    let text = try await sample.run("diff sample.store other.store 2024-07-29T00:45:00Z --stat")
    #expect(
      text.lines.first?.split(separator: " ").map(String.init)
        == ["STORE", "ENTITY", "OBJECTS", "CHANGES"], "\(text.text)")
  }

  #if os(Linux)
  @Test(
    .needsOptimization, .enabled(if: Tool("python3") != nil),
    arguments: ["log STORES --json", "stats STORES"])
  func `forty stores take bounded memory`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let first = try LongHistory.write(
      to: folder.file("0.store"), transactions: 3000, changesEach: 4)
    let bytes = try FileBytes.read(first)
    for number in 1..<40 { try FileBytes.write(bytes, to: folder.file("\(number).store")) }
    let names = (0..<40).map { "\($0).store" }.joined(separator: " ")
    let single = try await MemoryTests.run(
      line.replacing("STORES", with: "0.store"), in: folder)
    let many = try await MemoryTests.run(line.replacing("STORES", with: names), in: folder)
    #expect(single.status == 0 && many.status == 0, "\(many.errors)")
    // A build for debugging takes 30 MB at the start.
    #expect(many.kilobytes < single.kilobytes + 40_000, "\(single.kilobytes), \(many.kilobytes)")
  }
  #endif

  @Test(arguments: ["stats", "log --count", "stats --json", "log --count --json"])
  func `copies of one store whose transactions are counted are named`(_ line: String) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("copy.store"))
    let result = try await sample.run(line + " sample.store copy.store")
    #expect(result.status == 0)
    if line.hasSuffix("--json") {
      #expect(result.errors.contains(#""kind":"countedCopies""#), "\(result.errors)")
      #expect(result.errors.contains(#""paths":["sample.store","copy.store"]"#), "\(result.errors)")
      try await SchemaCheck.expectFits(result.errors)
    } else {
      #expect(
        result.errors
          == "copies of one store, in which the same transactions are counted more than once: "
          + "sample.store, copy.store\n", "\(result.errors)")
    }
    #expect(try await sample.run("log sample.store copy.store").errors == "")
  }
}
