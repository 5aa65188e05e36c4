import Foundation
import HistoryCoding
import StoreFormat
import TestSupport
import Testing

@testable import HistctlCommands

/// What `stats` shows people, and what it gives programs.
@Suite(.bounded) struct StatsTests {
  typealias Object = [String: Any]

  private static func object(_ result: Tool.Result) throws -> Object {
    #expect(result.lines.count == 1, "\(result.errors)")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(result.output)) as? Object)
  }

  /// A list of the JSON as lines: the key, the transactions, the changes by kind.
  private static func lines(_ object: Object, _ list: String, _ key: String) -> [String] {
    (object[list] as? [Object] ?? []).map { entry in
      let counts = ["transactions", "inserts", "updates", "deletes"].map {
        "\(entry[$0] as? Int ?? -1)"
      }
      return ([entry[key] as? String ?? "∅"] + counts).joined(separator: "|")
    }
  }

  @Test func `stats is a page`() async throws {
    let result = try await SampleFolder().run("stats sample.store --date raw")
    // How large SQLite's pages make the history is SQLite's business.
    let text = result.text.replacing(#/ +\d+(\.\d)? (KiB|B)\b/#, with: " N")
      .replacing(#/ +BYTES/#, with: " BYTES")
    let start = try #require(text.firstRange(of: "OBJECT ")?.lowerBound)
    // The order of objects with as many changes depends on bytes.
    #expect(
      text[start...].contains(
        #/\nTrip/p9 +3 +11\.1 % N +\d min  743907040\.0  743907220\.0  app\n/#))
    #expect(
      text[start...].contains(
        #/\nTrip\.name +3 +11\.1 % N +4 min  743906620\.0  743907100\.0  widget\n/#))
    #expect(
      text[..<start] == """
        store       sample.store
        history     12 transactions, 27 changes, N
        oldest      1  743906560.0
        newest      12  743907220.0

        ACTIVITY
        █
        2024-07-29T00:00Z, 1 hour

        A DAY     TRANSACTIONS  CHANGES BYTES
        in 1 day            12       27 N
        bytes a day leave out the N that an empty history takes

        AUTHOR  TRANSACTIONS  CHANGES BYTES
        app                6       18 N  ████████████████████
        widget             3        6 N  ██████████
        (none)             3        3 N  ██████████

        BUNDLE             TRANSACTIONS  CHANGES BYTES
        com.example.Trips            12       27 N  ████████████████████

        PROCESS  TRANSACTIONS  CHANGES BYTES
        Trips              12       27 N  ████████████████████

        ENTITY               CHANGES  INSERTS  UPDATES  DELETES BYTES
        BucketListItem             9        3        3        3 N  ████████████████████
        LivingAccommodation        9        3        3        3 N  ████████████████████
        Trip                       9        3        3        3 N  ████████████████████

        KIND    CHANGES  TRANSACTIONS BYTES
        insert        9             3 N  ████████████████████
        update        9             6 N  ████████████████████
        delete        9             3 N  ████████████████████


        """)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `the JSON has the same numbers as the page`() async throws {
    let object = try Self.object(
      try await SampleFolder().run("stats sample.store --json --until-size 1G"))
    #expect(object["type"] as? String == "stats")
    #expect(object["store"] as? String == SampleFolder.identifier)
    #expect(object["by"] as? String == "hour" && object["clock"] as? String == "local")
    #expect(object["transactions"] as? Int == 12 && object["changes"] as? Int == 27)
    #expect(
      Self.lines(object, "authors", "author") == ["app|6|9|0|9", "widget|3|0|6|0", "∅|3|0|3|0"])
    #expect(
      Self.lines(object, "kinds", "kind") == ["insert|3|9|0|0", "update|6|0|9|0", "delete|3|0|0|9"])
    #expect(Self.lines(object, "periods", "period").count == 1)
    let forecast = object["forecast"] as? Object
    #expect(forecast?["size"] as? Int == 1 << 30)
    #expect(forecast?["state"] as? String == "ahead")
    #expect(object["last7Days"] is NSNull && object["last30Days"] is NSNull)
    #expect(object["withoutTime"] == nil && object["notListed"] == nil)
  }

  /// Every number of the table is that of the object.
  @Test(.enabled(if: Tool("python3") != nil), arguments: ["", " --top 1", " --by week"])
  func `Python reads the CSV table`(_ options: String) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      UPDATE ATRANSACTIONSTRING SET ZNAME = 'a "quoted", ' || char(10) || 'broken name'
        WHERE ZNAME = 'widget';
      UPDATE ATRANSACTIONSTRING SET ZNAME = '' WHERE ZNAME = 'Trips';
      UPDATE ATRANSACTION SET ZTIMESTAMP = 1e300 WHERE Z_PK = 3;
      """)
    let table = try await sample.run("stats sample.store --csv\(options)")
    let object = try await sample.run("stats sample.store --json\(options)")
    #expect(table.status == 0 && table.errors == "")
    try FileBytes.write(table.output, to: sample.folder.file("table.csv"))
    try FileBytes.write(object.output, to: sample.folder.file("object.json"))
    let script = """
      import csv, json
      rows = list(csv.DictReader(open('table.csv', newline='', encoding='utf-8'), strict=True))
      data = json.load(open('object.json', encoding='utf-8'))
      counts = ['transactions', 'changes', 'inserts', 'updates', 'deletes', 'bytes']
      def expected(section, key, entry, start=None, end=None):
          row = {'section': section, 'key': key or ''}
          row.update({name: str(entry[name]) for name in counts})
          row.update(others=str(entry.get('others', 0)), start=start or '', end=end or '')
          row.update(share='', interval='', author='')
          return row
      def frequent(section, key, entry):
          updates = entry.get('updates', 0)
          entry = dict(entry, transactions='', changes=entry.get('changes', updates),
                       inserts=entry.get('inserts', 0), deletes=entry.get('deletes', 0))
          row = expected(section, key, entry, entry['first'].get('timestamp'), entry['last'].get('timestamp'))
          return dict(row, author=entry['author'] or '', interval=entry['interval'], share=entry['share'])
      want = [expected('total', None, data, data['earliest'], data['latest'])]
      for entry in data['periods']:
          want.append(expected(data['by'], entry['period'], entry, entry['start'], entry['end']))
      if 'withoutTime' in data:
          want.append(expected('withoutTime', None, data['withoutTime']))
      for section, plural in [('author', 'authors'), ('bundle', 'bundles'),
                              ('process', 'processes'), ('entity', 'entities'), ('kind', 'kinds')]:
          want += [expected(section, entry[section], entry) for entry in data[plural]]
          if plural in data.get('notListed', {}):
              want.append(expected('notListed', plural, data['notListed'][plural]))
      want += [frequent('object', entry['object'], entry) for entry in data['objects']]
      want += [frequent('attribute', entry['entity'] + '.' + entry['attribute'], entry)
               for entry in data['attributes']]
      for row in rows:
          if row['share']:
              row.update(share=float(row['share']), interval=float(row['interval']) if row['interval'] else None)
      assert rows == want, (rows, want)
      print(len(rows), any('"quoted"' in row['key'] for row in rows))
      """
    let python = try #require(Tool("python3"))
    let read = try await python.run(["-c", script], folder: sample.folder.path)
    #expect(read.status == 0, "\(read.errors)")
    #expect(options == " --top 1" || read.text.hasSuffix("True\n"))
  }

  // MARK: - Time

  /// Times around the changes of the clock, and python's own time zones to sort them by.
  @Test(
    .enabled(if: Tool("python3") != nil),
    arguments: [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo",
      "Asia/Kathmandu", "Africa/Cairo", "UTC",
    ]) func `periods follow the local clock`(_ zone: String) async throws
  {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    var times: [Double] = []
    // 2018 had changes of the clock at midnight in São Paulo.
    for (start, step, count) in [
      (536_457_600.25, 9 * 3600.0 + 7, 971), (536_450_000.5, 613.0, 250),
    ] {
      times += (0..<count).map { start + Double($0) * step }
    }
    // 2018-03-25T01:00Z, 2018-10-28T01:00Z, 2018-03-11T07:00Z, 2018-11-04T06:00Z,
    // 2018-03-31T15:00Z, 2018-10-06T15:30Z, 2018-11-04T03:00Z, 2018-02-18T02:00Z.
    for change in [
      543_632_400.0, 562_381_200, 542_444_400, 563_004_000, 544_201_200, 560_532_600, 562_993_200,
      540_612_000,
    ] {
      times += stride(from: -7200.0, through: 7200, by: 900).map { change + $0 }
      times += [change - 0.25, change + 0.25]
    }
    try await Self.write(times, to: writer)
    let script = """
      import json, sys, zoneinfo, datetime, collections
      zone = zoneinfo.ZoneInfo(sys.argv[1])
      unit = sys.argv[2]
      want = collections.Counter()
      for text in open('times'):
          moment = datetime.datetime.fromtimestamp(978307200 + float(text), datetime.timezone.utc)
          local = moment.astimezone(zone)
          if unit == 'hour':
              offset = local.utcoffset().total_seconds()
              name = local.strftime('%Y-%m-%dT%H:00'), offset
          elif unit == 'day':
              name = local.strftime('%Y-%m-%d')
          elif unit == 'week':
              monday = local.date() - datetime.timedelta(days=local.weekday())
              name = monday.isoformat()
          else:
              name = local.strftime('%Y-%m')
          want[name] += 1
      got = collections.Counter()
      for entry in json.load(sys.stdin)['periods']:
          name = entry['period']
          start = datetime.datetime.fromisoformat(entry['start'].replace('Z', '+00:00'))
          end = datetime.datetime.fromisoformat(entry['end'].replace('Z', '+00:00'))
          assert start < end, entry
          begins = start.astimezone(zone)
          if unit == 'hour':
              assert (end - start).total_seconds() <= 3600
              offset = begins.utcoffset().total_seconds()
              name = name[:16], offset
              assert begins.strftime('%Y-%m-%dT%H:00') == name[0], (entry, begins)
          else:
              assert begins.strftime('%Y-%m-%d').startswith(name), (entry, begins)
          got[name] += entry['transactions']
      assert got == want, (got - want, want - got)
      print(len(got))
      """
    try FileBytes.write(
      Array(times.map { "\($0)\n" }.joined().utf8), to: folder.file("times"))
    let python = try #require(Tool("python3"))
    for unit in ["hour", "day", "week", "month"] {
      let stats = try await InProcess.run(
        ["stats", "x.store", "--json", "--by", unit], environment: ["TZ": zone],
        folder: folder.path)
      #expect(stats.status == 0)
      let read = try await python.run(
        ["-c", script, zone, unit], input: stats.text, folder: folder.path)
      #expect(read.status == 0, "\(unit): \(read.errors)")
    }
    // With UTC the time zone does not matter.
    let universal = try await InProcess.run(
      ["stats", "x.store", "--json", "--by", "day", "--date", "utc"], environment: ["TZ": zone],
      folder: folder.path)
    let read = try await python.run(
      ["-c", script, "UTC", "day"], input: universal.text, folder: folder.path)
    #expect(read.status == 0, "\(read.errors)")
  }

  private static func write(_ times: [Double], to writer: StoreWriter) async throws {
    try writer.insert(
      into: "ATRANSACTION",
      times.enumerated().map { index, time in
        [
          ("Z_PK", .integer(Int64(index + 1))), ("Z_ENT", .integer(16002)),
          ("ZTIMESTAMP", .real(time)),
        ]
      })
    try writer.close()
  }

  /// The day on which clocks go back has 25 hours, and two of them have the same name.
  @Test func `a day of 25 hours has all of them`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    // 2018-10-28, from 00:30 to 23:30 in Berlin.
    try await Self.write((0..<25).map { 562_372_200.5 + Double($0) * 3600 }, to: writer)
    func stats(_ unit: String) async throws -> Object {
      try Self.object(
        try await InProcess.run(
          ["stats", "x.store", "--by", unit, "--json"], environment: ["TZ": "Europe/Berlin"],
          folder: folder.path))
    }
    #expect(Self.lines(try await stats("day"), "periods", "period") == ["2018-10-28|25|0|0|0"])
    let hours = Self.lines(try await stats("hour"), "periods", "period")
    #expect(hours.count == 25)
    #expect(hours.contains("2018-10-28T02:00+02:00|1|0|0|0"))
    #expect(hours.contains("2018-10-28T02:00+01:00|1|0|0|0"))
  }

  @Test func `each period has a line`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    // 2024-03-03, 04 and twice 14.
    try await Self.write([731_200_000.5, 731_286_400.5, 732_150_400.5, 732_150_500.5], to: writer)
    let result = try await InProcess.run(
      ["stats", "x.store", "--by", "day"], folder: folder.path)
    let table = result.text.split(separator: "\n\n").first { $0.hasPrefix("DAY") }
    let labels = table?.split(separator: "\n").map { $0.prefix { $0 != " " } }
    #expect(labels == ["DAY", "2024-03-03", "2024-03-04", "(9", "2024-03-14"])
    #expect(table?.contains("\n(9 days)\n") == true)
    // The row of small bars has a place for each of the twelve days.
    let bars = result.lines.drop { $0 != "ACTIVITY" }.dropFirst().first
    #expect(bars == "▄▄         █")
  }

  // MARK: - Conditions

  @Test(arguments: [
    "--author widget", "--not-author app", "--no-author", "--bundle com.example.Trips",
    "--process none", "--entity Trip", "--kind delete", "--object Trip/p1", "--attribute name",
    "--after 4", "--until 6", "--after 2024-07-29T00:45:00Z", "--author app --kind update",
  ]) func `conditions select the same as in log`(_ options: String) async throws {
    let sample = try SampleFolder()
    let log = try await sample.run("log sample.store --json \(options)")
    let stats = try Self.object(try await sample.run("stats sample.store --json \(options)"))
    #expect(stats["transactions"] as? Int == log.lines.count)
    let changes = try log.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Object
      return (object?["changes"] as? [Any])?.count ?? 0
    }
    #expect(stats["changes"] as? Int == changes.reduce(0, +))
    let text = try await sample.run("stats sample.store \(options)")
    #expect(text.lines.dropFirst().first?.hasPrefix("selected    ") == true)
    #expect(text.status == 0)
  }

  // MARK: - What is wrong

  struct Mistake: Sendable, CustomTestStringConvertible {
    let options: String
    let words: String
    var testDescription: String { options }
  }

  @Test(arguments: [
    Mistake(options: "--by year", words: "--by"), Mistake(options: "--top 0", words: "--top"),
    Mistake(options: "--top x", words: "--top"),
    Mistake(options: "--until-size 100", words: "the unit is missing"),
    Mistake(options: "--until-size 0M", words: "less than a byte"),
    Mistake(options: "--until-size -5M", words: "--until-size"),
    Mistake(options: "--until-size 5X", words: "unknown unit"),
    Mistake(options: "--until-size M", words: "not a size"),
    Mistake(options: "--until-size 1.2.3M", words: "not a size"),
    Mistake(options: "--until-size 999999999999P", words: "too large"),
    Mistake(options: "--until-size 1M --author app", words: "the whole history"),
    Mistake(options: "--csv --json", words: "cannot be combined"),
    Mistake(options: "--csv --until-size 1M", words: "--until-size"),
    Mistake(options: "--entity Trop", words: "did you mean Trip?"),
    Mistake(options: "--nothing", words: "--nothing"),
  ]) func `mistakes end with 64`(_ mistake: Mistake) async throws {
    let result = try await SampleFolder().run("stats sample.store \(mistake.options)")
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errors.contains(mistake.words), "\(result.errors)")
  }

  @Test(arguments: [
    ("1B", 1), ("1K", 1024), ("1KiB", 1024), ("1kb", 1000), ("100M", 104_857_600),
    ("1.5G", 1_610_612_736), ("0.001K", 1), ("2P", 2_251_799_813_685_248), ("10MB", 10_000_000),
  ]) func `sizes have units`(_ text: String, _ bytes: Int) async throws {
    let object = try Self.object(
      try await SampleFolder().run("stats sample.store --json --until-size \(text)"))
    #expect((object["forecast"] as? Object)?["size"] as? Int == bytes)
  }

  @Test func `the forecast is a word or a date`() async throws {
    let sample = try SampleFolder()
    #expect(
      try await sample.run("stats sample.store --until-size 1B").text
        .contains("\n1 B         already reached\n"))
    #expect(
      try await sample.run("stats sample.store --until-size 1G").text
        .contains(#/\n1.0 GiB     in [\d,]+ days, \d{4}-\d\d-\d\d .*at the present rate\n/#))
  }

  @Test func `the forecast follows the rate in the table`() async throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 3000, changesEach: 7, sizes: [40: 900, 2000: 3000])
    let line = ["stats", path, "--until-size", "1G"]
    let object = try Self.object(try await InProcess.run(line + ["--json"]))
    let forecast = try #require(object["forecast"] as? Object)
    let days = try #require(forecast["days"] as? Double)
    let rate = try #require(forecast["bytesPerDay"] as? Double)
    let bytes = try #require(object["historyBytes"] as? Int)
    #expect(abs(days * rate + Double(bytes) - Double(1 << 30)) < 1)
    let shown = object["last30Days"] as? Object ?? object["rate"] as? Object
    #expect(shown?["bytesPerDay"] as? Double == rate)
    #expect(object["bytes"] as? Int == bytes)
  }

  @Test func `pages without rows count as bytes`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    let object = try Self.object(
      try await sample.run("stats sample.store --json --until-size 1G"))
    let bytes = try #require(object["historyBytes"] as? Int)
    #expect(bytes > 0 && object["bytes"] as? Int == bytes)
    #expect((object["rate"] as? Object)?["bytesPerDay"] as? Double == 0)
    #expect((object["forecast"] as? Object)?["state"] as? String == "never")
    let info = try Self.object(try await sample.run("info sample.store --json"))
    #expect(info["historyBytes"] as? Int == bytes)
    let text = try await sample.run("stats sample.store --until-size 1G")
    #expect(text.lines.last == "1.0 GiB     never: the history does not grow")
    let history = try await sample.run("info sample.store").lines.first { $0.hasPrefix("history") }
    #expect(text.lines.contains { $0 == history })
    let table = try await sample.run("stats sample.store --csv")
    #expect(table.lines.last == "total,,0,0,0,0,0,0,\(bytes),,,,,")
  }

  @Test func `the forecast is unknown without times`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL")
    let text = try await sample.run("stats sample.store --until-size 1G")
    #expect(text.lines.contains("1.0 GiB     unknown: no transaction has a usable time"))
    let reached = try await sample.run("stats sample.store --until-size 1B")
    #expect(reached.lines.contains("1 B         already reached"))
  }

  @Test func `stores without history end with 8, and empty ones have no activity`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("plain.store"), shape: shape).close()
    try StoreWriter(path: folder.file("empty.store")).close()
    let plain = try await InProcess.run(["stats", "plain.store"], folder: folder.path)
    #expect(plain.status == 8 && plain.text == "")
    #expect(plain.errors.contains("plain.store keeps no history"))
    let empty = try await InProcess.run(["stats", "empty.store"], folder: folder.path)
    #expect(empty.status == 0 && empty.errors == "")
    #expect(empty.text.contains("history     0 transactions, 0 changes"))
    let object = try Self.object(
      try await InProcess.run(
        ["stats", "empty.store", "--json", "--until-size", "1M"], folder: folder.path))
    #expect(object["transactions"] as? Int == 0 && object["oldest"] is NSNull)
    #expect((object["periods"] as? [Any])?.isEmpty == true)
    let table = try await InProcess.run(["stats", "empty.store", "--csv"], folder: folder.path)
    #expect(table.lines.count == 2)
    if Tool.hasTerminals {
      let terminal = try await Tool.histctl.runOnTerminal(
        ["stats", folder.file("empty.store"), "--no-pager", "--color", "never"])
      #expect(terminal.text.contains("the history is empty"))
    }
  }

  @Test func `an expired token ends with 4`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 3")
    let result = try await sample.run("stats sample.store --after 1")
    #expect(result.status == 4 && result.output.isEmpty)
    #expect(result.errors.contains("token 1 has expired"), "\(result.errors)")
  }

  // MARK: - Hostile stores

  @Test func `damaged rows are counted`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 1;
      UPDATE ATRANSACTION SET ZTIMESTAMP = 'text' WHERE Z_PK = 2;
      UPDATE ATRANSACTION SET ZTIMESTAMP = 1e308 WHERE Z_PK = 3;
      UPDATE ATRANSACTION SET ZTIMESTAMP = 9e999, ZAUTHORTS = 'x' WHERE Z_PK = 12;
      UPDATE ACHANGE SET ZENTITY = 'text', ZCHANGETYPE = 1e300 WHERE Z_PK = 1;
      UPDATE ACHANGE SET ZTRANSACTIONID = 'text' WHERE Z_PK = 2;
      UPDATE ACHANGE SET ZTRANSACTIONID = 9223372036854775807 WHERE Z_PK = 3;
      UPDATE ATRANSACTIONSTRING SET ZNAME = char(27) || '[2Jclear' WHERE ZNAME = 'widget';
      """)
    for options in ["", " --by hour", " --by month --date utc", " --csv", " --json"] {
      let result = try await sample.run("stats sample.store\(options)")
      #expect(
        result.status == 5 && result.errors.contains("sample.store is damaged: ACHANGE: "),
        "\(result.errors)")
    }
    let object = try Self.object(try await sample.run("stats sample.store --json"))
    #expect((object["withoutTime"] as? Object)?["transactions"] as? Int == 4)
    // Two changes belong to no transaction that is there.
    #expect(object["changes"] as? Int == 25 && object["others"] as? Int == 1)
    let text = try await sample.run("stats sample.store")
    #expect(text.text.contains("\nno time     4 transactions without a usable time\n"))
    guard Tool.hasTerminals else { return }
    for options in [[], ["--csv"]] {
      let terminal = try await Tool.histctl.runOnTerminal(
        ["stats", sample.store, "--no-pager", "--color", "never"] + options)
      #expect(!terminal.output.contains(0x1B))
      #expect(terminal.text.contains(#"\e[2Jclear"#))
    }
  }

  // MARK: - Terminals

  @Test(.enabled(if: Tool.hasTerminals), arguments: [40, 60, 80, 120, 200])
  func `lists fit the terminal`(_ columns: Int) async throws {
    let sample = try SampleFolder()
    for locale in ["C.UTF-8", "C"] {
      let result = try await Tool.histctl.runOnTerminal(
        ["stats", sample.store, "--no-pager", "--color", "never", "--by", "hour", "--quiet"],
        columns: columns, environment: ["LC_ALL": locale])
      #expect(result.status == 0)
      let lists = result.text.split(separator: "\n").drop { $0 != "ACTIVITY" }
      #expect(lists.count > 15, "\(result)")
      for line in lists { #expect(line.count <= columns, "\(line)") }
      #expect(lists.contains { $0.contains(locale == "C" ? "####" : "████") })
      // Figures are worth more than bars.
      if columns >= 80 { #expect(lists.contains { $0.contains("  INSERTS  UPDATES  DELETES") }) }
      if locale == "C" { #expect(!result.text.contains("█") && !result.text.contains("▁")) }
      #expect(lists.contains { $0.hasPrefix("2024-07-29T00:00Z ") })
    }
  }

  @Test func `CSV fields are quoted if necessary`() {
    let row = CSVWriter.row(["a", nil, "", "b,c", "d\"e", "f\r\ng", " h", "i\0", "=1"])
    // A NUL is written as in exports: many readers of CSV reject one, or end the text there.
    #expect(
      String(decoding: row, as: UTF8.self)
        == "a,,\"\",\"b,c\",\"d\"\"e\",\"f\r\ng\", h,\"{\"\"$text\"\":\"\"aQA=\"\"}\",=1\n")
    #expect(CSVWriter.row(["=1"], guardsFormulas: true) == Array("'=1\n".utf8))
  }

  @Test func `the bytes a day are said to leave out what an empty history takes`() async throws {
    let result = try await SampleFolder().run("stats sample.store")
    #expect(
      result.text.contains(
        #/\nbytes a day leave out the \d+\.\d KiB that an empty history takes\n/#),
      "\(result.text)")
  }
}
