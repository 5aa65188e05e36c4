import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

/// Activity by time and name, for plots.
@Suite(.bounded) struct ActivityGridTests {
  /// Fills a grid with transactions of one change each.
  private static func grid(
    _ transactions: some Sequence<(hour: Int, author: Int)>
  ) -> ActivityGrid {
    var grid = ActivityGrid()
    for (number, transaction) in transactions.enumerated() {
      grid.turn(to: StoreTimestamp(unixSeconds: Double(transaction.hour) * 3600 + 1800))
      var activity = Activity()
      activity.transactions = 1
      activity.add(.insert, byteCount: 10)
      grid.add(activity)
      grid.add(1, of: Int64(number), to: .author, transaction.author)
    }
    grid.settle()
    return grid
  }

  private static func sums(_ grid: ActivityGrid) -> [Int64] {
    [
      grid.bins.reduce(0) { $0 + $1.activity.transactions },
      grid.bins.reduce(0) { $0 + $1.cells.reduce(0) { $0 + $1.transactions } },
      grid.bins.reduce(0) { $0 + $1.cells.reduce(0) { $0 + $1.changes } },
      grid.week.counts(\.transactions).reduce(0, +), grid.week.counts(\.changes).reduce(0, +),
    ]
  }

  @Test
  func `bins are hours, and the week begins on Monday`() {
    // 2024-01-01 was a Monday.
    let monday = 19_723 * 24
    let grid = Self.grid([(monday, 0), (monday + 25, 1), (monday, 0), (monday - 1, 2)])
    #expect(grid.hours == 1)
    #expect(grid.bins.map(\.hour) == [monday - 1, monday, monday + 25])
    #expect(grid.bins.map(\.activity.transactions) == [1, 2, 1])
    #expect(grid.bins[1].cells.map(\.transactions) == [2])
    #expect([grid.week.counts(\.transactions)[0], grid.week.counts(\.transactions)[25]] == [2, 1])
    #expect(grid.week.counts(\.transactions)[167] == 1)
  }

  @Test(arguments: [1, 3, 7, 24, 200])
  func `too many hours make longer bins, and nothing is lost`(_ step: Int) {
    let count = 25_000
    let grid = Self.grid((0..<count).map { (300_000 + $0 * step, $0 % 5) })
    #expect(Self.sums(grid) == Array(repeating: Int64(count), count: 5))
    #expect(grid.hours > 1 || step == 0)
    #expect(grid.bins.allSatisfy { ($0.hour - 96) % grid.hours == 0 })
    #expect(grid.bins.count <= 10_000 || grid.hours == 168)
  }

  @Test
  func `names beyond the limit are counted together, and cells are limited`() {
    let count = 300_000
    let grid = Self.grid((0..<count).map { (300_000 + $0 / 150, $0) })
    #expect(Self.sums(grid) == Array(repeating: Int64(count), count: 5))
    #expect(grid.bins.allSatisfy { $0.cells.count <= ActivityGrid.otherPlace + 1 })
    // A new set of names each hour.
    let changing = Self.grid(
      (0..<count).map { (300_000 + $0 / 60 * 168, $0 % 60) })
    #expect(Self.sums(changing) == Array(repeating: Int64(count), count: 5))
    #expect(changing.bins.reduce(0) { $0 + $1.cells.count } <= 130_000)
  }

  @Test
  func `a repeated number is counted in both bins`() {
    var grid = ActivityGrid()
    for hour in [300_000, 300_100] {
      grid.turn(to: StoreTimestamp(unixSeconds: Double(hour) * 3600))
      grid.add(2, of: 5, to: .entity, 0)
    }
    grid.settle()
    #expect(grid.bins.map { $0.cells.map(\.transactions) } == [[1], [1]])
    #expect(grid.bins.map { $0.cells.map(\.changes) } == [[2], [2]])
  }
}
