import TestSupport
import Testing

/// One transaction in full.
@Suite(.bounded) struct ShowTests {
  @Test func `every change is shown with its tombstone`() async throws {
    let result = try await SampleFolder().run("show sample.store 12 --date utc")
    let text = result.text.replacing(#/ \(\d+ y ago\)/#, with: "")
    #expect(
      text == """
        transaction 12
        token       1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:12
        time        2024-07-29T00:53:40Z
        author      app
        bundle      com.example.Trips
        process     Trips

          - Trip/p9  identifier: 00010203-0405-0607-0809-0A0B0C0D0E0F, isFavorite: true, \
        name: "Rome 12", score: 120, startDate: 2024-07-29T00:42:37Z, token: 3 bytes
          - LivingAccommodation/p9  placeName: "Hotel"
          - BucketListItem/p9

        Trip -1  LivingAccommodation -1  BucketListItem -1

        """)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `long texts are shown whole`() async throws {
    let sample = try SampleFolder()
    let name = String(repeating: "é-", count: 500)
    for column in ["ZTOMBSTONE0", "ZTOMBSTONE1"] {
      try await sample.sqlite("UPDATE ACHANGE SET \(column) = '\(name)' WHERE \(column) = 'Hotel'")
    }
    let shown = try await sample.run("show sample.store 12")
    #expect(shown.text.contains("placeName: \"\(name)\""))
    let object = try await sample.run("object sample.store LivingAccommodation/p9")
    #expect(object.lines.last == "  placeName  \"\(name)\"")
    // One line among many.
    let log = try await sample.run("log sample.store --changes -n 1")
    #expect(log.text.contains("…") && !log.text.contains(name))
  }

  @Test func `the context is shown if there is one`() async throws {
    let result = try await SampleFolder().run("show sample.store 5 --date raw")
    #expect(
      result.text == """
        transaction 5
        token       1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:5
        time        743906800.0
        author      app
        bundle      com.example.Trips
        process     Trips
        context     import

          + Trip/p5
          + BucketListItem/p5
          + LivingAccommodation/p5

        Trip +1  BucketListItem +1  LivingAccommodation +1

        """)
  }

  @Test(arguments: [
    ("first", 1), ("last", 12), ("last~2", 10), ("first~3", 4), ("7", 7),
    ("1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:3", 3), ("2024-07-29T00:43:41Z", 3),
    ("2024-07-29T00:43:40Z", 2), ("2001-01-01", 1),
  ]) func `tokens name transactions`(_ token: String, _ number: Int) async throws {
    let result = try await SampleFolder().run(["show", "sample.store", token, "--json"])
    #expect(result.lines.count == 1)
    #expect(result.text.contains("\"transaction\":\(number),"))
    #expect(result.status == 0)
  }

  @Test func `the line of JSON is that of log`() async throws {
    let sample = try SampleFolder()
    let log = try await sample.run("log sample.store --json")
    for number in [12, 5, 1] {
      let show = try await sample.run("show sample.store \(number) --json")
      #expect(show.lines == [log.lines[12 - number]])
    }
  }

  @Test(arguments: ["0", "2200-01-01"]) func `a position without a transaction is an error`(
    _ token: String
  ) async throws {
    let result = try await SampleFolder().run("show sample.store \(token)")
    #expect(result.status == 4)
    #expect(result.text == "")
    #expect(result.errors.contains("'\(token)'"))
  }
}
