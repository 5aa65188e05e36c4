import Foundation
import StoreFormat
import StoreTransactions
import TestSupport
import Testing

/// `histctl record` beside an app that saves.
@Suite(.bounded) struct RecordTests {
  private let trips: OpenTrips

  init() throws { trips = try OpenTrips() }

  private func run(_ line: String) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), folder: trips.folder.path)
  }

  private func rename(_ name: String) throws {
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text(name)]) }
  }

  /// The recorded names, by plain SQL.
  private func names() throws -> [String] {
    try StoreQuery(path: trips.path + "-values.db").rows(
      "SELECT transaction_number || ' ' || old || ' ' || new FROM recorded_value"
        + " WHERE name = 'name' ORDER BY transaction_number"
    ).map { row in if case .text(let text) = row[0] { text } else { "?" } }
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func `--once keeps the values in the log`() async throws {
    try rename("Roma")
    try rename("Rom")
    let store = try FileBytes.read(trips.path)
    let log = try FileBytes.read(trips.path + "-wal")
    let first = try await run("record Trips.store --once")
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.text
        == "Trips.store: kept 2 values of 2 transactions in \(trips.path)-values.db\n")
    #expect(try FileBytes.read(trips.path) == store)
    #expect(try FileBytes.read(trips.path + "-wal") == log)
    #expect(try names() == ["2 Rome Roma", "3 Roma Rom"])
    #expect(
      try await run("record Trips.store --once").text == "Trips.store: nothing new in the log\n")
    #expect(!FileManager.default.fileExists(atPath: trips.path + "-values.db.lock"))

    try rename("Rim")
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try rename("Rum")
    let missed = try await run("record Trips.store --once")
    #expect(missed.lines.first == "4  not recorded: the log was restarted before it was read")
    #expect(try names() == ["2 Rome Roma", "3 Roma Rom", "5 Rim Rum"])
    #expect(try await run("info Trips.store").text.contains("value gaps  4\n"))
    let info = try objects(try await run("info Trips.store --json").text)[0]
    let values = try #require(info["values"] as? [String: Any])
    #expect(values["gaps"] as? [[String: Int]] == [["first": 4, "last": 4]])
    try await SchemaCheck.expectFits(try await run("info Trips.store --json").text)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(
      try await run("log Trips.store --changes").text.contains(#"name: "Rome" -> "Roma""#))
  }

  @Test func `--once writes one line of JSON`() async throws {
    try rename("Roma")
    let result = try await run("record Trips.store --once --json --values-file mine.db")
    let json = try objects(result.text)
    #expect(json.count == 1)
    #expect(json[0]["values"] as? Int == 1)
    #expect(json[0]["transactions"] as? Int == 1)
    #expect(json[0]["valuesFile"] as? String == "mine.db")
    try await SchemaCheck.expectFits(result.text)
    #expect(FileManager.default.fileExists(atPath: trips.folder.file("mine.db")))
    #expect(!FileManager.default.fileExists(atPath: trips.path + "-values.db"))
    let shown = try await run("show Trips.store 2 --values-file mine.db")
    #expect(shown.text.contains(#""Rome" -> "Roma""#))
  }

  @Test func `unusable stores and value files are errors`() async throws {
    #expect(try await run("record missing.store --once").status == 9)
    #expect(try await run("record Trips.store --once --values-file Trips.store").status == 64)
    #expect(try await run("record Trips.store --once --values-file Trips.store-wal").status == 64)
    try FileBytes.write(Array("text".utf8), to: trips.folder.file("text"))
    #expect(try await run("record text --once").status == 8)
    try rename("Roma")
    let other = try await run("record Trips.store --once --values-file text")
    #expect(other.status == 5)
    #expect(try FileBytes.read(trips.folder.file("text")) == Array("text".utf8))
    let plain = try SampleStore.write(to: trips.folder.file("plain.store"))
    try StoreQuery(path: plain).run("PRAGMA journal_mode = DELETE")
    let result = try await run("record plain.store --once")
    #expect(result.status != 0)
    #expect(result.errors.contains("keeps no write-ahead log"))
    // Values of another store stay as they are.
    let values = trips.path + "-values.db"
    try StoreQuery(path: try makeValues(values)).run("UPDATE store SET identifier = 'other'")
    let foreign = try await run("record Trips.store --once")
    #expect(foreign.status != 0)
    #expect(foreign.errors.contains("of the store other"))
  }

  private func makeValues(_ path: String) throws -> String {
    try RecordedValuesEditor(
      path: path, storeIdentifier: "x", beside: StoreLocation(path: trips.path)
    ).close()
    return path
  }

  /// Runs `record` in the background of a shell, until a line of its output has a text.
  private static func recording(
    in folder: String, until last: String, signal: String = "TERM", _ script: String = ""
  ) async throws -> (lines: [String], errors: String, status: Int) {
    let shell = try #require(Tool("sh"))
    let result = try await shell.run(
      [
        "-c",
        """
        "$1" record Trips.store --json >>out 2>>err &
        pid=$!
        \(script)
        for i in $(seq 600); do
          grep -q '\(last)' out err && break
          kill -0 $pid 2>/dev/null || break
          sleep 0.05
        done
        kill -\(signal) $pid 2>/dev/null
        wait $pid
        echo $?
        """, "sh", Tool.histctl.path,
      ], folder: folder)
    func read(_ name: String) throws -> String {
      String(decoding: try FileBytes.read(folder + "/" + name), as: UTF8.self)
    }
    return (
      try read("out").split(separator: "\n").map(String.init), try read("err"),
      Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    )
  }

  @Test func `saves are recorded while the command runs`() async throws {
    let folder = trips.folder.path
    try trips.sql("PRAGMA wal_autocheckpoint = 30")
    async let recorded = Self.recording(in: folder, until: "\"transaction\":61,")
    for number in 2...61 {
      try rename("name \(number)")
      try await Task.sleep(for: .milliseconds(10))
    }
    let result = try await recorded
    #expect(result.status == 128 + 15, "\(result.errors)")
    // With JSON on standard output, there is nothing else on standard error.
    _ = try objects(result.errors)
    #expect(!FileManager.default.fileExists(atPath: trips.path + "-values.db.lock"))
    try await SchemaCheck.expectFits(result.lines.joined(separator: "\n") + "\n")
    let names = try Set(names())
    for line in try objects(result.lines.joined(separator: "\n"))
    where line["complete"] as? Bool == true {
      let number = try #require(line["transaction"] as? Int)
      let old = number == 2 ? "Rome" : "name \(number - 1)"
      #expect(names.contains("\(number) \(old) name \(number)"))
    }
    #expect(names.contains("61 name 60 name 61"))
  }

  @Test func `a kill keeps all reported values`() async throws {
    try rename("Roma")
    let killed = try await Self.recording(
      in: trips.folder.path, until: "\"transaction\":2,", signal: "KILL")
    #expect(killed.status == 128 + 9)
    #expect(try names() == ["2 Rome Roma"])
    try rename("Rom")
    let second = try await Self.recording(in: trips.folder.path, until: "\"transaction\":3,")
    #expect(second.lines.count == 2, "\(second.lines)")
    #expect(try names() == ["2 Rome Roma", "3 Roma Rom"])
  }

  @Test func `only one run records at a time`() async throws {
    try rename("Roma")
    let result = try await Self.recording(
      in: trips.folder.path, until: "never",
      """
      for i in $(seq 600); do grep -q transaction out && break; sleep 0.05; done
      "$1" record Trips.store --once >second 2>&1; echo $? >>second
      kill -TERM $pid
      """)
    #expect(result.lines.count == 1)
    let second = String(decoding: try FileBytes.read(trips.folder.file("second")), as: UTF8.self)
    #expect(second.contains("another histctl record is at work on Trips.store"))
    #expect(second.hasSuffix("7\n"))
  }

  @Test(.enabled(if: Tool("sqlite3") != nil)) func `an app may close the store and open it again`()
    async throws
  {
    let path = try SampleStore.write(to: trips.folder.file("Other.store"))
    try StoreQuery(path: path).run("PRAGMA journal_mode = WAL")
    let save = """
      sqlite3 Trips.store "BEGIN IMMEDIATE;
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT max(Z_PK) + 1, 16002, 8e8 FROM ATRANSACTION;
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
          SELECT (SELECT max(Z_PK) + 1 FROM ACHANGE), 16001, 1, 1, 1, max(Z_PK) FROM ATRANSACTION; COMMIT"
      sleep 0.3
      """
    try FileManager.default.removeItem(atPath: trips.path + "-shm")
    try FileManager.default.removeItem(atPath: trips.path + "-wal")
    try FileBytes.write(FileBytes.read(path), to: trips.path)
    let newest = try StoreQuery(path: path).lines("SELECT max(Z_PK) FROM ATRANSACTION")[0]
    let last = (Int(newest) ?? 0) + 3
    let result = try await Self.recording(
      in: trips.folder.path, until: "\"transaction\":\(last),",
      """
      for i in $(seq 600); do [ -e Trips.store-values.db.lock ] && break; sleep 0.05; done
      sleep 1
      \(save)
      \(save)
      \(save)
      """)
    #expect(result.lines.contains { $0.contains("\"transaction\":\(last),") }, "\(result)")
  }

  @Test func `another file in the place of the store is recorded too`() async throws {
    try rename("Roma")
    let copy = trips.folder.file("copy")
    try trips.sql("VACUUM INTO '\(copy)'")
    try StoreQuery(path: copy).run("PRAGMA journal_mode = WAL")
    let result = try await Self.recording(
      in: trips.folder.path, until: "replacedStore",
      """
      for i in $(seq 600); do grep -q transaction out && break; sleep 0.05; done
      rm Trips.store-wal Trips.store-shm
      mv copy Trips.store
      """)
    #expect(result.errors.contains("Trips.store is another file now"))
  }
}
