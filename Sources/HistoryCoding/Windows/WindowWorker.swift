import PersistentHistory
import StoreEditing
import StoreFormat

/// What one thread does: take windows, encode them, hand them on.
struct WindowWorker<Packer: WindowPacker> {
  /// The most rows that are read as they lie: what is made of them is kept until all are read.
  private static var mostRows: Int64 { 65_536 }
  /// The most text that is kept for them, in bytes.
  private static var mostKept: Int { 8 << 20 }
  /// How much text is gathered before it goes out in pieces.
  private static var pieceSize: Int { 1 << 20 }

  private let query: HistoryQuery
  private let snapshot: StoreSnapshot
  private let dealer: any WindowDealer
  private let sink: OrderedSink<Packer.Piece>
  private let schema: HistorySchema
  private var packer: Packer
  private let mayReadAsRowsLie: Bool
  /// The last transaction of the window whose text is whole; nil before the first one.
  private var lastWhole: Int64?
  /// Whether a part of the window has gone out already.
  private var hasFlushed = false

  init(
    query: HistoryQuery, snapshot: StoreSnapshot, schema: HistorySchema?, dealer: any WindowDealer,
    sink: OrderedSink<Packer.Piece>, packer: Packer, readsRowsAsTheyLie: Bool
  ) throws {
    mayReadAsRowsLie = readsRowsAsTheyLie
    // Complete or not, the whole range can tell better than its windows.
    var query = query
    query.checksCompleteness = false
    self.query = query
    self.snapshot = snapshot
    self.dealer = dealer
    self.sink = sink
    self.packer = packer
    self.schema = try schema ?? HistorySchema(snapshot)
  }

  /// Works until there is no window left, or somebody has failed.
  mutating func run() throws {
    while try sink.waitForRoom(), let window = try dealer.next(snapshot) {
      guard try write(window) else { return }
    }
    sink.giveUpRoom()
  }

  /// Encodes a window and hands it on; false where it could not be read to its end.
  private mutating func write(_ window: HistoryWindow) throws -> Bool {
    var query = query
    lastWhole = nil
    hasFlushed = false
    query.after = window.transactions.lowerBound == .min ? nil : window.transactions.lowerBound - 1
    query.until = window.transactions.upperBound
    let summary: ExportSummary
    var failure: (any Error)?
    do {
      summary = try readAsRowsLie(query, window) ?? readInOrder(query, window)
    } catch {
      // Whoever has a damaged store is given all that stands before the damage, the windows before
      // this one too.
      guard !hasFlushed else { throw error }
      failure = error
      if let read = readBeforeDamage(query, window) {
        summary = read
      } else {
        guard !hasFlushed else { throw error }
        try packer.begin(window)
        summary = ExportSummary()
      }
    }
    let piece = try packer.finish()
    dealer.learn(window, byteCount: packer.takenByteCount)
    sink.finish(window.index, piece, summary, failure: failure)
    return failure == nil
  }

  /// Encodes what can be read of a window that could not be read to its end; nil where that is nothing.
  private mutating func readBeforeDamage(
    _ query: HistoryQuery, _ window: HistoryWindow
  ) -> ExportSummary? {
    // Rows as they lie may fail before the first one.
    if lastWhole == nil, !hasFlushed { _ = try? readInOrder(query, window) }
    guard let lastWhole, !hasFlushed else { return nil }
    var query = query
    query.until = lastWhole
    return try? readInOrder(query, window)
  }

  /// Encodes a window from rows as they lie in the file; nil where it has to be read in order.
  private mutating func readAsRowsLie(
    _ query: HistoryQuery, _ window: HistoryWindow
  ) throws -> ExportSummary? {
    guard mayReadAsRowsLie, query.limit == nil,
      let rows = try snapshot.changeRows(ofTransactions: window.transactions),
      case let (length, isTooLong) = rows.rows.upperBound
        .subtractingReportingOverflow(rows.rows.lowerBound),
      !isTooLong, length < Self.mostRows
    else { return nil }
    try packer.begin(window)
    do {
      let reader = try HistoryReader(snapshot: snapshot, query: query, schema: schema, rows: rows)
      var summary = ExportSummary()
      while let transaction = try reader.nextTransaction() {
        let position = transaction.position
        summary.add(position)
        packer.encoder.begin(transaction)
        guard try packer.encoder.appendChanges(of: reader, byteLimit: Self.mostKept) else {
          return nil
        }
        packer.encoder.end()
        try packer.end(position)
        // A transaction without changes may be long too, by its author alone.
        guard packer.encoder.byteCount < Self.mostKept else { return nil }
        lastWhole = position.number
      }
      summary.storedChanges = reader.readChangeCount
      return summary
    } catch is RowsOutOfOrder {
      return nil
    }
  }

  /// Encodes a window in order; what does not fit into memory goes out before its end.
  private mutating func readInOrder(
    _ query: HistoryQuery, _ window: HistoryWindow
  ) throws -> ExportSummary {
    try packer.begin(window)
    let reader = try HistoryReader(snapshot: snapshot, query: query, schema: schema)
    var summary = ExportSummary()
    while let transaction = try reader.nextTransaction() {
      let position = transaction.position
      summary.add(position)
      packer.encoder.begin(transaction)
      while try !packer.encoder.appendChanges(of: reader, byteLimit: Self.pieceSize) {
        try flush(window, in: position)
      }
      packer.encoder.end()
      try packer.end(position)
      lastWhole = position.number
      if packer.encoder.byteCount >= Self.pieceSize { try flush(window, in: nil) }
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
