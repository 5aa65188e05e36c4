import StoreFormat

/// Activity by time and name, for plots: bins of whole hours of UTC, each divided by author, bundle,
/// process, entity and kind.
///
/// Memory does not grow with the history: bins become longer when there are too many, and only the
/// first names of each dimension are distinguished.
package struct ActivityGrid: Sendable {
  /// A property by which the activity of a bin is divided.
  package enum Dimension: Int, CaseIterable, Sendable {
    case author, bundle, process, entity, kind
  }

  /// The activity of one name, or of all further ones, in one bin.
  package struct Cell: Hashable, Sendable {
    package let dimension: Dimension
    /// The place of the name among those of ``ActivityRanking/Group/place``; ``otherPlace`` for names that are not
    /// distinguished.
    package internal(set) var place: Int
    package internal(set) var transactions: Int64
    package internal(set) var changes: Int64
  }

  package struct Bin: Sendable {
    /// The hours from 1970-01-01T00:00:00Z to its beginning.
    package internal(set) var hour: Int
    package internal(set) var activity = Activity()
    package internal(set) var cells: [Cell] = []
  }

  /// The place of names that are not distinguished.
  package static let otherPlace = 64
  /// Limits on what a plot can show and a page can carry.
  private static let maxBins = 10_000
  private static let maxCells = 120_000
  /// The lengths of bins, each a multiple of the one before.
  private static let steps = [1, 3, 6, 12, 24, 168]
  /// 1970-01-01 was a Thursday, and weeks begin on Monday.
  private static let firstMonday = 96

  /// The bins with activity, in order.
  package var bins: [Bin] { places.values.map { stored[$0] }.sorted { $0.hour < $1.hour } }
  /// The length of the bins, in hours.
  package var hours: Int { Self.steps[step] }
  /// The activity by hour of the week, in UTC.
  package private(set) var week = WeekActivity()

  private var step = 0
  private var stored: [Bin] = []
  private var places: [Int: Int] = [:]
  private var cellCount = 0

  /// The current bin's counts, which are added to it when another one begins.
  private var current: Bin?
  private var hour = 0
  private var counts: [Cell]
  private var touched: [Int] = []
  /// The transaction that was counted last in each of the counts.
  private var lastTransactions: [Int64?]

  init() {
    counts = Dimension.allCases.flatMap { dimension in
      (0...Self.otherPlace).map {
        Cell(dimension: dimension, place: $0, transactions: 0, changes: 0)
      }
    }
    lastTransactions = counts.map { _ in nil }
  }

  // MARK: - Counting

  /// Turns to the bin of a time, which must be usable.
  mutating func turn(to time: StoreTimestamp) {
    hour = Int((time.unixSeconds / 3600).rounded(.down))
    guard current?.hour != start(ofBinWith: hour) else { return }
    // Settling may make bins longer.
    settle()
    current = Bin(hour: start(ofBinWith: hour))
  }

  /// Counts a transaction in the current bin.
  mutating func add(_ activity: Activity) {
    current?.activity += activity
    week.add(activity, atHour: ((hour - Self.firstMonday) % 168 + 168) % 168)
  }

  /// Counts changes of a transaction for a name.
  ///
  /// - Parameters:
  ///   - place: The place of the name; `nil` for one that is not distinguished.
  ///   - transaction: Its number, which counts once.
  mutating func add(_ changes: Int64, of transaction: Int64, to dimension: Dimension, _ place: Int?)
  {
    let index =
      dimension.rawValue * (Self.otherPlace + 1) + min(place ?? Self.otherPlace, Self.otherPlace)
    counts[index].changes += changes
    guard lastTransactions[index] != transaction else { return }
    lastTransactions[index] = transaction
    if counts[index].transactions == 0 { touched.append(index) }
    counts[index].transactions += 1
  }

  /// Adds the counts of the current bin to it.
  mutating func settle() {
    guard let current else { return }
    self.current = nil
    merge(current, with: touched.sorted().map { counts[$0] })
    for index in touched {
      counts[index].transactions = 0
      counts[index].changes = 0
      lastTransactions[index] = nil
    }
    touched.removeAll(keepingCapacity: true)
    while step + 1 < Self.steps.count, places.count > Self.maxBins || cellCount > Self.maxCells {
      lengthen()
    }
  }

  private mutating func merge(_ bin: Bin, with cells: [Cell]) {
    let index = places[bin.hour] ?? stored.count
    if index == stored.count {
      places[bin.hour] = index
      stored.append(Bin(hour: bin.hour))
    }
    stored[index].activity += bin.activity
    for cell in cells { add(cell, toBinAt: index) }
  }

  private mutating func add(_ cell: Cell, toBinAt index: Int) {
    let known = stored[index].cells.firstIndex {
      $0.place == cell.place && $0.dimension == cell.dimension
    }
    if let known {
      stored[index].cells[known].transactions += cell.transactions
      stored[index].cells[known].changes += cell.changes
    } else if isFull, cell.place != Self.otherPlace {
      var other = cell
      other.place = Self.otherPlace
      add(other, toBinAt: index)
    } else {
      stored[index].cells.append(cell)
      cellCount += 1
    }
  }

  /// Whether there are too many cells, and bins cannot become longer.
  private var isFull: Bool { step + 1 == Self.steps.count && cellCount > Self.maxCells }

  /// Puts bins together.
  private mutating func lengthen() {
    step += 1
    let bins = bins
    stored.removeAll()
    places.removeAll()
    cellCount = 0
    for var bin in bins {
      bin.hour = start(ofBinWith: bin.hour)
      merge(bin, with: bin.cells)
    }
  }

  private func start(ofBinWith hour: Int) -> Int {
    let age = ((hour - Self.firstMonday) % hours + hours) % hours
    return hour - age
  }
}
