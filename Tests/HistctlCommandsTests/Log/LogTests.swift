import TestSupport
import Testing

/// What each option of `log` selects and how it is written, on a store of twelve transactions.
@Suite(.bounded) struct LogTests {
  /// The lines of the twelve transactions, as the sample store has them; the first is number 1.
  static let rows = [
    "    1  2024-07-29 00:42:40  app     Trips    Trip +1  BucketListItem +1  LivingAccommodation +1",
    "    2  2024-07-29 00:43:40  widget  Trips    Trip ~1  BucketListItem ~1",
    "    3  2024-07-29 00:44:40          Trips    LivingAccommodation ~1",
    "    4  2024-07-29 00:45:40  app     Trips    Trip -1  LivingAccommodation -1  BucketListItem -1",
    "    5  2024-07-29 00:46:40  app     Trips    Trip +1  BucketListItem +1  LivingAccommodation +1",
    "    6  2024-07-29 00:47:40  widget  Trips    Trip ~1  BucketListItem ~1",
    "    7  2024-07-29 00:48:40          Trips    LivingAccommodation ~1",
    "    8  2024-07-29 00:49:40  app     Trips    Trip -1  LivingAccommodation -1  BucketListItem -1",
    "    9  2024-07-29 00:50:40  app     Trips    Trip +1  BucketListItem +1  LivingAccommodation +1",
    "   10  2024-07-29 00:51:40  widget  Trips    Trip ~1  BucketListItem ~1",
    "   11  2024-07-29 00:52:40          Trips    LivingAccommodation ~1",
    "   12  2024-07-29 00:53:40  app     Trips    Trip -1  LivingAccommodation -1  BucketListItem -1",
  ]

  struct Selection: Sendable, CustomTestStringConvertible {
    let options: String
    let numbers: [Int]
    var testDescription: String { "log " + options }

    init(_ options: String, _ numbers: [Int]) {
      self.options = options
      self.numbers = numbers
    }
  }

