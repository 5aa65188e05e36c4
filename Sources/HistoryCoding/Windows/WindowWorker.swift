import PersistentHistory
import StoreFormat

/// Takes windows, encodes them and passes them on, on one thread.
struct WindowWorker<Packer: WindowPacker> {
  /// The maximum size of a window's text in bytes before a part of it is passed on: other threads
  /// wait then for the windows before it.
  private static var pieceSize: Int { 4 << 20 }

  private let query: HistoryQuery
  private let snapshot: StoreSnapshot
  private let dealer: any WindowDealer
  private let sink: OrderedSink<Packer.Piece>
  private let schema: HistorySchema
  private var packer: Packer
  /// The last transaction of the window whose text is complete; `nil` before the first one.
  private var lastWhole: Int64?
  /// Whether a part of the window was passed on already.
  private var hasFlushed = false
  /// The bytes of the window's text that drains have taken.
  private var drainedByteCount = 0

  init(
    query: HistoryQuery, snapshot: StoreSnapshot, schema: HistorySchema?, dealer: any WindowDealer,
    sink: OrderedSink<Packer.Piece>, packer: Packer
  ) throws {
    var query = query
    query.isPart = true
    self.query = query
    self.snapshot = snapshot
    self.dealer = dealer
    self.sink = sink
    self.packer = packer
    self.schema = try schema ?? HistorySchema(snapshot)
  }

  /// Works until there is no window left, or a thread has failed.
  mutating func run() throws {
    defer { snapshot.beforeLargeValue = nil }
    while try sink.waitForSlot(), let window = try dealer.next(snapshot) {
      guard try write(window) else { return }
    }
    sink.releaseSlot()
  }

  /// Encodes a window and passes it on; returns `false` if it could not be read to its end.
  private mutating func write(_ window: HistoryWindow) throws -> Bool {
    var query = query.narrowed(to: window.transactions)
    lastWhole = nil
    hasFlushed = false
    drainedByteCount = 0
    snapshot.beforeLargeValue = { [sink] in try sink.waitForTurn(window.index) }
    var summary = ExportSummary()
    var failure: (any Error)?
    do {
      summary = try read(query, window)
    } catch {
      guard !hasFlushed else { throw error }
      failure = error
      // Everything before the damage is passed on: the windows before this one, and its first
      // transactions, without the one that was being written.
      query.until = lastWhole
      if lastWhole != nil, let before = try? read(query, window) {
        summary = before
      } else {
        try packer.begin(window)
      }
    }
    let piece = try packer.finish()
    dealer.learn(window, byteCount: packer.takenByteCount + drainedByteCount)
    sink.finish(window.index, piece, summary, failure: failure)
    return failure == nil
  }

  private mutating func read(
    _ query: HistoryQuery, _ window: HistoryWindow
  ) throws -> ExportSummary {
    try packer.begin(window)
    let drain = packer.drain { [sink] in try sink.writePiece(window.index, $0) }
    packer.encoder.drain = drain
    defer {
      packer.encoder.drain = nil
      if let drain, drain.byteCount > 0 {
        drainedByteCount += drain.byteCount
        hasFlushed = true
      }
    }
    let reader = try HistoryReader(snapshot: snapshot, query: query, schema: schema)
    var summary = ExportSummary()
    func next() throws -> HistoryTransaction? {
      do {
        return try reader.nextTransaction()
      } catch  where reader.isAtEnd {
        let error = StoreError.translating(error, location: snapshot.location, busyTimeout: 0)
        guard let damage = error as? StoreError, case .damaged = damage else { throw error }
        // All of the window was read, and the next ones can be.
        summary.damage = damage
        return nil
      }
    }
    while let transaction = try next() {
      let position = transaction.position
      summary.add(position)
      packer.encoder.begin(transaction)
      while try !packer.encoder.appendChanges(of: reader, byteLimit: Self.pieceSize) {
        try drain?.throwFailure()
        try flush(window, in: position)
      }
      packer.encoder.end()
      try drain?.throwFailure()
      try packer.end(position)
      lastWhole = position.number
      if packer.byteCount >= Self.pieceSize { try flush(window, in: nil) }
    }
    summary.storedChanges = reader.readChangeCount
    return summary
  }

  private mutating func flush(
    _ window: HistoryWindow, in position: TransactionPosition?
  ) throws {
    hasFlushed = true
    try sink.writePiece(window.index, packer.takePiece(in: position))
  }
}
