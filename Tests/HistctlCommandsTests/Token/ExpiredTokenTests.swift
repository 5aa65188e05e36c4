import Foundation
import TestSupport
import Testing

/// What is said of an expired token: which transactions after it are missing, and how to continue.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct ExpiredTokenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// The transactions of 1 to 12 that were deleted.
    let deleted: String
    let token: Int
    let words: String
    let hint: String
    var testDescription: String { "\(token) where \(deleted)" }
  }

  static let cases = [
    Case(
      deleted: "Z_PK < 4", token: 3,
      words: "transaction 3 itself is gone, although none after it is missing",
      hint:
        "continue with --after 0, after which comes exactly what follows 3, from transaction 4 on"),
    Case(
      deleted: "Z_PK < 4", token: 2, words: "transaction 2 is gone, and after it 3 is missing",
      hint: "start again with --after 0, which has all that is kept, from transaction 4 on"),
    Case(
      deleted: "Z_PK < 6", token: 2,
      words: "transaction 2 is gone, and after it 3 to 5 are missing",
      hint: "start again with --after 0, which has all that is kept, from transaction 6 on"),
    Case(
      deleted: "Z_PK = 7", token: 7,
      words: "transaction 7 itself is gone, although none after it is missing",
      hint:
        "continue with --after 6, after which comes exactly what follows 7, from transaction 8 on"),
    Case(
      deleted: "Z_PK IN (6, 7)", token: 6,
      words: "transaction 6 is gone, and after it 7 is missing",
      hint:
        "continue with --after 5, after which comes all that is kept after 6, from transaction 8 on"
    ),
    Case(
      deleted: "Z_PK IN (5, 7, 9)", token: 5,
      words: "transaction 5 is gone, and after it 2 of the transactions 7 to 9 are missing",
      hint:
        "continue with --after 4, after which comes all that is kept after 5, from transaction 6 on"
    ),
    Case(
      deleted: "Z_PK > 10", token: 11, words: "transaction 11 is gone, and after it 12 is missing",
      hint: "continue with --after 10, after which comes all that is kept after 11"),
    Case(
      deleted: "Z_PK > 10", token: 12,
      words: "transaction 12 itself is gone, although none after it is missing",
      hint: "continue with --after 10, after which comes exactly what follows 12"),
    Case(
      deleted: "1", token: 5, words: "transaction 5 is gone, and after it 6 to 12 are missing",
      hint: "start again with --after 0"),
    Case(
      deleted: "1", token: 12, words: "transaction 12 is gone, and none was saved after it",
      hint: "start again with --after 0"),
  ]

  private func sample(_ expired: Case) async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN
        (SELECT Z_PK FROM ATRANSACTION WHERE \(expired.deleted));
      DELETE FROM ATRANSACTION WHERE \(expired.deleted)
      """)
    return sample
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test(arguments: cases)
  func `an error for an expired token says how much history is missing, and its hint works`(
    _ expired: Case
  ) async throws {
    let sample = try await sample(expired)
    let present = Set(
      try StoreQuery(path: sample.store).lines("SELECT Z_PK FROM ATRANSACTION").compactMap {
        Int($0)
      })
    let missing = (1...12).filter { $0 > expired.token && !present.contains($0) }
    func check(_ object: [String: Any]) {
      #expect(object["complete"] as? Bool == missing.isEmpty)
      #expect(object["firstMissing"] as? Int == missing.first)
      #expect(object["lastMissing"] as? Int == missing.last)
      #expect(object["missing"] as? Int == (missing.isEmpty ? nil : missing.count))
    }
    for command in ["log", "export", "stats"] {
      let line = "\(command) sample.store --after \(expired.token)"
      let person = try await sample.run(line)
      #expect(person.status == 4 && person.text == "")
      #expect(person.errors.contains(expired.words), "\(person.errors)")
      #expect(person.errors.hasSuffix("hint: \(expired.hint)\n"), "\(person.errors)")
      let program = try await sample.run(line + " --json")
      #expect(program.status == 4 && program.text == "")
      check(try object(program.errors))
      try await SchemaCheck.expectFits(program.errors)
    }
    let diff = try await sample.run("diff sample.store \(expired.token)")
    #expect(diff.status == 4 && diff.errors.contains(expired.words), "\(diff.errors)")

    let token = try await sample.run("token check sample.store \(expired.token) --json")
    #expect(token.status == 1)
    let found = try object(token.text)
    check(found)
    try await SchemaCheck.expectFits(token.text)

    // What follows the token of the hint is what is kept after the expired one.
    let resume = try #require(found["resume"] as? Int)
    let rest = try await sample.run("log sample.store --after \(resume) --reverse --json")
    #expect(rest.status == 0)
    let numbers = try rest.lines.map { try object($0)["transaction"] as? Int }
    #expect(numbers == present.filter { $0 > expired.token }.sorted())
  }

  @Test
  func `an expired bookmark has the same error, and continues where the hint sets it`() async throws
  {
    let sample = try SampleFolder()
    #expect(try await sample.run("bookmark set sample.store nightly 7").status == 0)
    try await sample.sqlite(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 7; DELETE FROM ATRANSACTION WHERE Z_PK = 7")
    let list = try await sample.run("bookmark list sample.store --json")
    let bookmark = try object(list.text)
    #expect(bookmark["complete"] as? Bool == true && bookmark["resume"] as? Int == 6)
    try await SchemaCheck.expectFits(list.text)
    let check = try await sample.run("bookmark check sample.store")
    #expect(check.status == 1 && check.errors.contains("none after it is missing"))
    let export = try await sample.run("export sample.store --output-dir logs --bookmark nightly")
    #expect(export.status == 4)
    #expect(
      export.errors.hasSuffix(
        "continue with: histctl bookmark set sample.store nightly 6 --force\n"), "\(export.errors)")
    #expect(try await sample.run("bookmark set sample.store nightly 6 --force").status == 0)
    #expect(
      try await sample.run("export sample.store --output-dir logs --bookmark nightly").status == 0)
  }

  @Test
  func `a rehearsal reports the history that an app would miss`() async throws {
    let sample = try SampleFolder()
    let line = "rehearse sample.store 5 -o copy.store --check-token 4 --check-token 2"
    let text = try await sample.run(line)
    #expect(text.text.contains("nothing after it is missing"), "\(text.text)")
    #expect(text.text.contains("after it 3 to 4 are missing"), "\(text.text)")
    let json = try await sample.run(line + " --overwrite --json")
    let objects = try json.lines.dropFirst().map(object)
    #expect(objects.map { $0["complete"] as? Bool } == [true, false])
    #expect(objects.map { $0["missing"] as? Int } == [nil, 2])
    try await SchemaCheck.expectFits(json.text)
  }

  @Test
  func `an error for the end of a range names the nearest tokens that work`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4 OR Z_PK = 7")
    for (line, hint) in [
      ("log sample.store --until 7", "6 or 8"), ("show sample.store 7", "6 or 8"),
      ("show sample.store 2", "4"),
    ] {
      let result = try await sample.run(line)
      #expect(result.status == 4)
      #expect(
        result.errors.hasSuffix("hint: give a token that works: the nearest is \(hint)\n"),
        "\(result.errors)")
    }
  }

  @Test(arguments: [
    "show sample.store last", "show sample.store first", "show sample.store last~3",
    "show sample.store now", "show sample.store 0",
  ])
  func `a token of an empty history is a condition of the data, not of the command line`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let result = try await sample.run(line)
    #expect(result.status == 4, "\(result.errors)")
    #expect(result.errors.contains("the history is empty"), "\(result.errors)")
  }

  @Test(arguments: [
    "show sample.store last~99", "log sample.store --after first~12", "diff sample.store last~99",
    "token show sample.store last~12", "prune sample.store --before last~99 --dry-run",
    "token check sample.store last~99",
  ])
  func `a position beyond the history is a condition of the data`(_ line: String) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run(line)
    #expect(result.status == 4, "\(result.errors)")
    #expect(result.errors.contains("the history has only 12 transactions"), "\(result.errors)")
    #expect(
      result.errors.contains("the farthest is \(line.contains("first") ? "first" : "last")~11"))
    let json = try await sample.run(line + " --json")
    #expect(json.errors.contains(#""kind":"noTransaction","code":4"#), "\(json.errors)")
  }

  /// The nearest token would leave out the transaction that it names.
  @Test(arguments: [
    "log sample.store", "log sample.store --range", "show sample.store",
    "export sample.store --range",
    "stats sample.store --range", "diff sample.store",
  ])
  func `an error for the beginning of a range names the token after which nothing is lost`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4 OR Z_PK = 7")
    let middle = try await sample.run(line + " 7..9")
    #expect(middle.status == 4)
    #expect(middle.errors.contains("after which comes exactly what follows 7"), "\(middle.errors)")
    let start = try await sample.run(line + " 3..9")
    #expect(start.status == 4)
    #expect(
      start.errors.contains("start again from 0, which has all that is kept"), "\(start.errors)")
  }
}
