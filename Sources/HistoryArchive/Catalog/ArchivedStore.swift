/// The segments of one store.
package struct ArchivedStore: Hashable, Sendable {
  /// Consecutive segments without a gap.
  struct Run: Hashable, Sendable {
    let entries: ArraySlice<CatalogEntry>
    let first: Int64
    let last: Int64
  }

  /// The transactions to read from a segment; those of different parts never overlap.
  struct Part: Hashable, Sendable {
    // An index takes a fifth of the memory of an entry, and there may be 100,000 parts.
    private let entries: [CatalogEntry]
    private let index: Int
    let range: ClosedRange<Int64>

    init(_ entries: [CatalogEntry], at index: Int, range: ClosedRange<Int64>) {
      self.entries = entries
      self.index = index
      self.range = range
    }

    var entry: CatalogEntry { entries[index] }
  }

  package let identifier: String
  /// The segments, by their first transaction.
  package let entries: [CatalogEntry]

  package init(identifier: String, entries: [CatalogEntry]) {
    self.identifier = identifier
    // Entries are usually in order already, and a catalog may have 100,000 of them.
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { !Self.isBefore($1, $0) }
    self.entries = isSorted ? entries : entries.sorted(by: Self.isBefore)
  }

  /// Groups entries by store, sorted by identifier. The entries of a single store are not copied.
  static func stores(of entries: [CatalogEntry]) -> [ArchivedStore] {
    guard let first = entries.first?.store else { return [] }
    if entries.allSatisfy({ $0.store == first }) {
      return [ArchivedStore(identifier: first, entries: entries)]
    }
    return Dictionary(grouping: entries, by: \.store)
      .map { ArchivedStore(identifier: $0, entries: $1) }
      .sorted { $0.identifier < $1.identifier }
  }

  private static func isBefore(_ one: CatalogEntry, _ other: CatalogEntry) -> Bool {
    (one.first, one.last) < (other.first, other.last)
  }

  /// The number of the first transaction, or `nil` without segments.
  var first: Int64? { entries.first?.first }
  /// The number of the last transaction, or `nil` without segments.
  var last: Int64? { entries.map(\.last).max() }

  /// The runs without a gap, oldest first.
  ///
  /// There is no gap between two segments if the second one names the first one's last transaction as
  /// the one before it, if their numbers are consecutive, or if they overlap.
  var runs: [Run] {
    var runs: [Run] = []
    var start = 0
    var last: Int64 = 0
    for (index, entry) in entries.enumerated() {
      if index > start, entry.first - 1 > last, entry.after.map({ $0 > last }) ?? true {
        runs.append(Run(entries: entries[start..<index], first: entries[start].first, last: last))
        start = index
      }
      last = index == start ? entry.last : max(last, entry.last)
    }
    if start < entries.count {
      runs.append(Run(entries: entries[start...], first: entries[start].first, last: last))
    }
    return runs
  }

  /// The segments that overlap the ones before them.
  var overlapping: [CatalogEntry] {
    var last: Int64 = 0
    return entries.filter { entry in
      defer { last = max(last, entry.last) }
      return entry.first <= last
    }
  }

  /// The parts that together have each transaction of a range once, oldest first.
  ///
  /// - Parameters:
  ///   - run: Only segments of this run.
  ///   - after: Only transactions with a higher number.
  ///   - until: Only transactions with this number or a lower one.
  func parts(
    of run: Run? = nil, after: Int64? = nil, until: Int64? = nil
  ) -> [Part] {
    var covered = after ?? 0
    let end = until ?? .max
    var parts: [Part] = []
    for index in run?.entries.indices ?? entries.indices {
      let entry = entries[index]
      guard covered < end, entry.last > covered, entry.first <= end else { continue }
      let range = max(entry.first, covered + 1)...min(entry.last, end)
      parts.append(Part(entries, at: index, range: range))
      covered = range.upperBound
    }
    return parts
  }

  /// The segment with the last transaction, or `nil` without segments.
  var newestEntry: CatalogEntry? { entries.max { $0.last < $1.last } }
}
