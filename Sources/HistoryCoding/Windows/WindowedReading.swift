import PersistentHistory
import StoreEditing
import StoreFormat

/// Reads a history in windows on all threads that there are.
///
/// Each thread reads a window and makes pieces of it by itself; the pieces are given out in the order
/// of the transactions. Memory is bounded by the windows under way, and a window with too much in it
/// is given out in several pieces.
package struct WindowedReading {
  /// What to read; the order must be ascending.
  package let query: HistoryQuery
  /// Who cuts it into windows.
  package let dealer: any WindowDealer
  /// The entities; nil for those of the store.
  package let schema: HistorySchema?
  /// Whether rows may be read as they lie in the file, rather than looked up by their transactions.
  package let readsRowsAsTheyLie: Bool

  package init(
    query: HistoryQuery, dealer: any WindowDealer, schema: HistorySchema? = nil,
    readsRowsAsTheyLie: Bool = true
  ) {
    self.readsRowsAsTheyLie = readsRowsAsTheyLie
    self.query = query
    self.dealer = dealer
    self.schema = schema
  }

  /// Reads.
  ///
  /// - Parameters:
  ///   - snapshot: What to read.
  ///   - helpers: Threads that read the same snapshot.
  ///   - begun: What has been read elsewhere before.
  ///   - packer: Makes a packer for a thread.
  ///   - output: Takes the pieces in order, one call at a time but on any of the threads.
  /// - Returns: What was read.
  package func run<Packer: WindowPacker>(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers,
    begun: ExportSummary = ExportSummary(),
    packer: @escaping @Sendable () throws -> Packer,
    output: @escaping @Sendable (Packer.Piece, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    let sink = OrderedSink(begun, output: output)
    let threadCount = dealer.isWhole ? 1 : helpers.count + 1
    sink.allow(windows: threadCount * 2 + 1)
    let (query, dealer, schema, asTheyLie) = (query, dealer, schema, readsRowsAsTheyLie)
    let work: @Sendable (StoreSnapshot) -> Void = { snapshot in
      do {
        var worker = try WindowWorker(
          query: query, snapshot: snapshot, schema: schema, dealer: dealer, sink: sink,
          packer: packer(), readsRowsAsTheyLie: asTheyLie)
        try worker.run()
      } catch {
        sink.fail(error)
      }
    }
    if threadCount == 1 {
      work(snapshot)
    } else {
      helpers.run(work) { work(snapshot) }
    }
    try sink.throwFailure()
    return sink.summary
  }
}
