import Foundation
import StoreFormat
import TestSupport
import Testing

/// When each author was at work, by `stats --sessions` and `stats --weekdays`.
@Suite(.bounded, .enabled(if: Tool("python3") != nil)) struct SessionTests {
  private static let identifier = StoreWriter.identifier

  /// A folder with a store whose transactions have these times and authors, and one change each.
  private static func folder(
    _ saves: [(time: Double?, author: String?)]
  ) async throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("x.store"))
    var sql = """
      DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 WHERE Z_ENT IN (16001, 16002, 16003);
      """
    let authors = Set(saves.compactMap(\.author)).sorted()
    for (place, author) in authors.enumerated() {
      sql +=
        "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (\(place + 1), 16003, '\(author)');"
    }
    for (place, save) in saves.enumerated() {
      let author = save.author.flatMap { authors.firstIndex(of: $0) }.map { "\($0 + 1)" } ?? "NULL"
      let time = save.time.map { "\($0)" } ?? "NULL"
      sql += """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS) VALUES
          (\(place + 1), 16002, \(time), \(author));
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES
          (\(place + 1), 16001, 0, 5, 1, \(place + 1));
        """
    }
    try StoreQuery(path: path).run(sql)
    return folder
  }

  private static func run(
    _ line: String, in folder: TemporaryFolder, environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), environment: environment, folder: folder.path)
  }

  /// Saves of three authors over a year, some far apart, some at the same time.
  private static func saves(_ seed: UInt64) -> [(time: Double?, author: String?)] {
    var generator = SeededGenerator(seed: seed)
    var time = 700_000_000.0
    return (0..<800).map { _ in
      time += pow(10, Double.random(in: -1...4.3, using: &generator))
      return (time, ["app", "widget", nil].randomElement(using: &generator) ?? nil)
    }
  }

  /// The rule once more, by the times of each author alone.
  private static let script = """
    import json, sqlite3, sys, datetime
    pause = float(sys.argv[2])
    database = sqlite3.connect(sys.argv[1])
    saves = {}
    for number, time, author in database.execute(
        "select t.Z_PK, ZTIMESTAMP, ZNAME from ATRANSACTION t"
        " left join ATRANSACTIONSTRING s on s.Z_PK = ZAUTHORTS order by t.Z_PK"):
        saves.setdefault(author, []).append((number, time))
    want = []
    for author, list in saves.items():
        session = None
        for number, time in list:
            if session and time - session[2] < pause:
                session[2], session[4], session[5] = time, number, session[5] + 1
            else:
                session = [author, time, time, number, number, 1]
                want.append(session)
    want.sort(key=lambda one: (one[1], one[3]))
    def seconds(text):
        moment = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
        return moment.timestamp() - 978307200
    got = [json.loads(line) for line in sys.stdin]
    assert len(got) == len(want), (len(got), len(want))
    for one, other in zip(got, want):
        assert one['type'] == 'session' and one['changes'] == one['transactions'], one
        assert [one['author'], one['first'], one['last'], one['transactions']] == \\
            [other[0], other[3], other[4], other[5]], (one, other)
        assert abs(seconds(one['start']) - other[1]) < 1e-5, (one, other)
        assert abs(seconds(one['end']) - other[2]) < 1e-5, (one, other)
        assert abs(one['seconds'] - (other[2] - other[1])) < 1e-5, (one, other)
    print(len(got))
    """

  @Test(arguments: ["30min", "10s", "3h", "2d"])
  func `sessions agree with Python`(_ pause: String) async throws {
    let folder = try await Self.folder(Self.saves(UInt64(pause.count)))
    let seconds = ["30min": "1800", "10s": "10", "3h": "10800", "2d": "172800"][pause] ?? ""
    let options = pause == "30min" ? "--sessions" : "--sessions=\(pause)"
    let result = try await Self.run("stats x.store \(options) --json", in: folder)
    #expect(result.status == 0 && result.errors == "")
    let python = try #require(Tool("python3"))
    let read = try await python.run(
      ["-c", Self.script, "x.store", seconds], input: result.text, folder: folder.path)
    #expect(read.status == 0, "\(read.errors)")
    try await SchemaCheck.expectFits(result.text)
  }

  @Test
  func `a pause of the given length ends a session, and a shorter one does not`() async throws {
    let folder = try await Self.folder([
      (743_906_560, "app"), (743_906_560 + 1799, "app"), (743_906_560 + 1800, "widget"),
      (743_906_560 + 1799 + 1800, "app"), (743_906_560 + 90_000, nil),
    ])
    let result = try await Self.run("stats x.store --sessions", in: folder)
    #expect(
      result.text == """
        START                END                  DURATION  FIRST  LAST  TRANSACTIONS  CHANGES  AUTHOR
        2024-07-29 00:42:40  2024-07-29 01:12:39   0:29:59      1     2             2        2  app
        2024-07-29 01:12:40  2024-07-29 01:12:40   0:00:00      3     3             1        1  widget
        2024-07-29 01:42:39  2024-07-29 01:42:39   0:00:00      4     4             1        1  app
        2024-07-30 01:42:40  2024-07-30 01:42:40   0:00:00      5     5             1        1  (none)

        """)
    let csv = try await Self.run("stats x.store --sessions --csv", in: folder)
    #expect(
      csv.lines[0...1] == [
        "start,end,seconds,transactions,changes,first,last,author",
        "2024-07-29T00:42:40.000000Z,2024-07-29T01:12:39.000000Z,1799.0,2,2,1,2,app",
      ])
    let narrow = try await Self.run(
      "stats x.store --sessions --author widget", in: folder, environment: ["COLUMNS": "60"])
    #expect(narrow.lines.count == 2)
  }

  @Test
  func `impossible times are in no session, and a clock set back begins one`()
    async throws
  {
    let folder = try await Self.folder([
      (743_906_560, "app"), (nil, "app"), (1e300, "app"), (-5, "app"), (743_906_500, "app"),
      (743_800_000, "app"), (743_906_570, "app"),
    ])
    let result = try await Self.run("stats x.store --sessions --date utc", in: folder)
    #expect(
      result.rows.dropFirst().map {
        $0.split(separator: " ").prefix(6).joined(separator: " ")
      } == [
        "2024-07-27T19:06:40Z 2024-07-27T19:06:40Z 0:00:00 6 6 1",
        "2024-07-29T00:41:40Z 2024-07-29T00:42:40Z 0:01:00 1 5 2",
        "2024-07-29T00:42:50Z 2024-07-29T00:42:50Z 0:00:00 7 7 1",
      ])
    #expect(result.errors.contains("3 transactions without a usable time are in no session"))
  }

  @Test(arguments: [
    ("--sessions=30m", "which could be minutes or months"),
    ("--sessions=0s", "greater than zero"),
    ("--sessions=1mo", "months differ in length"), ("--sessions --by day", "cannot be combined"),
    ("--sessions --weekdays", "cannot be combined"),
    ("--sessions --until-size 1G", "cannot be combined"),
    ("--sessions x.store", "after the store"),
  ]) func `mistakes end with 64`(_ options: String, _ words: String) async throws {
    let folder = try await Self.folder([])
    let result = try await Self.run("stats x.store \(options)", in: folder)
    #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
  }

  // MARK: - The week

  @Test(arguments: ["Europe/Berlin", "Asia/Kathmandu", "UTC"])
  func `the hours of weekdays agree with Python`(_ zone: String) async throws {
    let folder = try await Self.folder(Self.saves(7))
    let script = """
      import collections, datetime, json, sqlite3, sys, zoneinfo
      zone = zoneinfo.ZoneInfo(sys.argv[1])
      want = collections.Counter()
      for (time,) in sqlite3.connect('x.store').execute('select ZTIMESTAMP from ATRANSACTION'):
          moment = datetime.datetime.fromtimestamp(978307200 + time, datetime.timezone.utc)
          local = moment.astimezone(zone)
          want[local.isoweekday(), local.hour] += 1
      got = collections.Counter({(one['weekday'], one['hour']): one['transactions']
                                 for one in json.load(sys.stdin)['weekHours']})
      assert got == want, (got - want, want - got)
      """
    let python = try #require(Tool("python3"))
    for (options, name) in [("", zone), (" --date utc", "UTC")] {
      let result = try await Self.run(
        "stats x.store --weekdays --json" + options, in: folder, environment: ["TZ": zone])
      let read = try await python.run(
        ["-c", script, name], input: result.text, folder: folder.path)
      #expect(read.status == 0, "\(read.errors)")
    }
  }

  @Test
  func `weekdays have a row with a bar for each hour and a sum`() async throws {
    // Monday at 00:42 and 23:42, and Sunday at 12:42.
    let folder = try await Self.folder([
      (743_906_560, "app"), (743_906_570, "app"), (743_906_560 + 23 * 3600, "app"),
      (743_906_560 - 12 * 3600, "app"),
    ])
    let text = try await Self.run("stats x.store --weekdays", in: folder).text
    let table = text.split(separator: "\n").drop { !$0.hasPrefix("LOCAL") }.prefix(8)
    #expect(
      table.map { $0.split(separator: " ").joined(separator: " ") } == [
        "LOCAL 00 03 06 09 12 15 18 21 TRANSACTIONS", "Mon █ ▄ 3", "Tue 0", "Wed 0", "Thu 0",
        "Fri 0", "Sat 0", "Sun ▄ 1",
      ])
    let lines = table.map(String.init)
    #expect(lines[1].firstIndex(of: "█") == lines[0].firstRange(of: "00")?.lowerBound)
    #expect(try await Self.run("stats x.store", in: folder).text.contains("LOCAL") == false)
    let csv = try await Self.run("stats x.store --weekdays --csv", in: folder)
    #expect(csv.lines.contains { $0.hasPrefix("weekHour,Mon 00,2,2,2,0,0,0,") })
  }
}
