/// The segments of a catalog that no later line replaces or removes.
struct ListedSegments: Hashable, Sendable {
  /// The segments, in the order of their lines.
  private(set) var entries: [CatalogEntry] = []
  /// The numbers below which transactions of each store were forgotten.
  private(set) var forgotten: [String: Int64] = [:]

  /// Adds lines that follow those so far.
  mutating func add(_ lines: [CatalogEntry]) {
    if entries.isEmpty { entries = lines } else { entries += lines }
    guard lines.contains(where: { $0.kind != .segment }) else { return }
    // From the end, because a line replaces or removes segments of earlier lines.
    var left: [CatalogEntry] = []
    var gone: [String: Int64] = [:]
    var merged: [String: DisjointRanges] = [:]
    for entry in entries.reversed() {
      let isReplaced = merged[entry.store]?.hasAround(entry.range) ?? false
      if !isReplaced, entry.first >= gone[entry.store] ?? 0 { left.append(entry) }
      // Also for a removed segment, because the files of those that it replaced are removed.
      if entry.kind != .segment, !isReplaced {
        merged[entry.store, default: .init()].insert(entry.range)
      }
      if entry.kind == .forget { gone[entry.store] = max(gone[entry.store] ?? 0, entry.first) }
    }
    entries = left.reversed()
    forgotten.merge(gone) { max($0, $1) }
  }

  /// Returns a test for leftover files of a store.
  func leftovers(ofStore store: String) -> LeftoverSegments {
    // A full catalog is large; that of one store is not copied.
    let own =
      entries.allSatisfy { $0.store == store } ? entries : entries.filter { $0.store == store }
    let listed = ArchivedStore(identifier: store, entries: own)
    return LeftoverSegments(forgotten: forgotten[store], runs: listed.runs)
  }
}

/// Identifies files of a store that merging or forgetting has left and no line of the catalog lists.
struct LeftoverSegments {
  /// The number below which transactions were forgotten.
  let forgotten: Int64?
  let runs: [ArchivedStore.Run]

  /// Whether the transactions of a range were forgotten, or listed segments have them.
  func contains(_ range: ClosedRange<Int64>) -> Bool {
    isForgotten(range) || !coverage(of: range).isEmpty
  }

  func isForgotten(_ range: ClosedRange<Int64>) -> Bool {
    forgotten.map { range.lowerBound < $0 } ?? false
  }

  /// Returns the segments that together have all transactions of a range, or none.
  func coverage(of range: ClosedRange<Int64>) -> [CatalogEntry] {
    let index = runs.partitioningIndex { $0.first > range.lowerBound }
    guard index > 0, range.upperBound <= runs[index - 1].last else { return [] }
    return runs[index - 1].entries.filter { $0.range.overlaps(range) }
  }
}

/// Ranges, none of which contains another.
private struct DisjointRanges {
  /// Sorted by their bounds, highest first. Lines are read from the end, so that most are appended.
  private var ranges: [ClosedRange<Int64>] = []

  /// Whether one of them contains a range.
  func hasAround(_ range: ClosedRange<Int64>) -> Bool {
    // Of those that begin early enough the first one ends last.
    let index = ranges.partitioningIndex { $0.lowerBound <= range.lowerBound }
    return index < ranges.count && ranges[index].upperBound >= range.upperBound
  }

  /// Adds a range that none of them contains.
  mutating func insert(_ range: ClosedRange<Int64>) {
    let end = ranges.partitioningIndex { $0.lowerBound < range.lowerBound }
    var start = end
    while start > 0, ranges[start - 1].upperBound <= range.upperBound { start -= 1 }
    ranges.replaceSubrange(start..<end, with: [range])
  }
}
