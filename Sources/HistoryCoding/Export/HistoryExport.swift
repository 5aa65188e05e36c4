import PersistentHistory
import StoreFormat
import Synchronization

/// Writes the transactions that a query selects in one format, on several threads.
///
/// The range is divided into windows of transactions. Each thread reads, encodes and compresses a
/// window. The texts are written in the order of the transactions. Memory is bounded by the number
/// of windows in progress; a large window is written in several pieces.
///
/// ```swift
/// try file.read(withHelpers: 1) { snapshot, helpers in
///   let export = HistoryExport(query: query, compression: .zstd)
///   let summary = try export.write(snapshot, helpers, TransactionLineEncoder()) { bytes in … }
/// }
/// ```
package struct HistoryExport: Sendable {
  /// What to export; the order must be ascending.
  package var query: HistoryQuery
  package var compression: ExportCompression
  /// The gap before the first transaction, if the request began earlier: the first record of a
  /// format that can express it.
  package var missingBeginning: HistoryGap?

  package init(query: HistoryQuery = HistoryQuery(), compression: ExportCompression = .none) {
    self.query = query
    self.compression = compression
  }

  /// Exports a store.
  ///
  /// - Parameters:
  ///   - snapshot: What to read.
  ///   - helpers: Threads that read the same snapshot.
  ///   - encoder: The format; a copy of it for each thread.
  ///   - output: Takes the bytes in order, one call at a time but on any of the threads.
  /// - Throws: ``/PersistentHistory/HistoryError``, ``/StoreFormat/StoreError``, or what `output`
  ///   throws.
  @discardableResult
  func write(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ encoder: some HistoryEncoder,
    output: @escaping @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    try write(snapshot, helpers, encoder, schema: nil, begun: nil, output: output)
  }

  /// Exports a timeline: archived transactions, then those of the store.
  ///
  /// - Parameters:
  ///   - timeline: What to read.
  ///   - helpers: Threads that read the store's snapshot; `nil` without a store.
  ///   - encoder: The format; a copy of it for each thread.
  ///   - schema: The entities of the timeline.
  ///   - output: Takes the bytes, as in ``write(_:_:_:output:)``.
  /// - Throws: ``/PersistentHistory/HistoryError``, ``/StoreFormat/StoreError``, what the archive
  ///   throws, or what `output` throws.
  @discardableResult
  package func write(
    _ timeline: HistoryTimeline, _ helpers: SnapshotHelpers?, _ encoder: some HistoryEncoder,
    schema: HistorySchema,
    output: @escaping @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    if timeline.archive == nil, let snapshot = timeline.snapshot, let helpers {
      return try write(snapshot, helpers, encoder, output: output)
    }
    let pieces = try timeline.pieces(after: query.after, until: query.until)
    let archived = TimelineExport(export: self, encoder: encoder, output: output)
    // A query with a limit cannot be divided among threads.
    let isWhole = query.limit != nil || helpers == nil
    // The archive may have values of transactions that the store has too.
    let shared = isWhole || query.omitsRecordedValues ? nil : timeline.lastShared
    var rest = self
    if let shared {
      var first = query
      first.until = min(query.until ?? .max, shared)
      rest.query.after = max(query.after ?? .min, shared)
      try archived.write(TimelineReader(timeline, query: first, schema: schema))
    } else {
      try archived.write(
        isWhole
          ? TimelineReader(timeline, query: query, schema: schema)
          : TimelineReader(archivedPartOf: timeline, query: query, schema: schema))
    }
    guard !isWhole, pieces.contains(.store), let snapshot = timeline.snapshot, let helpers else {
      try archived.finish()
      return archived.summary
    }
    return try rest.write(
      snapshot, helpers, encoder, schema: schema, begun: archived.begun, output: output)
  }

  /// Returns the beginning of a file.
  func prologue(of encoder: some HistoryEncoder) -> [UInt8] {
    var encoder = encoder
    let prologue = encoder.prologue
    guard let missingBeginning else { return prologue }
    encoder.append(missingBeginning)
    return prologue + encoder.withUnsafeBytes { Array($0) }
  }

  /// Checks the numbers of transactions and changes against the store's indexes.
  ///
  /// - Parameter transactionCount: The number of transactions of the store; `nil` if it is not
  ///   known.
  private func check(
    _ summary: ExportSummary, _ snapshot: StoreSnapshot, transactionCount: Int?
  ) throws {
    guard let range = query.range else { return }
    if query.selectsEverything {
      try snapshot.checkTransactions(in: .min ... .max, read: transactionCount.map { Int64($0) })
    } else if query.limit == nil {
      try snapshot.checkTransactions(in: range)
    }
    guard query.isUnconditional else { return }
    try snapshot.checkChangeCount(
      summary.storedChanges, ofTransactions: query.selectsEverything ? .min ... .max : range)
  }

  /// Exports the store's part.
  ///
  /// - Parameters:
  ///   - schema: The entities; `nil` for those of the store.
  ///   - begun: What was exported before; `nil` at the beginning.
  private func write(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ encoder: some HistoryEncoder,
    schema: HistorySchema?, begun: (summary: ExportSummary, isEmpty: Bool)?,
    output: @escaping @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    let compression = compression
    let isEmpty = Mutex(begun?.isEmpty ?? true)
    let write: @Sendable ([UInt8], ExportSummary) throws -> Void = { bytes, summary in
      guard !bytes.isEmpty else { return }
      isEmpty.withLock { $0 = false }
      try bytes.withUnsafeBytes { try output($0, summary) }
    }
    let prologue = prologue(of: encoder)
    if begun == nil, !prologue.isEmpty { try write(compression.pack(prologue), ExportSummary()) }
    let plan = WindowPlan(query: query, newest: try snapshot.newestTransaction()?.number)
    let summary = try WindowedReading(query: query, dealer: plan, schema: schema).run(
      snapshot, helpers, begun: begun?.summary ?? ExportSummary(),
      packer: { TextPacker(encoder, compression) }, output: write)
    if isEmpty.withLock({ $0 }) { try write(compression.packNothing(), summary) }
    if query.checksCompleteness {
      try check(summary, snapshot, transactionCount: begun == nil ? summary.transactions : nil)
    }
    return summary
  }
}

/// The extent of an export so far.
package struct ExportSummary: Hashable, Sendable {
  package internal(set) var transactions = 0
  /// The first transaction; `nil` if there was none.
  package internal(set) var first: TransactionPosition?
  /// The last transaction.
  package internal(set) var last: TransactionPosition?
  /// The number of changes that were read from the store.
  package internal(set) var storedChanges: Int64 = 0
  package internal(set) var gaps: [HistoryGap] = []
  /// The first contradiction of an index and its table in what was read; `nil` if there is none.
  var damage: StoreError?

  package init() {}

  mutating func add(_ position: TransactionPosition) {
    transactions += 1
    if first == nil { first = position }
    last = position
  }

  /// Adds the summary of the next part.
  mutating func add(_ next: ExportSummary) {
    transactions += next.transactions
    storedChanges += next.storedChanges
    if first == nil { first = next.first }
    last = next.last ?? last
    gaps += next.gaps
    damage = damage ?? next.damage
  }
}
