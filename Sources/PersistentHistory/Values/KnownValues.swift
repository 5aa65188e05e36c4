import StoreFormat

/// The transactions of a store whose old and new values are known.
package struct KnownValues: Hashable, Sendable {
  /// The path of the file of recorded values; `nil` if there is none.
  package let path: String?
  /// The transactions in that file.
  package let recorded: RecordedValuesFile.Extent?
  /// Transactions of the store that were not recorded as a whole between others that were, at most
  /// ``/StoreFormat/RecordedValuesFile/maxRanges``.
  package let gaps: [ClosedRange<Int64>]
  /// The transactions whose values the log holds; `nil` if it holds none.
  package let log: LogValueExtent?

  /// - Throws: ``/StoreFormat/StoreError``.
  package init(_ snapshot: StoreSnapshot, _ values: RecordedValues?) throws {
    path = values?.path
    recorded = try values?.file?.extent()
    let ranges = snapshot.layout.history == nil ? [] : try values?.file?.ranges() ?? []
    let oldest = try ranges.isEmpty ? nil : snapshot.oldestTransaction()?.number
    let newest = try ranges.isEmpty ? nil : snapshot.newestTransaction()?.number
    gaps = zip(ranges, ranges.dropFirst()).compactMap { before, after in
      let first = max(before.last.number + 1, oldest ?? .max)
      let last = min(after.first - 1, newest ?? 0)
      return first <= last ? first...last : nil
    }
    log = values?.readsLog == true ? try snapshot.logValueExtent() : nil
  }
}
