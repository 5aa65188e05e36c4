import TestSupport
import Testing

/// A time that is shown in seconds is cut, so that it can be given back as a token.
@Suite struct CutTimeTests {
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 0.945746")
    return sample
  }

  @Test("Every style shows the same second", arguments: ["local", "utc"])
  func styles(_ style: String) async throws {
    let sample = try await Self.sample()
    for line in ["log sample.store -n 1", "show sample.store 12", "token check sample.store 12"] {
      let text = try await sample.run("\(line) --date \(style)").text
      #expect(text.contains("00:53:40") && !text.contains("00:53:41"), "\(line): \(text)")
    }
    let json = try await sample.run("log sample.store -n 1 --json")
    #expect(json.text.contains(#""timestamp":"2024-07-29T00:53:40.945746Z""#))
  }

  @Test("A shown time neither skips its transaction nor includes it before")
  func tokens() async throws {
    let sample = try await Self.sample()
    let shown = "2024-07-29T00:53:40Z"
    let after = try await sample.run("log sample.store --after \(shown)")
    #expect(after.rows.count == 1 && after.rows[0].contains("   12 "))
    let until = try await sample.run("log sample.store --until \(shown)")
    #expect(until.rows.count == 11 && until.rows[0].contains("   11 "))
    #expect(try await sample.run("show sample.store \(shown)").text.contains("transaction 12"))
  }

  @Test("Messages have the times of the tables")
  func messages() async throws {
    let sample = try await Self.sample()
    try await sample.sqlite("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6")
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    for (options, time) in [
      ("--date utc", "2024-07-29T00:47:40Z"), ("", "2024-07-29 09:47:40"),
    ] {
      for (line, status) in [
        ("log sample.store --after 3", 4), ("token check sample.store 3", 1),
        ("token show sample.store 3", 0),
      ] {
        let result = try await sample.run(
          "\(line) \(options)", environment: ["TZ": "Asia/Tokyo"])
        #expect(result.status == status && result.errors.contains(time), "\(result.errors)")
      }
    }
  }
}
