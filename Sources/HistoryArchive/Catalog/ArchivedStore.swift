/// What an archive has of one store.
package struct ArchivedStore: Hashable, Sendable {
  /// A run of segments without a gap in it.
  package struct Run: Hashable, Sendable {
    /// The segments, by their first transaction.
    package let entries: [CatalogEntry]
    /// The number of the first transaction.
    package let first: Int64
    /// The number of the last transaction.
    package let last: Int64
  }

  /// A part of a segment that no other part overlaps.
  package struct Part: Hashable, Sendable {
    /// The segment.
    package let entry: CatalogEntry
    /// The transactions to take of it.
    package let range: ClosedRange<Int64>
  }

  /// The identifier of the store.
  package let identifier: String
  /// The segments, by their first transaction.
  package let entries: [CatalogEntry]

  /// Puts the segments of one store in order.
  package init(identifier: String, entries: [CatalogEntry]) {
    self.identifier = identifier
    self.entries = entries.sorted { ($0.first, $0.last) < ($1.first, $1.last) }
  }

  /// The number of the first transaction; nil where there is no segment.
  package var first: Int64? { entries.first?.first }
  /// The number of the last transaction; nil where there is no segment.
  package var last: Int64? { entries.map(\.last).max() }

  /// The runs without a gap, oldest first.
  ///
  /// Two segments have no gap between them where the second says that it goes on behind the first,
  /// where their numbers follow each other, and where they overlap.
  package var runs: [Run] {
    var runs: [Run] = []
    var current: [CatalogEntry] = []
    var last: Int64 = 0
    func close() {
      if let first = current.first {
        runs.append(Run(entries: current, first: first.first, last: last))
      }
    }
    for entry in entries {
      // A number above another has one before it.
      let follows =
        current.isEmpty || entry.first - 1 <= last || entry.after.map { $0 <= last } == true
      if !follows {
        close()
        current = []
      }
      last = current.isEmpty ? entry.last : max(last, entry.last)
      current.append(entry)
    }
    close()
    return runs
  }

  /// Whether everything from the first transaction to the last is there.
  package var isContiguous: Bool { runs.count <= 1 }

  /// The segments that overlap the ones before them.
  package var overlapping: [CatalogEntry] {
    var last: Int64 = 0
    return entries.filter { entry in
      defer { last = max(last, entry.last) }
      return entry.first <= last
    }
  }

  /// The parts of segments that hold a range of transactions, each transaction once, oldest first.
  ///
  /// - Parameters:
  ///   - after: Only transactions with a higher number; nil for all.
  ///   - until: Only transactions with this number or a lower one; nil for all.
  package func parts(after: Int64? = nil, until: Int64? = nil) -> [Part] {
    var covered = after ?? 0
    let end = until ?? .max
    var parts: [Part] = []
    for entry in entries where covered < end && entry.last > covered && entry.first <= end {
      let range = max(entry.first, covered + 1)...min(entry.last, end)
      parts.append(Part(entry: entry, range: range))
      covered = range.upperBound
    }
    return parts
  }

  /// The segment with the last transaction; nil where there is no segment.
  package var newestEntry: CatalogEntry? { entries.max { $0.last < $1.last } }

  /// The segment in whose range a transaction lies; nil where there is none.
  ///
  /// The transaction need not be in it: numbers may be missing from a history.
  package func entry(holding transaction: Int64) -> CatalogEntry? {
    entries.last { $0.range.contains(transaction) }
  }
}
