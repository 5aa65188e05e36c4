import Foundation
import StoreFormat
import TestSupport
import Testing

/// The file that `report` writes, and the data in it.
@Suite(.bounded) struct ReportTests {
  typealias Object = [String: Any]

  /// The text of the data of a page.
  static func text(_ page: [UInt8]) throws -> String {
    let page = String(decoding: page, as: UTF8.self)
    let start = try #require(page.firstRange(of: #" id="data">"#)).upperBound
    let end = try #require(page[start...].firstRange(of: "</script>")).lowerBound
    return String(page[start..<end])
  }

  static func data(_ page: [UInt8]) throws -> Object {
    try #require(try JSONSerialization.jsonObject(with: Data(text(page).utf8)) as? Object)
  }

  private static func histories(_ page: [UInt8]) throws -> [Object] {
    try #require(try data(page)["histories"] as? [Object])
  }

  private static func history(_ result: Tool.Result) throws -> Object {
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try histories(result.output).first)
  }

  private static func objects(_ result: Tool.Result) throws -> [Object] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object)
    }.filter { $0["type"] as? String != "gap" }
  }

  /// Values in one form, to be compared.
  private static func form(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: - Numbers

  /// The counts of an object of `stats` as a row of a report.
  private static func row(_ object: Object) -> [Int?] {
    ["transactions", "changes", "inserts", "updates", "deletes", "others", "bytes"].map {
      object[$0] as? Int ?? ($0 == "others" ? 0 : nil)
    }
  }

  private static func row(_ list: Any?) -> [Int?] {
    (list as? [Any] ?? []).map { $0 as? Int }
  }

  private static func sums(_ list: Any?) -> [Int] {
    var sum = 0
    return (list as? [Int] ?? []).map {
      sum += $0
      return sum
    }
  }

  /// Compares a report with what `stats` says of the same history.
  private static func compare(_ report: Object, stats: Object) throws {
    #expect(row(report["total"]) == row(stats))
    let ranks = try #require(report["ranks"] as? Object)
    for (rank, list) in [
      ("author", "authors"), ("bundle", "bundles"), ("process", "processes"),
      ("entity", "entities"), ("kind", "kinds"),
    ] {
      let rows = (ranks[rank] as? Object)?["rows"] as? [[Any]] ?? []
      let entries = stats[list] as? [Object] ?? []
      #expect(rows.map { $0.first as? String } == entries.map { $0[rank] as? String })
      #expect(rows.map { row(Array($0.dropFirst())) } == entries.map(row))
    }
    let rates = try #require(report["rates"] as? Object)
    for (name, key) in [
      ("total", "rate"), ("last7Days", "last7Days"), ("last30Days", "last30Days"),
    ] {
      #expect(try form(rates[name] ?? NSNull()) == form(stats[key] ?? NSNull()))
    }
    let bins = try #require(report["bins"] as? Object)
    let periods = stats["periods"] as? [Object] ?? []
    #expect(bins["hours"] as? Int == 1)
    #expect(sums(bins["start"]).map { Double($0) * 3600 } == periods.map(Self.start))
    for key in ["transactions", "inserts", "updates", "deletes", "bytes"] {
      #expect(bins[key] as? [Int] == periods.map { $0[key] as? Int ?? -1 }, "\(key)")
    }
    let heat = try #require(report["heat"] as? Object)
    let total = periods.reduce(0) { $0 + ($1["transactions"] as? Int ?? 0) }
    #expect((heat["transactions"] as? [Int])?.reduce(0, +) == total)
    for (name, stack) in try #require(report["stacks"] as? [String: Object]) {
      #expect(stack["others"] as? Int == 0)
      let places = sums(stack["bin"])
      var changes = periods.map { _ in 0 }
      for (place, count) in zip(places, stack["changes"] as? [Int] ?? []) {
        changes[place] += count
      }
      #expect(changes == periods.map { $0["changes"] as? Int ?? -1 }, "\(name)")
    }
  }

  private static func start(_ period: Object) -> Double {
    StoreTimestamp(exactISO8601: period["start"] as? String ?? "")?.unixSeconds ?? -1
  }

  /// Compares the listed transactions with the lines of `log`.
  private static func compare(_ report: Object, lines: [Object]) throws {
    let texts = try #require(report["texts"] as? [String])
    let entities = try #require(report["entities"] as? [String])
    let sets = try #require(report["sets"] as? [[Int]])
    func text(_ place: Any) -> Any { (place as? Int).flatMap { $0 < 0 ? nil : texts[$0] } ?? "-" }
    func dictionary(_ list: Any) -> Object {
      let list = list as? [Any] ?? []
      return Dictionary(
        uniqueKeysWithValues: stride(from: 0, to: list.count, by: 2).map {
          (text(list[$0]) as? String ?? "", list[$0 + 1])
        })
    }
    let transactions = try #require(report["transactions"] as? [[Any]])
    #expect(transactions.count == lines.count)
    var updates: [String: Int] = [:]
    for (transaction, line) in zip(transactions, lines) {
      #expect(transaction[0] as? Int == line["transaction"] as? Int)
      let time = StoreTimestamp(exactISO8601: line["timestamp"] as? String ?? "")
      #expect(
        (transaction[1] as? Int).map(Double.init)
          == time.map { ($0.unixSeconds * 1e6).rounded() })
      for (place, key) in [(2, "author"), (3, "bundle"), (4, "process"), (5, "context")] {
        #expect(text(transaction[place]) as? String == line[key] as? String ?? "-")
      }
      let changes = transaction[7] as? [[Any]] ?? []
      let logged = line["changes"] as? [Object] ?? []
      #expect(transaction[6] as? Int == logged.count && changes.count == logged.count)
      for (change, logged) in zip(changes, logged) {
        let whole = change + Array(repeating: NSNull(), count: 7 - change.count)
        let kind = ["insert", "update", "delete", "-"][change[0] as? Int ?? 3]
        #expect(kind == logged["kind"] as? String)
        #expect(entities[change[1] as? Int ?? 0] == logged["entity"] as? String)
        #expect(change[2] as? Int == logged["pk"] as? Int)
        if let names = logged["attributes"] as? [String] {
          let set = try #require(whole[3] as? Int)
          #expect(sets[set].map { texts[$0] } == names)
          for name in names { updates["\(logged["entity"] ?? "").\(name)", default: 0] += 1 }
        }
        #expect(
          try form(dictionary(whole[4])) == form(logged["tombstone"] as? Object ?? [:]))
        let values = (logged["values"] as? [String: Object] ?? [:]).mapValues {
          $0.filter { $0.key != "type" }
        }
        #expect(try form(dictionary(whole[5])) == form(values))
        #expect(whole[6] as? String == logged["valuesFrom"] as? String)
      }
    }
    let ranks = report["ranks"] as? Object
    let rows = (ranks?["attribute"] as? Object)?["rows"] as? [[Any]] ?? []
    #expect(
      Dictionary(
        uniqueKeysWithValues: rows.map { ("\($0[0]).\($0[1])", $0[2] as? Int ?? -1) }) == updates)
  }

  @Test(arguments: ["sample", "demo", "open", "archived"])
  func `the numbers of a report agree with stats and log`(_ name: String) async throws {
    let sample = try SampleFolder()
    var options = ""
    switch name {
    case "demo":
      #expect(try await sample.run("demo . --ending 2026-11-20").status == 0)
      options = "trips.store"
    case "open":
      let trips = try OpenTrips()
      try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
      try trips.save { $0.delete(OpenTrips.trip(2)) }
      for suffix in ["", "-wal"] {
        try FileBytes.write(
          FileBytes.read(trips.path + suffix), to: sample.folder.file("open.store" + suffix))
      }
      options = "open.store"
    case "archived":
      #expect(try await sample.run("archive sample.store arch --before 9 -q").status == 0)
      #expect(
        try await sample.run("prune sample.store --before 6 --archive arch --yes -q").status == 0)
      options = "sample.store --archive arch"
    default: options = "sample.store"
    }
    for filter in ["", " --author widget", " --after last~2 --kind update"] {
      let report = try Self.history(try await sample.run("report \(options)\(filter) -o -"))
      let stats = try await sample.run(
        "stats \(options)\(filter) --json --by hour --date utc --top 100")
      try Self.compare(report, stats: try #require(try Self.objects(stats).first))
      let log = try await sample.run("log \(options)\(filter) --json")
      try Self.compare(report, lines: try Self.objects(log))
      #expect((report["leftOut"] as? [Any])?.isEmpty == true)
    }
  }

  // MARK: - Texts

  private static let hostile = [
    "</script><script>alert(1)</script>", "<!-- <script>", "]]>", "<img src=x onerror=alert(1)>",
    "&lt;&amp;", "a\u{2028}b\u{2029}c", "\u{1B}[31m\u{7F}\r\n\t", "שלום \u{202E}",
    "👩‍👩‍👧", "\"\\'`${1}", "e\u{301}",
  ]

  @Test
  func `no text of a store becomes markup or changes`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    for (index, text) in Self.hostile.enumerated() {
      let number = Int64(index + 1)
      try writer.transaction(number, author: text, bundle: text, process: text, context: text)
      try writer.change(
        number, of: number, 2, TripsModel.number("LivingAccommodation"), number,
        tombstone: [.text(text)])
    }
    try writer.close()
    let page = try await InProcess.run(
      ["report", writer.path, "-o", "-", "--title", Self.hostile[0], "--author", Self.hostile[0]]
        + Self.hostile.dropFirst().flatMap { ["--author", $0] })
    let text = try Self.text(page.output)
    #expect(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    #expect(!text.contains { "<>&\u{2028}\u{2029}".contains($0) })
    let data = try Self.data(page.output)
    #expect(data["title"] as? String == Self.hostile[0])
    let history = try Self.history(page)
    let texts = Array(try #require(history["texts"] as? [String]).map { Array($0.utf8) })
    let transactions = try #require(history["transactions"] as? [[Any]])
    #expect(transactions.count == Self.hostile.count)
    for (transaction, text) in zip(transactions.reversed(), Self.hostile) {
      #expect(texts[try #require(transaction[2] as? Int)] == Array(text.utf8))
      let change = try #require((transaction[7] as? [[Any]])?.first)
      #expect((change[4] as? [Any])?.last as? String == text)
    }
  }

  @Test
  func `numbers beyond JavaScript's, damaged texts, large values and invalid times are kept`()
    async throws
  {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    let stay = TripsModel.number("LivingAccommodation")
    try writer.transaction(1, at: 1e300)
    try writer.change(1, of: 1, 2, stay, .max, tombstone: [.integer(.max)])
    try writer.transaction(2, at: -0.25)
    try writer.change(2, of: 2, 2, stay, 1, tombstone: [.text(String(repeating: "ü", count: 900))])
    try writer.transaction(3)
    try writer.change(3, of: 3, 2, stay, 2, tombstone: [.blob([UInt8](repeating: 0, count: 2000))])
    try writer.transaction(4)
    try writer.change(4, of: 4, 9, 77, 3)
    try writer.close()
    let history = try Self.history(try await InProcess.run(["report", writer.path, "-o", "-"]))
    let transactions = try #require(history["transactions"] as? [[Any]])
    func value(_ place: Int) throws -> Object {
      let change = try #require((transactions[place][7] as? [[Any]])?.first)
      return try #require((change[4] as? [Any])?.last as? Object)
    }
    #expect(transactions[3][1] as? String == "1e+300 s since 2001")
    #expect(transactions[2][1] as? Int == 978_307_199_750_000)
    #expect(try value(3)["$int"] as? String == "9223372036854775807")
    #expect(((transactions[3][7] as? [[Any]])?.first?[2]) as? String == "9223372036854775807")
    #expect(try value(2)["bytes"] as? Int == 1800)
    #expect((try value(2)["$cut"] as? String)?.hasPrefix("üüü") == true)
    #expect(try value(1)["bytes"] as? Int == 2000)
    #expect(try Self.form((transactions[0][7] as? [[Any]])?.first ?? []) == "[3,0,3]")
    #expect((history["entities"] as? [String])?[0] == "#77")
    let leftOut = try #require(history["leftOut"] as? [Object])
    #expect(leftOut.map { $0["kind"] as? String } == ["values"])
    #expect(leftOut[0]["count"] as? Int == 2)
    // One time is before 2001, the other is none.
    #expect((history["withoutTime"] as? [Any])?.first as? Int == 2)
  }

  // MARK: - Limits

  @Test
  func `the newest transactions are listed, and the others counted`() async throws {
    let sample = try SampleFolder()
    let few = try Self.history(
      try await sample.run("report sample.store -o - --max-transactions 3"))
    #expect((few["transactions"] as? [[Any]])?.compactMap { $0[0] as? Int } == [12, 11, 10])
    #expect(Self.row(few["total"])[0] == 12)
    let leftOut = try #require((few["leftOut"] as? [Object])?.first)
    #expect(leftOut["kind"] as? String == "transactions" && leftOut["count"] as? Int == 9)
    let none = try Self.history(
      try await sample.run("report sample.store -o - --max-transactions 0"))
    #expect((none["transactions"] as? [Any])?.isEmpty == true)
    #expect(try await sample.run("report sample.store -o - --max-transactions -1").status == 64)
  }

  @Test
  func `memory and page size are bounded for large transactions and texts`() async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("x.store"), transactions: 2000, changesEach: 40, sizes: [1000: 60_000])
    let history = try Self.history(try await InProcess.run(["report", store, "-o", "-"]))
    let transactions = try #require(history["transactions"] as? [[Any]])
    let counts = transactions.map { ($0[7] as? [Any])?.count ?? 0 }
    let total = try #require(Self.row(history["total"])[1])
    let leftOut = try #require(history["leftOut"] as? [Object])
    func count(_ kind: String) -> Int {
      leftOut.first { $0["kind"] as? String == kind }?["count"] as? Int ?? 0
    }
    #expect(counts.max() == 2000)
    #expect(transactions.map { $0[6] as? Int ?? 0 }.max() == 60_000)
    #expect(counts.reduce(0, +) + count("changes") == total || count("transactions") > 0)
    #expect(count("changes") == 58_000)
  }

  // MARK: - The file

  private static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test
  func `the file is complete, not more widely readable than a store, and replaces nothing unasked`()
    async throws
  {
    let sample = try SampleFolder()
    let page = sample.folder.file("r.html")
    try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file("other.store"))
    for (store, other, expected) in [(0o600, 0o644, 0o600), (0o640, 0o644, 0o640)] {
      let manager = FileManager.default
      try manager.setAttributes([.posixPermissions: store], ofItemAtPath: sample.store)
      try manager.setAttributes(
        [.posixPermissions: other], ofItemAtPath: sample.folder.file("other.store"))
      let both = try await sample.run(
        "report other.store sample.store -o r.html --overwrite --json")
      #expect(both.status == 0, "\(both.errors)")
      #expect(try Self.mode(page) == expected)
      let line = try #require(try Self.objects(both).first)
      #expect(line["histories"] as? Int == 2 && line["transactions"] as? Int == 24)
      #expect(line["bytes"] as? Int == (try FileBytes.read(page)).count)
    }
    let before = try FileBytes.read(page)
    let again = try await sample.run("report sample.store -o r.html")
    #expect(again.status == 9 && again.errors.contains("already exists"))
    #expect(try FileBytes.read(page) == before)
    let folder = try await sample.run("report sample.store -o . --overwrite")
    #expect(folder.status == 9 && folder.errors.contains("is not a file"))
    let missing = try await sample.run("report sample.store -o none/r.html")
    #expect(missing.status == 9 && missing.errors.contains("create its folder first"))
    #expect(try await sample.run("report none.store -o new.html").status == 9)
    #expect(try !sample.folder.names().contains { $0.contains("new.html") })
  }

  @Test(arguments: ["sample.store", "sample.store-wal", "hard.html", "arch/r.html", "lines.jsonl"])
  func `a report does not overwrite what it shows`(_ place: String) async throws {
    let sample = try SampleFolder()
    try FileManager.default.linkItem(
      atPath: sample.store, toPath: sample.folder.file("hard.html"))
    #expect(try await sample.run("archive sample.store arch --before 9 -q").status == 0)
    #expect(try await sample.run("export sample.store -o lines.jsonl").status == 0)
    let before = try FileBytes.read(sample.store)
    let lines = try FileBytes.read(sample.folder.file("lines.jsonl"))
    for sources in ["sample.store arch lines.jsonl", "lines.jsonl arch sample.store"] {
      let result = try await sample.run("report \(sources) -o \(place) --overwrite")
      #expect(result.status == 64, "\(result.errors)")
      #expect(
        result.errors.contains(
          ["lines.jsonl", "sample.store"].contains(place) ? "end it in .html" : "would overwrite"))
    }
    #expect(try FileBytes.read(sample.store) == before)
    #expect(try FileBytes.read(sample.folder.file("lines.jsonl")) == lines)
  }

  @Test
  func `two reports differ only in their time`() async throws {
    let sample = try SampleFolder()
    let command = "report sample.store -o -"
    let first = try await sample.run(command + " --reproducible")
    #expect(first.output == (try await sample.run(command + " --reproducible")).output)
    #expect((try Self.data(first.output)["made"] as? Object)?["at"] == nil)
    var timed = try Self.data(try await sample.run(command).output)
    #expect((timed["made"] as? Object)?["at"] is Int)
    timed["made"] = (try Self.data(first.output))["made"]
    #expect(try Self.form(timed) == Self.form(Self.data(first.output)))
  }

  @Test func `a report without values has no paths that programs give their contexts`() async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, ZNAME) VALUES (900, '/Users/jo/Trips.library');
      UPDATE ATRANSACTION SET ZCONTEXTNAMETS = 900;
      """)
    let whole = try await sample.run("report sample.store -o -")
    #expect(whole.text.contains("Trips.library"))
    let redacted = try await sample.run("report sample.store -o - --redact")
    #expect(redacted.status == 0 && !redacted.text.contains("Trips.library"))
  }

  @Test
  func `a report without values has no tombstones, old or new values`() async throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    func page(_ options: String) async throws -> Tool.Result {
      try await InProcess.run(
        "report Trips.store -o - \(options)".split(separator: " ").map(String.init),
        folder: trips.folder.path)
    }
    let whole = try await page("")
    for value in ["Roma", "Oslo"] { #expect(whole.text.contains("\"\(value)\"")) }
    let redacted = try await page("--redact")
    for value in ["Roma", "Rome", "Oslo"] { #expect(!redacted.text.contains("\"\(value)\"")) }
    #expect(try Self.data(redacted.output)["redacted"] as? Bool == true)
    let kinds = (try Self.history(redacted)["leftOut"] as? [Object])?.map { $0["kind"] as? String }
    #expect(kinds == ["redacted"])
    #expect(!(try await page("--no-values")).text.contains("\"Roma\""))
  }

  // MARK: - Input

  @Test
  func `a page shows stores, archives and lines, and which are unreadable`()
    async throws
  {
    let sample = try SampleFolder()
    #expect(try await sample.run("archive sample.store arch --before 9 -q").status == 0)
    #expect(try await sample.run("export sample.store -o lines.jsonl.zst").status == 0)
    #expect(try await sample.run("bookmark set sample.store widget 5").status == 0)
    let result = try await sample.run(
      "report sample.store arch lines.jsonl.zst none.store -o - --title All")
    #expect(result.status == 3)
    #expect(result.errors.contains("none.store"))
    #expect(try Self.data(result.output)["title"] as? String == "All")
    #expect(result.text.contains("<title>All</title>"))
    let marked = try await sample.run([
      "report", "sample.store", "-o", "-", "--title", "A </title> & B",
    ])
    #expect(marked.text.contains("<title>A &lt;/title> &amp; B</title>"))
    let histories = try Self.histories(result.output)
    #expect(
      histories.map { $0["name"] as? String } == [
        "sample.store", "arch", "lines.jsonl.zst", "none.store",
      ])
    #expect(histories.map { $0["kind"] as? String } == ["store", "archive", "lines", nil])
    #expect(histories.map { Self.row($0["total"]).first ?? nil } == [12, 8, 12, nil])
    #expect((histories[3]["problem"] as? String)?.isEmpty == false)
    let bookmark = try #require((histories[0]["bookmarks"] as? [Object])?.first)
    #expect(bookmark["name"] as? String == "widget" && bookmark["state"] as? String == "valid")
    #expect(bookmark["transactionsBehind"] as? Int == 7)
    #expect((histories[0]["sizes"] as? Object)?["history"] is Int)
    let input = try await sample.run(
      "report - -o -", input: try await sample.run("export sample.store").text)
    #expect(Self.row(try Self.history(input)["total"])[0] == 12)
    try FileManager.default.createDirectory(
      atPath: sample.folder.file("old"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: sample.store, toPath: sample.folder.file("old/sample.store"))
    let namesakes = try await sample.run("report sample.store old/sample.store -o -")
    #expect(
      try Self.histories(namesakes.output).map { $0["name"] as? String }
        == ["sample.store", "old/sample.store"])
  }

  @Test
  func `problems of the history are on the page`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("bookmark set sample.store old 2").status == 0)
    #expect(
      try await sample.run(
        "prune sample.store --before 6 --yes -q --ignore-guard bookmarks"
      ).status == 0)
    let history = try Self.history(try await sample.run("report sample.store -o -"))
    let kinds = (history["notices"] as? [Object])?.map { $0["kind"] as? String }
    #expect(kinds == ["pruned", "bookmark"])
    #expect((history["bookmarks"] as? [Object])?.first?["state"] as? String == "expired")
    try StoreQuery(path: sample.store).run(
      "UPDATE ACHANGE SET ZTRANSACTIONID = 99 WHERE ZTRANSACTIONID = 8")
    let damaged = try await sample.run("report sample.store -o -")
    #expect(damaged.status == 5)
    let page = try #require(try Self.histories(damaged.output).first)
    #expect((page["problem"] as? String)?.isEmpty == false)
  }

  @Test
  func `a damaged store produces a page with readable data, or no page`() async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(
      LongHistory.write(to: folder.file("long.store"), transactions: 200, changesEach: 20))
    var random = SeededGenerator(seed: 19)
    var pages = 0
    for _ in 0..<30 {
      var bytes = original
      bytes[Int.random(in: 4096..<bytes.count, using: &random)] ^= 0x5A
      let store = folder.file("damaged.store")
      try FileBytes.write(bytes, to: store)
      let result = try await InProcess.run(["report", store, "-o", "-"])
      guard !result.output.isEmpty else { continue }
      pages += 1
      let history = try #require(try Self.histories(result.output).first)
      #expect((history["problem"] == nil) == (result.status == 0), "\(result.errors)")
    }
    #expect(pages > 5)
  }

  @Test
  func `a report has the filters of log and says which`() async throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.update(OpenTrips.trip(1), values: ["score": .integer(2)]) }
    func page(_ options: [String]) async throws -> Tool.Result {
      try await InProcess.run(
        ["report", "Trips.store", "-o", "-"] + options, folder: trips.folder.path)
    }
    let value = try await page(["--value", "name=Roma"])
    #expect(try Self.data(value.output)["filters"] as? [String] == ["--value 'name=Roma'"])
    #expect(Self.row(try Self.history(value)["total"])[0] == 1)
    let author = try await page(["--author", "it's", "--after", "1", "--no-author"])
    #expect(
      try Self.data(author.output)["filters"] as? [String]
        == ["--after 1", #"--author 'it'\''s'"#, "--no-author"])
    #expect(try Self.history(author)["forecast"] == nil)
    #expect(try await page(["--value", "name"]).status == 64)
    let ahead = try await page(["--after", "99"])
    #expect(ahead.status == 4 && ahead.output.isEmpty)
  }

  @Test(arguments: [
    "", "-o - --json", "-o - --open", "-o - --overwrite",
    "-o r.html --bookmark-file sample.store",
    "-o r.html --store-identifier x",
  ])
  func `contradictory options are refused`(_ options: String) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("report sample.store \(options)")
    #expect(result.status == 64, "\(result.errors)")
    #expect(try !sample.folder.names().contains("r.html"))
  }

  @Test
  func `a page that cannot be opened is written, with a warning`()
    async throws
  {
    let sample = try SampleFolder()
    let result = try await sample.run("report sample.store -o r.html --open")
    #expect(result.status == 0)
    #expect(result.errors.contains("no graphical session"))
    #expect(try sample.folder.names().contains("r.html"))
  }
}
