import PersistentHistory
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

  package init(query: HistoryQuery, dealer: any WindowDealer) {
    self.query = query
    self.dealer = dealer
  }

  /// Reads.
  ///
  /// - Parameters:
  ///   - snapshot: What to read.
  ///   - helpers: Threads that read the same snapshot.
  ///   - packer: Makes a packer for a thread.
  ///   - output: Takes the pieces in order, one call at a time but on any of the threads.
  /// - Returns: What was read.
  package func run<Packer: WindowPacker>(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers,
    packer: @escaping @Sendable () throws -> Packer,
    output: @escaping @Sendable (Packer.Piece, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    let sink = OrderedSink(output: output)
    let threadCount = dealer.isWhole ? 1 : helpers.count + 1
    sink.allow(windows: threadCount * 2 + 1)
    let (query, dealer) = (query, dealer)
    let work: @Sendable (StoreSnapshot) -> Void = { snapshot in
      do {
        var worker = try WindowWorker(
          query: query, snapshot: snapshot, dealer: dealer, sink: sink, packer: packer())
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
