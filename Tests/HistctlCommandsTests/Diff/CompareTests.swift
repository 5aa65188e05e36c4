import Foundation
import TestSupport
import Testing

/// `diff --with`: two copies of one store, up to where they are the same, and what each has since.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct CompareTests {
  /// A copy of the sample store in which SQL was run.
  private static func copy(_ sample: SampleFolder, _ name: String, _ sql: String) async throws {
    let path = sample.folder.file(name)
    try FileBytes.write(try FileBytes.read(sample.store), to: path)
    let sqlite = try #require(Tool("sqlite3"))
    let result = try await sqlite.run([path, sql])
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Without its last four transactions.
  private static let older = "DELETE FROM ATRANSACTION WHERE Z_PK > 8;"
  /// With two other saves in the place of the last four.
  private static let parted =
    older + """
      UPDATE ACHANGE SET ZTRANSACTIONID = 9, ZENTITYPK = 99 WHERE ZTRANSACTIONID = 9;
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 10;
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (9, 16002, 743907041), (10, 16002, 743907042);
      """

  @Test func `diverged copies are compared from their last common transaction`() async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", Self.parted)
    let result = try await sample.run("diff sample.store --with copy.store")
    #expect(
      result.textOfRows == """
        sample.store and copy.store are copies of one store that have diverged
        store         1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        common        8  2024-07-29 00:49:40
        sample.store  4 transactions since, up to 12  2024-07-29 00:53:40
        copy.store    2 transactions since, up to 10  2024-07-29 00:50:42

        sample.store after 8

        copy.store after 8
        + LivingAccommodation/p99  9
        ~ BucketListItem/p9        10      isDone
        + BucketListItem/p99       9
        ~ Trip/p9                  10      name, startDate, items
        + Trip/p99                 9

        5 objects: 3 inserted, 2 updated

        """)
    #expect(result.status == 0 && result.errors == "")

    let lines = try await sample.run("diff sample.store --with copy.store --json --exit-code")
    #expect(lines.status == 1)
    let objects = try lines.lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects[0]["type"] as? String == "comparison")
    #expect(objects[0]["relation"] as? String == "diverged")
    #expect(objects[0]["common"] as? Int == 8)
    #expect(objects[0]["commonTimestamp"] as? String == "2024-07-29T00:49:40.000000Z")
    let second = try #require(objects[0]["second"] as? [String: Any])
    #expect(second["path"] as? String == "copy.store")
    #expect(second["transactionsSince"] as? Int == 2)
    #expect(second["newest"] as? Int == 10)
    #expect(
      objects.dropFirst().map { "\($0["type"] ?? "") \($0["path"] ?? "") \($0["object"] ?? "")" }
        == [
          "diff sample.store ", "diff copy.store ", "netChange copy.store LivingAccommodation/p99",
          "netChange copy.store BucketListItem/p9", "netChange copy.store BucketListItem/p99",
          "netChange copy.store Trip/p9", "netChange copy.store Trip/p99",
        ])
    if let python = Tool("python3"), try await python.run(["-c", "import jsonschema"]).status == 0 {
      let checkout = Manual.path("Tests/Tools/validate_lines.py")
      let check = try await python.run([checkout], input: lines.text)
      #expect(check.status == 0, "\(check.errors)")
    }
  }

  @Test(arguments: ["", "--stat", "--each", "--name-only", "--json", "--entity Trip"])
  func `a copy that is ahead is reported with its changes`(_ options: String) async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", Self.older)
    let ahead = try await sample.run("diff sample.store --with copy.store --exit-code \(options)")
    #expect(ahead.status == 1)
    #expect(
      ahead.text.contains(
        options == "--json"
          ? #""relation":"firstAhead""#
          : "sample.store is newer; copy.store has no changes of its own\n"))
    let behind = try await sample.run("diff copy.store --with sample.store --exit-code \(options)")
    #expect(behind.status == 1)
    #expect(
      behind.text.contains(
        options == "--json"
          ? #""relation":"secondAhead""# : "sample.store is newer; copy.store has no changes"))
    #expect(ahead.text.contains("LivingAccommodation/p9") == (options == "--each"))
    #expect(!ahead.text.contains("copy.store after"))
  }

  @Test func `copies with the same history are reported as such`() async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", "SELECT 1")
    let result = try await sample.run("diff sample.store --with copy.store --exit-code")
    #expect(
      result.text == """
        sample.store and copy.store have the same history
        store         1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        common        12  2024-07-29 00:53:40
        sample.store  nothing since
        copy.store    nothing since

        """)
    #expect(result.status == 0 && result.errors == "")
  }

  @Test
  func `pruned history is reported and is not a difference`() async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", "DELETE FROM ATRANSACTION WHERE Z_PK < 7")
    let result = try await sample.run("diff copy.store --with sample.store --exit-code")
    #expect(
      result.text == """
        copy.store and sample.store have the same history, as far as both keep it
        store         1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        common        12  2024-07-29 00:53:40
        copy.store    nothing since
        sample.store  nothing since
                      6 transactions from before, which copy.store has pruned

        """)
    #expect(result.status == 0 && result.errors == "")
    let line = try await sample.run("diff copy.store --with sample.store --json").lines.first ?? ""
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect((object["first"] as? [String: Any])?["transactionsBefore"] == nil)
    #expect((object["second"] as? [String: Any])?["transactionsBefore"] as? Int == 6)
  }

  struct Problem: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String
    let line: String
    let status: Int
    let kind: String
    let words: [String]
  }

  static let problems = [
    Problem(
      testDescription: "another store", sql: "UPDATE Z_METADATA SET Z_UUID = 'ANOTHER'",
      line: "diff sample.store --with copy.store", status: 4, kind: "differentStores",
      words: ["different stores", "ANOTHER", SampleFolder.identifier, "only copies"]),
    Problem(
      testDescription: "nothing left in common",
      sql: "UPDATE ATRANSACTION SET Z_PK = Z_PK + 100",
      line: "diff sample.store --with copy.store", status: 4, kind: "withoutCommonTransaction",
      words: [
        "no transaction in common", "sample.store has 1 to 12", "copy.store has 101 to 112",
      ]),
    Problem(
      testDescription: "the same file", sql: "SELECT 1",
      line: "diff sample.store --with ./sample.store", status: 64, kind: "sameFile",
      words: ["the same file", "another copy"]),
    Problem(
      testDescription: "a missing copy", sql: "SELECT 1",
      line: "diff sample.store --with none.store",
      status: 9, kind: "missing", words: ["no file at none.store"]),
    Problem(
      testDescription: "a missing store", sql: "SELECT 1",
      line: "diff none.store --with copy.store",
      status: 9, kind: "missing", words: ["no file at none.store"]),
    Problem(
      testDescription: "a copy without history",
      sql: "DROP TABLE ATRANSACTION; DROP TABLE ACHANGE",
      line: "diff sample.store --with copy.store", status: 8, kind: "withoutHistory",
      words: ["copy.store keeps no history"]),
    Problem(
      testDescription: "a copy that is no store",
      sql: "DROP TABLE Z_METADATA; DROP TABLE Z_PRIMARYKEY",
      line: "diff sample.store --with copy.store", status: 8, kind: "notAStore",
      words: ["copy.store is not a Core Data"]),
    Problem(
      testDescription: "half a history", sql: "DROP TABLE ACHANGE",
      line: "diff sample.store --with copy.store", status: 5, kind: "damaged",
      words: ["copy.store is damaged", "ACHANGE is missing"]),
    Problem(
      testDescription: "a token beside a copy", sql: "SELECT 1",
      line: "diff sample.store 5 --with copy.store", status: 64, kind: "usage",
      words: ["--with", "cannot be combined with a token", "usage: histctl diff"]),
  ]

  @Test(arguments: problems) func `stores without common history are an error`(
    _ problem: Problem
  ) async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", problem.sql)
    let program = try await sample.run(problem.line + " --json")
    #expect(program.status == problem.status)
    #expect(program.text == "")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == problem.kind)
    #expect(object["code"] as? Int == problem.status)
    let person = try await sample.run(problem.line)
    #expect(person.status == problem.status)
    #expect(person.text == "")
    for word in problem.words { #expect(person.errors.contains(word), "\(person.errors)") }
  }

  @Test func `comparing changes neither copy`() async throws {
    let sample = try SampleFolder()
    try await Self.copy(sample, "copy.store", Self.parted)
    let before = try UnchangedStoreTests.files(sample.folder)
    let result = try await sample.run("diff sample.store --with copy.store --each")
    #expect(result.status == 0)
    let after = try UnchangedStoreTests.files(sample.folder)
    for name in ["sample.store", "copy.store"] { #expect(after[name] == before[name]) }
  }
}
