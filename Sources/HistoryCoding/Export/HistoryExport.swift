import PersistentHistory
import StoreFormat
import Synchronization

/// Writes the history that a query selects in one format, on all threads that there are.
///
/// The range is cut into windows of transactions. Each thread reads a window, encodes and compresses
/// it by itself; the texts go out in the order of the transactions. Memory is bounded by the windows
/// under way, and a window with too much in it goes out in pieces.
///
/// ```swift
/// try file.read(withHelpers: 1) { snapshot, helpers in
///   let export = HistoryExport(query: query, compression: .zstd)
///   let summary = try export.write(snapshot, helpers, TransactionLineEncoder()) { bytes in … }
/// }
/// ```
public struct HistoryExport: Sendable {
  /// What to export; the order must be ascending.
  public var query: HistoryQuery
  /// How the text is packed.
  public var compression: ExportCompression

  /// An export, of everything unless told otherwise.
  public init(query: HistoryQuery = HistoryQuery(), compression: ExportCompression = .none) {
    self.query = query
    self.compression = compression
  }

  /// Exports.
  ///
  /// - Parameters:
  ///   - snapshot: What to read.
  ///   - helpers: Threads that read the same snapshot.
  ///   - encoder: The format; a copy of it for each thread.
  ///   - output: Takes the bytes, piece by piece and in order, one call at a time but on any of the
  ///     threads.
  /// - Returns: What was exported.
  /// - Throws: ``/PersistentHistory/HistoryError``, ``/StoreFormat/StoreError``, or what `output`
  ///   throws.
  @discardableResult
  public func write(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers, _ encoder: some HistoryEncoder,
    output: @escaping @Sendable (UnsafeRawBufferPointer, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    let compression = compression
    let isEmpty = Mutex(true)
    let write: @Sendable ([UInt8], ExportSummary) throws -> Void = { bytes, summary in
      guard !bytes.isEmpty else { return }
      isEmpty.withLock { $0 = false }
      try bytes.withUnsafeBytes { try output($0, summary) }
    }
    let prologue = encoder.prologue
    if !prologue.isEmpty { try write(compression.pack(prologue), ExportSummary()) }
    let plan = WindowPlan(query: query, newest: try snapshot.newestTransaction()?.number)
    let summary = try WindowedReading(query: query, dealer: plan).run(
      snapshot, helpers, packer: { TextPacker(encoder, compression) }, output: write)
    if isEmpty.withLock({ $0 }) { try write(compression.packNothing(), summary) }
    return summary
  }
}
