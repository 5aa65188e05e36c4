import HistoryCoding
import PersistentHistory
import StoreFormat

/// Exported lines, read as if they were an archive of their store.
///
/// The lines may be compressed and may come from standard input, oldest first or newest first. They are
/// read and checked once, and kept compressed in a temporary file, so memory does not grow with them.
///
/// ```swift
/// let history = try ExportedHistory(path: "history.jsonl.zst")
/// let timeline = HistoryTimeline(history)
/// ```
package final class ExportedHistory {
  package let path: String
  package let storeIdentifier: String?
  /// The numbers of the transactions; between two ranges the lines report a gap.
  package let ranges: [ClosedRange<Int64>]
  private let named: [HistoryEntity]
  /// The lines as a segment, or `nil` without lines.
  private let content: (entry: CatalogEntry, reader: SegmentReader)?

  /// Reads and checks lines.
  ///
  /// - Parameters:
  ///   - path: The file, or ``ExportedText/standardInput``.
  ///   - storeIdentifier: The store whose lines to take; `nil` if all are of one store.
  package init(path: String, storeIdentifier: String? = nil) throws {
    let text = try ExportedText(path: path)
    let file = try TemporaryFile()
    var reading = try LineReading(text, store: storeIdentifier, file)
    try reading.run()
    if let storeIdentifier, reading.frames.groups.isEmpty, !reading.others.isEmpty {
      throw ArchiveError.unknownStore(
        path: text.path, store: storeIdentifier, known: reading.others.sorted())
    }
    self.path = text.path
    self.storeIdentifier = reading.store
    named = reading.entities.entities()
    let groups = reading.frames.groups
    guard let first = groups.first?.first, let last = groups.last?.last else {
      ranges = []
      content = nil
      return
    }
    ranges = Self.ranges(first.number...last.number, reading.gaps)
    let frames = groups.flatMap(\.frames)
    let manifest = SegmentManifest(
      store: reading.store ?? "", first: first, last: last,
      earliest: groups.compactMap(\.earliest).min(), latest: groups.compactMap(\.latest).max(),
      transactionCount: frames.reduce(0) { $0 + Int64($1.transactionCount) },
      textByteCount: reading.frames.textByteCount, byteCount: file.byteCount, frames: frames)
    let reader = SegmentReader(
      try file.opened(as: text.path), manifest, schema: HistorySchema(entities: named),
      decoder: TransactionLineDecoder(entities: LineEntities(named)))
    let entry = CatalogEntry(
      store: manifest.store, first: first.number, last: last.number, after: nil,
      manifestDigest: .none, previousDigest: .none)
    content = (entry, reader)
  }

  /// Divides the numbers at the gaps that the lines report.
  private static func ranges(
    _ all: ClosedRange<Int64>, _ gaps: [HistoryGap]
  ) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    var start = all.lowerBound
    for gap in gaps.sorted(by: { $0.after < $1.after }) {
      guard let oldest = gap.oldest, gap.after >= start, oldest > gap.after,
        oldest <= all.upperBound
      else { continue }
      ranges.append(start...gap.after)
      start = oldest
    }
    return ranges + [start...all.upperBound]
  }

  private var walk: SegmentWalk? {
    content.map { SegmentWalk($0.reader, $0.entry.range) }
  }
}

extension ExportedHistory: SegmentSource {
  func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader {
    guard let content else { throw .missing(path: path) }
    return content.reader
  }
}

extension ExportedHistory: ArchivedHistory {
  package func entities() -> [HistoryEntity] { named }

  package func transactionCount(before number: Int64) throws -> Int64 {
    try walk?.transactionCount(before: number) ?? 0
  }

  package func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    try walk?.position(ofTransaction: number)
  }

  package func firstTransaction(
    after number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    return try walk?.first(after: number, skipping: &rest)
  }

  package func lastTransaction(
    before number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    return try walk?.last(before: number, skipping: &rest)
  }

  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    try walk?.first(notBefore: moment)
  }

  package func transactions(_ query: HistoryQuery) -> any TransactionSource {
    let parts = content.map {
      ArchivedStore(identifier: $0.entry.store, entries: [$0.entry])
        .parts(after: query.after.map { max($0, 0) }, until: query.until)
    }
    return ArchivedTransactions(self, parts ?? [], query)
  }
}
