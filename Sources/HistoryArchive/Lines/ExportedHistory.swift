import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

/// History that was exported as lines, read as if it were an archive of its store.
///
/// The lines may be packed, and may come from standard input. They are read once and checked, and kept
/// packed in a temporary file for as long as this lives; memory does not grow with them. They may stand
/// oldest first or newest first, and need not be written exactly as histctl writes them.
///
/// ```swift
/// let history = try ExportedHistory(path: "history.jsonl.zst")
/// let timeline = HistoryTimeline(history)
/// ```
package final class ExportedHistory {
  /// Where the lines come from.
  package let path: String
  /// The identifier of the store; nil where the lines name none.
  package let storeIdentifier: String?
  /// The numbers that there are; between two stretches the lines say that history is missing.
  package let stretches: [ClosedRange<Int64>]
  private let named: [HistoryEntity]
  /// The lines as a segment; nil where there are none.
  private let content: (entry: CatalogEntry, reader: SegmentReader)?

  /// Reads and checks lines.
  ///
  /// - Parameters:
  ///   - path: The file; ``ExportedText/standardInput`` for standard input.
  ///   - storeIdentifier: Whose lines to take; nil where all are of one store.
  /// - Throws: ``ArchiveError``, ``/HistoryCoding/CompressionError``.
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
      stretches = []
      content = nil
      return
    }
    stretches = Self.stretches(first.number...last.number, reading.gaps)
    let frames = groups.flatMap(\.frames)
    let manifest = SegmentManifest(
      store: reading.store ?? "", first: first, last: last, after: nil,
      earliest: groups.compactMap(\.earliest).min(), latest: groups.compactMap(\.latest).max(),
      transactionCount: frames.reduce(0) { $0 + Int64($1.transactionCount) }, counts: [],
      textByteCount: reading.frames.textByteCount, byteCount: file.byteCount, digest: .none,
      frames: frames,
      schema: SegmentSchema(
        versionIdentifiers: [], transactionColumns: [], changeColumns: [], entities: []))
    let reader = SegmentReader(
      try file.opened(as: text.path), manifest, schema: HistorySchema(entities: named),
      decoder: TransactionLineDecoder(entities: LineEntities(named)))
    let entry = CatalogEntry(
      store: manifest.store, first: first.number, last: last.number, after: nil,
      manifestDigest: .none, previousDigest: .none)
    content = (entry, reader)
  }

  /// Divides the numbers where the lines tell of a gap.
  private static func stretches(
    _ all: ClosedRange<Int64>, _ gaps: [HistoryGap]
  ) -> [ClosedRange<Int64>] {
    var stretches: [ClosedRange<Int64>] = []
    var start = all.lowerBound
    for gap in gaps.sorted(by: { $0.after < $1.after }) {
      guard let oldest = gap.oldest, gap.after >= start, oldest > gap.after,
        oldest <= all.upperBound
      else { continue }
      stretches.append(start...gap.after)
      start = oldest
    }
    return stretches + [start...all.upperBound]
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
  /// The entities that lines name.
  package func entities() -> [HistoryEntity] { named }

  /// How many transactions there are before a number.
  ///
  /// - Throws: ``ArchiveError``.
  package func transactionCount(before number: Int64) throws -> Int64 {
    try walk?.transactionCount(before: number) ?? 0
  }

  /// The transaction with exactly this number, if it is there.
  ///
  /// - Throws: ``ArchiveError``.
  package func position(ofTransaction number: Int64) throws -> TransactionPosition? {
    try walk?.position(ofTransaction: number)
  }

  /// The transaction that follows a number, or with `offset` the n-th behind that one.
  ///
  /// - Throws: ``ArchiveError``.
  package func firstTransaction(
    after number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    return try walk?.first(after: number, skipping: &rest)
  }

  /// The transaction before a number, or with `offset` the n-th before that one.
  ///
  /// - Throws: ``ArchiveError``.
  package func lastTransaction(
    before number: Int64, offset: Int64
  ) throws -> TransactionPosition? {
    var rest = max(offset, 0)
    return try walk?.last(before: number, skipping: &rest)
  }

  /// The transaction with the lowest number among those saved at a moment or after it.
  ///
  /// - Throws: ``ArchiveError``.
  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    try walk?.first(notBefore: moment)
  }

  /// Whether one of the newest transactions has an author.
  ///
  /// - Throws: ``ArchiveError``.
  package func hasAuthors() throws -> Bool { try hasNewestAuthors() }

  /// Reads the transactions that a query selects.
  package func transactions(_ query: HistoryQuery) -> any TransactionSource {
    let lower = max(query.after ?? 0, 0)
    let upper = query.until ?? .max
    let parts = (content.map { [$0.entry] } ?? []).compactMap { entry -> ArchivedStore.Part? in
      guard entry.last > lower, entry.first <= upper, lower < upper else { return nil }
      return ArchivedStore.Part(
        entry: entry, range: max(entry.first, lower + 1)...min(entry.last, upper))
    }
    return ArchivedTransactions(self, parts, query)
  }
}
