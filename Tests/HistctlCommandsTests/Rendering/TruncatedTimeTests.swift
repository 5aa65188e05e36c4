import TestSupport
import Testing

/// A time that is shown in seconds is cut, so that it can be given back as a token.
@Suite(.bounded) struct TruncatedTimeTests {
  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 0.945746")
    return sample
  }

  @Test
  func `precise times have the digits of JSON and the offset of the clock`() async throws {
    let sample = try await Self.sample()
    for (options, zone, time) in [
      ("", "Asia/Kathmandu", "2024-07-29 06:38:40.945746 +0545"),
      ("", "America/New_York", "2024-07-28 20:53:40.945746 -0400"),
      ("--date utc", "Asia/Kathmandu", "2024-07-29T00:53:40.945746Z"),
    ] {
      for line in [
        "log sample.store -n 1", "show sample.store 12", "stats sample.store --sessions",
        "info sample.store",
      ] {
        let result = try await sample.run(
          "\(line) --precise-times \(options)", environment: ["TZ": zone])
        #expect(result.status == 0 && result.text.contains(time), "\(line): \(result.text)")
        #expect(result.text.ranges(of: "+0545").count == result.text.ranges(of: " +0545").count)
      }
    }
    let mistake = try await sample.run("log sample.store --precise-times --date relative")
    #expect(mistake.status == 64)
    // The last half of a microsecond of a year, in each direction.
    try await sample.sqlite(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 725759999.9999999 WHERE Z_PK = 12;"
        + "UPDATE ATRANSACTION SET ZTIMESTAMP = -0.25 WHERE Z_PK = 11;")
    let edges = try await sample.run("log sample.store -n 2 --precise-times")
    #expect(edges.text.contains("2024-01-01 00:00:00.000000 +0000"))
    #expect(edges.text.contains("2000-12-31 23:59:59.750000 +0000"))
  }

  @Test(arguments: ["local", "utc"])
  func `every style shows the same second`(_ style: String) async throws {
    let sample = try await Self.sample()
    for line in ["log sample.store -n 1", "show sample.store 12", "token check sample.store 12"] {
      let text = try await sample.run("\(line) --date \(style)").text
      #expect(text.contains("00:53:40") && !text.contains("00:53:41"), "\(line): \(text)")
    }
    let json = try await sample.run("log sample.store -n 1 --json")
    #expect(json.text.contains(#""timestamp":"2024-07-29T00:53:40.945746Z""#))
  }

  @Test
  func `a shown time used as a token neither skips nor repeats its transaction`() async throws {
    let sample = try await Self.sample()
    let shown = "2024-07-29T00:53:40Z"
    let after = try await sample.run("log sample.store --after \(shown)")
    #expect(after.rows.count == 1 && after.rows[0].contains("   12 "))
    let until = try await sample.run("log sample.store --until \(shown)")
    #expect(until.rows.count == 11 && until.rows[0].contains("   11 "))
    #expect(try await sample.run("show sample.store \(shown)").text.contains("transaction 12"))
  }

  @Test
  func `messages have the times of the tables`() async throws {
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