  static let selections = [
    Selection("", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
    Selection("--reverse", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    Selection("-n 2", [12, 11]),
    Selection("-n2", [12, 11]),
    Selection("-n 0", []),
    Selection("-n 99", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
    Selection("-n 3 --reverse", [10, 11, 12]),
    Selection("-n 2 --reverse --author widget", [6, 10]),
    Selection("--skip 0 -n 1", [12]),
    Selection("--skip 9", [3, 2, 1]),
    Selection("--skip 12", []),
    Selection("--skip 9223372036854775807", []),
    Selection("--skip 2 -n 3", [10, 9, 8]),
    Selection("--skip 2 -n 3 --reverse", [8, 9, 10]),
    Selection("--skip 1 --author widget", [6, 2]),
    Selection("--skip 1 -n 1 --reverse --kind delete --until 11", [4]),
    Selection("--author widget", [10, 6, 2]),
    Selection("--author widget --author app", [12, 10, 9, 8, 6, 5, 4, 2, 1]),
    Selection("--author App", []),
    Selection("--not-author app", [11, 10, 7, 6, 3, 2]),
    Selection("--not-author app --not-author widget", [11, 7, 3]),
    Selection("--no-author", [11, 7, 3]),
    Selection("--no-author --author widget", [11, 10, 7, 6, 3, 2]),
    Selection("--bundle com.example.Trips -n 1", [12]),
    Selection("--bundle com.example", []),
    Selection("--bundle com.example --bundle com.example.Trips -n 1", [12]),
    Selection("--process Trips -n 1", [12]),
    Selection("--process trips", []),
    Selection("--after 10", [12, 11]),
    Selection("--after 0 --until 1", [1]),
    Selection("--after 12", []),
    Selection("--after last", []),
    Selection("--after first -n 1 --reverse", [12]),
    Selection("--after last~2", [12, 11]),
    Selection("--until first~1", [2, 1]),
    Selection("--until 2", [2, 1]),
    Selection("--after 4 --until 6", [6, 5]),
    Selection("--after 6 --until 4", []),
    Selection("--after 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:11", [12]),
    Selection("--after 2024-07-29T00:52:40Z", [12, 11]),
    Selection("--after 2024-07-29T00:52:40.5Z", [12]),
    Selection("--until 2024-07-29T00:43:40Z", [1]),
    Selection("--after 2024-07-29T02:52:40+02:00", [12, 11]),
    Selection("--until 2001-01-01", []),
    Selection("--after 2200-01-01", []),
    Selection("--entity Tag", []),
    Selection("--entity LivingAccommodation --kind update", [11, 7, 3]),
    Selection("--entity Trip --kind insert", [9, 5, 1]),
    Selection("--entity Trip --kind insert --kind delete", [12, 9, 8, 5, 4, 1]),
    Selection("--entity Trip --entity LivingAccommodation --kind update", [11, 10, 7, 6, 3, 2]),
    Selection("--kind delete", [12, 8, 4]),
    Selection("--object Trip/p1", [4, 2, 1]),
    Selection("--object Trip/p1 --kind update", [2]),
    Selection("--object Trip/p1 --object Trip/p5 --kind insert", [5, 1]),
    Selection("--object Trip/p99", []),
    Selection(
      "--object x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1 --kind delete", [4]),
    Selection("--attribute isDone", [10, 6, 2]),
    Selection("--attribute items", [10, 6, 2]),
    Selection("--attribute cost", []),
    Selection("--attribute trip --entity LivingAccommodation", [11, 7, 3]),
    Selection("--attribute isDone --attribute isConfirmed -n 2", [11, 10]),
  ]

  @Test(arguments: selections) func `options select the transactions`(
    _ selection: Selection
  ) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("log sample.store " + selection.options)
    #expect(result.rows == selection.numbers.map { Self.rows[$0 - 1] })
    #expect(Self.isExpected(result.errors, selection.numbers))
    #expect(result.status == (selection.options == "--object Trip/p99" ? 1 : 0))
  }

  /// Whether nothing is said, or why nothing can be found.
  private static func isExpected(_ errors: String, _ numbers: [Int]) -> Bool {
    errors == ""
      || numbers.isEmpty
        && ["no transaction has the ", "is neither in the store nor", "the range is empty"]
          .contains(
            where: errors.contains)
  }

  /// A few of them again, as lines for programs.
  @Test(arguments: selections.enumerated().filter { $0.offset % 9 == 1 }.map(\.element))
  func `options select the same lines of JSON`(_ selection: Selection) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("log sample.store --json " + selection.options)
    let numbers = result.lines.map { line in
      line.firstMatch(of: #/"transaction":(\d+)/#).flatMap { Int($0.1) }
    }
    #expect(numbers == selection.numbers)
    #expect(Self.isExpected(result.errors, selection.numbers))
    #expect(result.status == 0)
  }

  // MARK: - Forms

  struct Golden: Sendable, CustomTestStringConvertible {
    let line: String
    let output: String
    var testDescription: String { line }

    init(_ line: String, _ output: String) {
      self.line = line
      self.output = output + "\n"
    }
  }

  static let goldens = [
    Golden(
      "log sample.store -n 2 --changes",
      """
      12  2024-07-29 00:53:40  app  Trips
          - Trip/p9  identifier: 00010203-0405-0607-0809-0A0B0C0D0E0F, isFavorite: true, \
      name: "Rome 12", score: 120, startDate: 2024-07-29T00:42:37Z, token: 3 bytes
          - LivingAccommodation/p9  placeName: "Hotel"
          - BucketListItem/p9

      11  2024-07-29 00:52:40  -  Trips
          ~ LivingAccommodation/p9  trip, isConfirmed
      """),
    Golden(
      "log sample.store --changes --only-matching --entity Trip --kind update --reverse",
      """
      2  2024-07-29 00:43:40  widget  Trips
          ~ Trip/p1  name, startDate, items

      6  2024-07-29 00:47:40  widget  Trips
          ~ Trip/p5  name, startDate, items

      10  2024-07-29 00:51:40  widget  Trips
          ~ Trip/p9  name, startDate, items
      """),
    Golden(
      "log sample.store --changes --entity Trip --kind update -n 1",
      """
      10  2024-07-29 00:51:40  widget  Trips
          ~ Trip/p9  name, startDate, items
          ~ BucketListItem/p9  isDone
      """),
    Golden(
      "log sample.store --only-matching --object Trip/p1",
      """
          4  2024-07-29 00:45:40  app     Trips    Trip -1
          2  2024-07-29 00:43:40  widget  Trips    Trip ~1
          1  2024-07-29 00:42:40  app     Trips    Trip +1
      """),
    Golden(
      "log sample.store -n 1 --qualified",
      """
      1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:12  2024-07-29 00:53:40  app     Trips    \
      Trip -1  LivingAccommodation -1  BucketListItem -1
      """),
    Golden(
      "log sample.store -n 1 --date utc --author widget",
      "   10  2024-07-29T00:51:40Z  widget  Trips    Trip ~1  BucketListItem ~1"),
    Golden(
      "log sample.store -n 1 --date raw --author widget",
      "   10  743907100.0  widget  Trips    Trip ~1  BucketListItem ~1"),
    Golden(
      "log sample.store -n 1 --color always --author widget",
      "   \u{1B}[36m10\u{1B}[0m  2024-07-29 00:51:40  widget  \u{1B}[2mTrips\u{1B}[0m    "
        + "Trip \u{1B}[33m~1\u{1B}[0m  BucketListItem \u{1B}[33m~1\u{1B}[0m"),
    Golden(
      "log sample.store -n 1 --color never --quiet --no-pager --author widget",
      "   10  2024-07-29 00:51:40  widget  Trips    Trip ~1  BucketListItem ~1"),
    Golden(
      "log sample.store --stat --skip 1 -n 3",
      """
      11  2024-07-29 00:52:40  -  Trips
          LivingAccommodation  ~1  █

      10  2024-07-29 00:51:40  widget  Trips
          Trip            ~1  █
          BucketListItem  ~1  █

      9  2024-07-29 00:50:40  app  Trips
          Trip                 +1  █
          BucketListItem       +1  █
          LivingAccommodation  +1  █
      """),
    Golden(
      "log sample.store --stat -n 1 --only-matching --entity Trip",
      """
      12  2024-07-29 00:53:40  app  Trips
          Trip  -1  █
      """),
    Golden(
      "log sample.store --stat --json -n 1 --author widget",
      """
      {"schema":1,"type":"transactionStat","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",\
      "transaction":10,"timestamp":"2024-07-29T00:51:40.000000Z","author":"widget",\
      "bundle":"com.example.Trips","process":"Trips","entities":[\
      {"entity":"Trip","inserts":0,"updates":1,"deletes":0},\
      {"entity":"BucketListItem","inserts":0,"updates":1,"deletes":0}]}
      """),
    Golden("log sample.store --count", "12"),
    Golden("log sample.store --count --author widget --skip 1", "2"),
    Golden("log sample.store --count -n 5 --author widget --kind delete", "0"),
    Golden(
      "log sample.store --count --json --after 10",
      #"{"schema":1,"type":"transactionCount","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","transactions":2}"#
    ),
    Golden(
      "log sample.store -n 1 --json --only-matching --entity BucketListItem --author widget",
      """
      {"schema":1,"type":"transaction","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F",\
      "transaction":10,"timestamp":"2024-07-29T00:51:40.000000Z","timestampRaw":743907100.0,\
      "author":"widget","bundle":"com.example.Trips","process":"Trips","partial":true,\
      "changes":[{"change":23,"kind":"update","entity":"BucketListItem","pk":9,\
      "attributes":["isDone"],"columnsRaw":"20"}]}
      """),
  ]

  @Test(arguments: goldens) func `log writes each form`(_ golden: Golden) async throws {
    let result = try await SampleFolder().run(golden.line)
    #expect(result.textOfRows == golden.output)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// How long ago depends on the day of the test; that it is a length of time does not.
  @Test func `dates can be relative`() async throws {
    let result = try await SampleFolder().run("log sample.store -n 1 --date relative")
    #expect(result.textOfRows.contains(#/^   12  \d+ y ago  app     Trips /#))
  }

  @Test func `local times follow the time zone`() async throws {
    let sample = try SampleFolder()
    for (zone, time) in [
      ("Asia/Tokyo", "2024-07-29 09:42:40"), ("America/New_York", "2024-07-28 20:42:40"),
    ] {
      let result = try await sample.run(
        "log sample.store --until 1", environment: ["TZ": zone])
      #expect(result.text.contains(time))
      let program = try await sample.run(
        "log sample.store --until 1 --json", environment: ["TZ": zone])
      #expect(program.text.contains(#""timestamp":"2024-07-29T00:42:40.000000Z""#))
    }
  }

  @Test func `a history longer than the measured rows is complete`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("long.store")
    let writer = try StoreWriter(path: path)
    // Around the number of rows that choose the widths of the columns.
    for number in 1...Int64(101) { try writer.transaction(number) }
    try writer.close()
    for count in [1, 99, 100, 101] {
      let result = try await InProcess.run(["log", path, "-n", "\(count)"])
      let numbers = result.lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
      #expect(numbers == Array((102 - count...101).reversed()))
    }
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `counts of real stores agree with SQL`(_ path: String) async throws {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    let number = try await InProcess.run(["log", copy, "--count"])
    guard number.status == 0 else { return #expect(number.status == 8) }
    let stat = try await InProcess.run(["log", copy, "--stat", "--json"])
    try await SchemaCheck.expectFits(stat.text, schema: "man/histctl-json.schema.json")
    var sums: [String: Int] = [:]
    for line in stat.lines {
      for match in line.matches(of: #/"(inserts|updates|deletes)":(\d+)/#) {
        sums[String(match.1), default: 0] += Int(match.2) ?? 0
      }
    }
    let sqlite = try #require(Tool("sqlite3"))
    func count(_ sql: String) async throws -> Int? {
      let prefix = try await sqlite.run(
        [copy, "SELECT substr(name, 1, 1) FROM sqlite_master WHERE name LIKE '_TRANSACTION'"])
      let letter = prefix.text.prefix(1)
      let result = try await sqlite.run([copy, sql.replacing("@", with: letter)])
      return Int(result.text.split(separator: "\n").first ?? "")
    }
    #expect(Int(number.lines.first ?? "") == (try await count("SELECT count(*) FROM @TRANSACTION")))
    #expect(stat.lines.count == Int(number.lines.first ?? ""))
    for (kind, name) in ["inserts", "updates", "deletes"].enumerated() {
      let expected = try await count(
        "SELECT count(*) FROM @CHANGE WHERE ZCHANGETYPE = \(kind) AND ZTRANSACTIONID IN "
          + "(SELECT Z_PK FROM @TRANSACTION)")
      #expect(sums[name] ?? 0 == expected, "\(name)")
    }
    // Every page of three, one after the other, is the whole list.
    guard let count = Int(number.lines.first ?? ""), count <= 40 else { return }
    var pages: [String] = []
    for skip in stride(from: 0, to: count, by: 3) {
      pages += try await InProcess.run(["log", copy, "--json", "--skip", "\(skip)", "-n", "3"])
        .lines
    }
    #expect(pages == (try await InProcess.run(["log", copy, "--json"])).lines)
  }

  @Test(arguments: [
    "--stat --changes", "--stat --count", "--count --changes", "--follow --count",
    "--follow --skip 1", "--skip -1",
  ])
  func `options that cannot be combined are refused`(_ options: String) async throws {
    let result = try await SampleFolder().run("log sample.store " + options)
    #expect(result.status == 64)
    #expect(result.text == "")
  }

  @Test func `bookmarks and files are tokens`() async throws {
    let sample = try SampleFolder()
    let bookmarks = """
      {"schema":1,"bookmarks":[
        {"name":"widget","token":{"storeTokens":{"\(SampleFolder.identifier)":10}},
         "timestampRaw":743907100.0}]}
      """
    try FileBytes.write(Array(bookmarks.utf8), to: sample.store + "-bookmarks.json")
    try FileBytes.write(Array(bookmarks.utf8), to: sample.folder.file("elsewhere.json"))
    try FileBytes.write(Array("11\n".utf8), to: sample.folder.file("token"))
    let after10 = [Self.rows[11], Self.rows[10]]
    for line in [
      "log sample.store --after @widget",
      "log sample.store --after @widget --bookmark-file elsewhere.json",
    ] {
      let result = try await sample.run(line)
      #expect(result.rows == after10)
    }
    let file = try await sample.run("log sample.store --after @./token")
    #expect(file.textOfRows == Self.rows[11] + "\n")
    let input = try await sample.run("log sample.store --after @-", input: "last~1")
    #expect(input.textOfRows == Self.rows[11] + "\n")
  }
}
