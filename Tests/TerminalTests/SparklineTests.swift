import TestSupport
import Testing

@testable import Terminal

@Suite(.bounded) struct SparklineTests {
  @Test(arguments: [
    ([0.0, 1, 2, 4, 8], " ▁▂▄█"), ([1, 1_000_000], "▁█"), ([0, 0], "  "), ([], ""),
    ([.nan, -5, .infinity, 3], "   █"),
  ])
  func `bars are in proportion`(_ values: [Double], _ expected: String) {
    #expect(Sparkline(values, width: 80, isUTF8: true).text == expected)
  }

  @Test func `a sparkline has an ASCII form`() {
    #expect(Sparkline([0, 1, 2, 4, 8], width: 80, isUTF8: false).text == " .:=@")
  }

  @Test func `neighbors are summed if the line is short`() {
    let line = Sparkline(Array(repeating: 1, count: 100), width: 30, isUTF8: true)
    #expect(line.valuesPerColumn == 4)
    #expect(line.text == String(repeating: "█", count: 25))
    #expect(Sparkline([1, 2], width: 0, isUTF8: true).text == "█")
  }

  @Test(arguments: [
    (0.0, "0"), (0.004, "under 0.01"), (0.04, "0.04"), (0.5, "0.5"), (7.256, "7.26"),
    (9.994, "9.99"), (9.996, "10"), (11.41, "11.4"), (41.6, "41.6"), (99.94, "99.9"),
    (99.96, "100"), (1203.6, "1,204"), (1e14, "100,000,000,000,000"), (1e300, "-"), (.nan, "-"),
  ])
  func `rates have their significant digits`(_ value: Double, _ expected: String) {
    #expect(RateText.describe(value) == expected)
  }
}
