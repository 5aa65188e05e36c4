import PersistentHistory
import StoreFormat

/// Reads a history in windows on several threads.
///
/// Each thread reads a window and packs it. The pieces are passed on in the order of the
/// transactions. Memory is bounded by the number of windows in progress; a large window is passed
/// on in several pieces. A large value is read only by the thread whose window is next, so that there is one
/// at a time.
package struct WindowedReading {
  /// What to read; the order must be ascending.
  let query: HistoryQuery
  /// Divides it into windows.
  let dealer: any WindowDealer
  /// The entities; `nil` for those of the store.
  let schema: HistorySchema?

  package init(query: HistoryQuery, dealer: any WindowDealer, schema: HistorySchema? = nil) {
    self.query = query
    self.dealer = dealer
    self.schema = schema
  }

  /// Reads the history.
  ///
  /// - Parameters:
  ///   - snapshot: What to read.
  ///   - helpers: Threads that read the same snapshot.
  ///   - begun: What was read before, elsewhere.
  ///   - packer: Makes a packer for a thread.
  ///   - output: Takes the pieces in order, one call at a time but on any of the threads.
  /// - Throws: Errors of the store, of a packer or of `output`. Where an index of the store lists other rows than
  ///   its table has, only after everything was read.
  package func run<Packer: WindowPacker>(
    _ snapshot: StoreSnapshot, _ helpers: SnapshotHelpers,
    begun: ExportSummary = ExportSummary(),
    packer: @escaping @Sendable () throws -> Packer,
    output: @escaping @Sendable (Packer.Piece, ExportSummary) throws -> Void
  ) throws -> ExportSummary {
    let sink = OrderedSink(begun, output: output)
    let threadCount = dealer.isWhole ? 1 : helpers.count + 1
    sink.allow(windows: threadCount * 2 + 1)
    let (query, dealer, schema) = (query, dealer, schema)
    let work: @Sendable (StoreSnapshot) -> Void = { snapshot in
      do {
        var worker = try WindowWorker(
          query: query, snapshot: snapshot, schema: schema, dealer: dealer, sink: sink,
          packer: packer())
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
    let summary = sink.summary
    if let damage = summary.damage { throw damage }
    return summary
  }
}

/// Packs or compares the text of windows. Each thread has its own.
package protocol WindowPacker: SendableMetatype {
  associatedtype Encoder: HistoryEncoder
  associatedtype Piece: Sendable

  /// Writes the text; ``takePiece(in:)`` and ``finish()`` empty it.
  var encoder: Encoder { get set }

  /// The number of bytes of text in ``encoder``. Reading it from the encoder would copy the encoder.
  var byteCount: Int { get }

  /// Begins a window, or begins it again without the text so far.
  mutating func begin(_ window: HistoryWindow) throws

  /// Returns what takes the text of the window that began while a long value is written, or `nil` if the
  /// encoder keeps it. The drain must not use the packer.
  ///
  /// - Parameter passOn: Passes on a piece.
  func drain(passingOn passOn: @escaping (Piece) throws -> Void) -> TextDrain?

  /// Marks the end of a transaction's text.
  mutating func end(_ position: TransactionPosition) throws

  /// Packs the text so far.
  ///
  /// - Parameter position: The transaction whose text continues; `nil` between transactions.
  mutating func takePiece(in position: TransactionPosition?) throws -> Piece

  /// Packs the rest of a window.
  mutating func finish() throws -> Piece

  /// The bytes of the window's text that were packed.
  var takenByteCount: Int { get }
}
