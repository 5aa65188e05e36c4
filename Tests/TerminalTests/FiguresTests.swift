import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct FiguresTests {
  @Test(arguments: [
    (0.0, "just now"), (4.9, "just now"), (-4.9, "just now"), (5.0, "5 s ago"), (42.9, "42 s ago"),
    (59.9, "59 s ago"), (60.0, "1 min ago"), (300.0, "5 min ago"), (3599.0, "59 min ago"),
    (3600.0, "1 h ago"), (10_800.0, "3 h ago"), (126_000.0, "35 h ago"), (129_600.0, "1 d ago"),
    (172_800.0, "2 d ago"), (1_209_599.0, "13 d ago"), (1_209_600.0, "2 w ago"),
    (3_024_000.0, "5 w ago"), (6_047_999.0, "9 w ago"), (21_100_000.0, "8 mo ago"),
    (63_113_903.0, "23 mo ago"), (63_113_905.0, "2 y ago"), (94_700_000.0, "3 y ago"),
    (-10_800.0, "in 3 h"), (-90.0, "in 1 min"), (1e300, "long ago"), (-1e300, "far in the future"),
    (.infinity, "long ago"), (-.infinity, "far in the future"), (.nan, "unknown"),
    (-0.0, "just now"),
  ])
  func `times are relative`(_ seconds: Double, _ expected: String) {
    #expect(RelativeTime.describe(secondsAgo: seconds) == expected)
  }

  @Test(arguments: [
    (Int64(0), "0 B"), (1, "1 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
    (1587, "1.5 KiB"), (1588, "1.6 KiB"), (1_048_524, "1023.9 KiB"), (1_048_525, "1.0 MiB"),
    (1_048_576, "1.0 MiB"), (80_740_352, "77.0 MiB"), (5_368_709_120, "5.0 GiB"),
    (.max, "8.0 EiB"), (.min, "-8.0 EiB"), (-1536, "-1.5 KiB"), (-1, "-1 B"),
  ])
  func `bytes have units`(_ bytes: Int64, _ expected: String) {
    #expect(ByteCount(bytes).description == expected)
  }

  @Test func `integers are grouped`() {
    #expect(Int64(1_680_000).grouped == "1,680,000")
    #expect(Int64(0).grouped == "0")
    #expect(Int64(999).grouped == "999")
    #expect(Int64(-1000).grouped == "-1,000")
    #expect(Int64.min.grouped == "-9,223,372,036,854,775,808")
    #expect(UInt64.max.grouped == "18,446,744,073,709,551,615")
  }

  @Test(arguments: [
    (1.0, 4, "████"), (0.5, 4, "██"), (0.53125, 4, "██▏"), (0.21875, 4, "▉"), (0.0001, 4, "▏"),
    (0.0, 4, ""), (-1.0, 4, ""), (.nan, 4, ""), (.infinity, 2, "██"), (1.0, 0, ""),
  ])
  func `bars are in proportion`(_ fraction: Double, _ width: Int, _ expected: String) {
    #expect(Bars.bar(fraction: fraction, width: width, isUTF8: true) == expected)
  }

  @Test func `bars have an ASCII form`() {
    #expect(Bars.bar(fraction: 0.5, width: 10, isUTF8: false) == "#####")
    #expect(Bars.bar(fraction: 0.001, width: 10, isUTF8: false) == "#")
    #expect(Bars.bar(fraction: 2, width: 3, isUTF8: false) == "###")
  }

  @Test func `bar lines fit the terminal`() {
    var environment = TerminalEnvironment()
    environment.isOutputTerminal = true
    environment.isUTF8 = true
    environment.columns = 30
    let bars = Bars(environment: environment, palette: Palette(isColored: false))
    let rows = [
      Bars.Row(label: "widget", value: 1200, text: "1,200"),
      Bars.Row(label: "a very long author\n", value: 300, text: "300"),
      Bars.Row(label: "", value: .nan, text: "0"),
    ]
    // 30 = label 10, gap 2, value 5, gap 2, bar 11.
    #expect(
      bars.lines(rows) == [
        "widget      1,200  ███████████",
        "a very lo…    300  ██▊",
        "                0",
      ])
    #expect(bars.lines([]) == [])
    let colored = Bars(environment: environment, palette: Palette(isColored: true))
    let parts = Bars.Row(
      label: "Trip", parts: [(3, .inserted), (0, .updated), (1, .deleted)], text: "+3 -1")
    // 17 columns, of which three quarters are 12.75.
    #expect(
      colored.lines([parts]) == [
        "Trip  +3 -1  \u{1B}[32m█████████████\u{1B}[0m\u{1B}[31m████\u{1B}[0m"
      ])
    for columns in 1...40 {
      environment.columns = columns
      let lines = Bars(environment: environment, palette: Palette(isColored: false)).lines(rows)
      #expect(lines.allSatisfy { $0.displayWidth <= columns })
    }
  }
}
