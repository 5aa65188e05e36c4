import Foundation
import StoreFormat
import TestSupport
import Testing

/// Old and new values from a store's log, through the commands.
@Suite(.bounded) struct LogValuesCommandTests {
  private let trips: OpenTrips

  /// Saves three transactions into the log: an update, an insert and a delete.
  init() throws {
    trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.insert("Trip", values: ["name": .text("Faro"), "score": .integer(7)]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
  }

  private func run(_ line: String) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), folder: trips.folder.path)
  }

  private func values(_ text: String) throws -> [String] {
    try text.split(separator: "\n").flatMap { line -> [String] in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let changes = json?["changes"] as? [[String: Any]] ?? []
      return changes.flatMap { change -> [String] in
        let source = change["valuesFrom"] as? String ?? "-"
        let values = change["values"] as? [String: [String: Any]] ?? [:]
        return values.keys.sorted().map { name in
          "\(change["change"] ?? "") \(source) \(name) \(values[name]?["old"] ?? "-") "
            + "\(values[name]?["new"] ?? "-")"
        }
      }
    }
  }

  @Test func `values from the log are shown with each kind of change`() async throws {
    #expect(
      try await run("show Trips.store 2").lines.contains(#"      name: "Rome" -> "Roma""#))
    let insert = try await run("show Trips.store 3").text
    #expect(insert.contains("  + Trip/p4\n"))
    #expect(insert.contains(#"      name: "Faro""# + "\n"))
    #expect(!insert.contains("nil"))
    #expect(
      try await run("show Trips.store 4").text.contains(#"      name: "Oslo""# + "\n"))
    let log = try await run("log Trips.store --changes").text
    #expect(log.contains(#"~ Trip/p1  name: "Rome" -> "Roma""#))
    #expect(log.contains(#"- Trip/p2  "#))
    #expect(
      try await run("diff Trips.store 1 2").text.contains(#"name: "Rome" -> "Roma""#))
    #expect(try await run("blame Trips.store Trip/p1").text.contains(#""Roma"  (was "Rome")"#))
    #expect(!(try await run("show Trips.store 2 --no-values")).text.contains("Rome"))
  }

  @Test func `differences of copies and CSV tables have values from the log`() async throws {
    #expect(try await run("snapshot Trips.store 2 -o old.store").status == 0)
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Rom")]) }
    let diff = try await run("diff Trips.store --with old.store").text
    #expect(
      diff.contains(#"name: "Roma" -> "Rom""#) && diff.contains(#"name: "Oslo""#), "\(diff)")
    let without = try await run("diff Trips.store --with old.store --no-values").text
    #expect(!without.contains("Roma"), "\(without)")
    let csv = try await run("export Trips.store --format csv")
    #expect(csv.lines.first?.hasSuffix(",transactionExtra,values") == true)
    #expect(csv.text.contains("Roma") && csv.text.contains("Rome"), "\(csv.text)")
  }

  @Test func `an archive keeps values for transactions that the store still has`() async throws {
    #expect(try await run("archive Trips.store history --quiet").status == 0)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(!(try await run("log Trips.store --changes").text.contains("Rome")))
    for line in [
      "log Trips.store --archive history --changes",
      "log Trips.store --archive history --changes --reverse",
      "show Trips.store 2 --archive history", "diff Trips.store 1 --archive history",
      "diff Trips.store 1 --archive history --each",
      "object Trips.store Trip/p1 --archive history",
    ] {
      let result = try await run(line)
      #expect(result.text.contains(#""Rome" -> "Roma""#), "\(line): \(result.text)")
    }
    let lines = try await run("log Trips.store --archive history --json --reverse").text
    #expect(try values(lines).contains("4 log name Rome Roma"))
    try trips.save { $0.insert("Trip", values: ["name": .text("Nice"), "score": .integer(1)]) }
    let exported = try await run("export Trips.store --archive history").text
    #expect(try values(exported).contains("4 log name Rome Roma"))
    #expect(try values(exported).contains("7 log name - Nice"))
    #expect(exported.split(separator: "\n").count == 5)
    #expect(
      try await run("export Trips.store --archive history --no-values").text
        .contains("Roma") == false)
    #expect(
      try await run("log Trips.store --archive history --value name=Roma --json").lines.count == 1)
    #expect(
      !(try await run("log Trips.store --archive history --changes --no-values").text
        .contains("Rome")))
    // Another save with the same number has none of them.
    try trips.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 2")
    #expect(try await run("show Trips.store 2 --archive history").text.contains("Rome") == false)
  }

  @Test func `exported lines have the source of their values`() async throws {
    let lines = try await run("export Trips.store --after 1").text
    let found = try values(lines)
    #expect(found.contains("4 log name Rome Roma"))
    #expect(found.contains("5 log score - 7"))
    #expect(found.contains("6 log name Oslo -"))
    // They are read back, and written as they were.
    try FileBytes.write(Array(lines.utf8), to: trips.folder.file("lines.jsonl"))
    #expect(try await run("log lines.jsonl --reverse --json").text == lines)
    let debezium = try await run("export Trips.store --after 1 --format debezium").text
    #expect(
      debezium.contains(#""before":{"Z_PK":1,"name":"Rome"},"after":{"Z_PK":1,"name":"Roma"}"#))
    #expect(debezium.contains(#""before":null,"after":{"Z_PK":4,"#))
  }

  @Test func `a file that no bookmark records is refused once the log has lost its values`()
    async throws
  {
    for format in ["jsonl", "changes", "cloudevents", "debezium", "timesketch", "sqlite"] {
      let line =
        "export Trips.store --output-dir out-\(format) --bookmark \(format) --format \(format) --compress none"
      #expect(try await run(line).status == 0)
      #expect(try await run("bookmark set Trips.store \(format) 0 --force").status == 0)
    }
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    for format in ["jsonl", "changes", "cloudevents", "debezium", "timesketch", "sqlite"] {
      let line =
        "export Trips.store --output-dir out-\(format) --bookmark \(format) --format \(format) --compress none"
      let again = try await run(line)
      #expect(again.status == 4, "\(format): \(again.errors)")
      #expect(again.errors.contains("before values changed"), "\(again.errors)")
    }
    // So is one with other contents.
    let folder = trips.folder.file("out-jsonl")
    let inner = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/" + inner).first)
    let path = folder + "/" + inner + "/" + name
    let text = String(decoding: try FileBytes.read(path), as: UTF8.self)
    #expect(text.contains(#""valuesFrom":"log""#))
    try FileBytes.write(
      Array(text.replacingOccurrences(of: #""pk":4"#, with: #""pk":5"#).utf8), to: path)
    #expect(try await run("bookmark set Trips.store jsonl 0 --force").status == 0)
    let altered = try await run(
      "export Trips.store --output-dir out-jsonl --bookmark jsonl --compress none")
    #expect(altered.status != 0)
  }

  @Test func `archives keep values from the log`() async throws {
    #expect(try await run("archive Trips.store sealed").status == 0)
    let sealed = try await run("export sealed --after 1").text
    #expect(try values(sealed).contains("4 log name Rome Roma"))
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try await run("verify sealed --full").status == 0)
    #expect(try await run("verify Trips.store --archive sealed").status == 0)
    #expect(try await run("export sealed --after 1").text == sealed)
  }

  @Test(arguments: ["prune Trips.store --before 2 --yes", "compact Trips.store"])
  func `commands that empty the log keep its values`(line: String) async throws {
    func known() async throws -> [String] {
      try values(try await run("export Trips.store --after 0").text).filter { !$0.hasPrefix("1 ") }
    }
    let before = try await known()
    #expect(before.count > 3)
    // Without free pages compact leaves the log as it is.
    for sql in ["CREATE TABLE ZFREE (x)", "INSERT INTO ZFREE VALUES (zeroblob(50000))"] {
      try trips.sql(sql)
    }
    try trips.sql("DROP TABLE ZFREE")
    #expect(try await run(line).status == 0)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try await known() == before)
    let rows = try StoreQuery(path: trips.path + "-values.db").lines(
      "SELECT DISTINCT source, transaction_number FROM recorded_value ORDER BY 2")
    #expect(rows == ["log|2", "log|3", "log|4"])
    #expect(try await run("verify Trips.store --full").status == 0)
  }

  @Test func `--no-values keeps no values`() async throws {
    #expect(try await run("prune Trips.store --before 2 --yes --no-values").status == 0)
    #expect(!FileManager.default.fileExists(atPath: trips.path + "-values.db"))
  }

  @Test func `info and check report which values are known`() async throws {
    #expect(try await run("info Trips.store").text.contains("log values  2 to 4\n"))
    for command in ["info", "check"] {
      let text = try await run("\(command) Trips.store --json").text
      #expect(text.contains(#""logValues":{"first":2,"last":4}"#), "\(command)")
    }
    try trips.sql("PRAGMA wal_checkpoint(PASSIVE)")
    let text = try await run("info Trips.store").text
    #expect(text.contains("log values  "))
    #expect(text.contains("a checkpoint has overwritten what was before"))
  }

  @Test(arguments: [
    ("name=Roma", [2]), ("name=Rome", [2]), ("name~ROM", [2]), ("score>6", [3]),
    ("score<2", [4]), ("score>=7", [3]), ("score<=1", [4]), ("score==7", [3]), ("score<>7", [4]),
    ("name!=Roma", [2, 3, 4]), ("name=Oslo", [4]), ("name=Paris", []),
    ("stay=nil", [3, 4]),
  ])
  func `log finds the transactions that set a value`(condition: String, numbers: [Int]) async throws
  {
    let result = try await InProcess.run(
      ["log", "Trips.store", "--value", condition, "--reverse", "--after", "1", "--json"],
      folder: trips.folder.path)
    #expect(result.status == 0)
    let found = result.lines.filter { !$0.isEmpty }.map { line in
      line.firstRange(of: #""transaction":"#).flatMap {
        Int(line[$0.upperBound...].prefix(while: \.isNumber))
      }
    }
    #expect(found == numbers)
    let list = try await InProcess.run(
      ["log", "Trips.store", "--value", condition, "--reverse", "--after", "1"],
      folder: trips.folder.path)
    let tokens = list.lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    #expect(list.status == 0 && tokens == numbers)
  }

  @Test(arguments: ["score>abc", "score=many", "score~7", "score<nil", "score!="])
  func `values that an attribute cannot have are refused`(condition: String) async throws {
    let result = try await run("log Trips.store --value \(condition)")
    #expect(result.status == 64 && result.text == "")
    #expect(
      result.errors.hasPrefix("histctl: no value can meet '\(condition)': score is "),
      "\(result.errors)")
    // Also before anything of an archive is shown.
    #expect(try await run("archive Trips.store history --quiet").status == 0)
    let joined = try await run("log Trips.store --archive history --value \(condition) --reverse")
    #expect(joined.status == 64 && joined.text == "", "\(joined.errors)")
    let json = try await run("log Trips.store --value \(condition) --json")
    #expect(json.errors.contains(#""kind":"unusableValue""#), "\(json.errors)")
  }

  @Test func `conditions on values can be combined with limits and other conditions`() async throws
  {
    for line in [
      "log Trips.store --value name!=x -n 1 --reverse --json",
      "log Trips.store --value name!=x -n 1 --json",
      "log Trips.store --value name!=x --kind delete --json",
    ] {
      let result = try await run(line)
      #expect(result.lines.filter { !$0.isEmpty }.count == 1)
      #expect(result.text.contains(#""transaction":4,"#))
    }
    #expect(try await run("log Trips.store --value nme=x").status == 64)
    #expect(try await run("log Trips.store --value name").status == 64)
  }

  @Test func `a snapshot is the store as it was`() async throws {
    let truth = try LogTruth(path: trips.path)
    let before = try (FileBytes.read(trips.path), FileBytes.read(trips.path + "-wal"))
    for (number, state) in [(2, 1), (3, 2), (4, 3)] {
      let result = try await run("snapshot Trips.store \(number) -o copy.store --overwrite --json")
      #expect(result.status == 0)
      let folder = try TemporaryFolder()
      let expected = try truth.open(state, in: folder).contents()
      #expect(try StoreQuery(path: trips.folder.file("copy.store")).contents() == expected)
    }
    #expect(try FileBytes.read(trips.path) == before.0)
    #expect(try FileBytes.read(trips.path + "-wal") == before.1)
    #expect(try await run("log copy.store --json").lines.count > 0)
  }

  @Test func `a snapshot of a state outside the log is refused`() async throws {
    let early = try await run("snapshot Trips.store 1 -o copy.store")
    #expect(early.status == 2)
    #expect(early.errors.contains("saved before the log began"))
    #expect(try await run("snapshot Trips.store 9 -o copy.store").status == 4)
    #expect(try await run("snapshot Trips.store 2 -o Trips.store").status == 64)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    let empty = try await run("snapshot Trips.store 3 -o copy.store")
    #expect(empty.status == 2)
    #expect(empty.errors.contains("the log is empty"))
    #expect(!FileManager.default.fileExists(atPath: trips.folder.file("copy.store")))
    // After the newest one, it is the present state.
    let last = try await run("snapshot Trips.store last -o copy.store")
    #expect(last.status == 0, "\(last.errors)")
    #expect(
      try StoreQuery(path: trips.folder.file("copy.store")).contents()
        == StoreQuery(path: trips.path).contents())
  }
}
