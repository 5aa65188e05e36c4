import PersistentHistory
import StoreFormat

/// What one thread does: take windows, encode them, hand them on.
struct WindowWorker<Encoder: HistoryEncoder> {
  /// The most rows that are read as they lie: their text is kept until all are read.
  private static var mostRows: Int64 { 65_536 }
  /// The most text that is kept for them, in bytes.
  private static var mostKept: Int { 8 << 20 }
  /// How much text is gathered before it goes out in pieces.
  private static var pieceSize: Int { 1 << 20 }

  private let export: HistoryExport
  private let snapshot: StoreSnapshot
  private let plan: ExportPlan
  private let sink: OrderedSink
  private let schema: HistorySchema
  private var encoder: Encoder
  private var compressor: ExportCompressor

  init(
    export: HistoryExport, snapshot: StoreSnapshot, schema: HistorySchema?, plan: ExportPlan,
    sink: OrderedSink, encoder: Encoder
  ) throws {
    self.export = export
    self.snapshot = snapshot
    self.plan = plan
    self.sink = sink
    self.encoder = encoder
    self.schema = try schema ?? HistorySchema(snapshot)
    compressor = ExportCompressor(export.compression)
  }

  /// Works until there is no window left, or somebody has failed.
  mutating func run() throws {
    while try sink.waitForRoom(), let window = try plan.next(snapshot) { try write(window) }
    sink.giveUpRoom()
  }

  private mutating func write(_ window: ExportPlan.Window) throws {
    var query = export.query
    query.after = window.transactions.lowerBound == .min ? nil : window.transactions.lowerBound - 1
    query.until = window.transactions.upperBound
    let summary = try readAsRowsLie(query, window) ?? readInOrder(query, window)
    plan.learn(window, byteCount: summary.written + encoder.byteCount)
    let packed = try compressor.pack(encoder)
    encoder.removeAll()
    sink.finish(window.index, packed, summary.content)
  }

  /// Encodes a window from rows as they lie in the file; nil where it has to be read in order.
  private mutating func readAsRowsLie(
    _ query: HistoryQuery, _ window: ExportPlan.Window
  ) throws -> (content: ExportSummary, written: Int)? {
    guard query.limit == nil,
      let rows = try snapshot.changeRows(ofTransactions: window.transactions),
      rows.upperBound.subtractingReportingOverflow(rows.lowerBound).partialValue
        .magnitude < UInt64(Self.mostRows),
      !rows.upperBound.subtractingReportingOverflow(rows.lowerBound).overflow
    else { return nil }
    do {
      let reader = try HistoryReader(snapshot: snapshot, query: query, schema: schema, rows: rows)
      var summary = ExportSummary()
      while let transaction = try reader.nextTransaction() {
        summary.add(TransactionPosition(transaction))
        encoder.begin(transaction)
        guard try encoder.appendChanges(of: reader, byteLimit: Self.mostKept) else {
          encoder.removeAll()
          return nil
        }
        encoder.end()
      }
      return (summary, 0)
    } catch is RowsOutOfOrder {
      encoder.removeAll()
      return nil
    }
  }

  /// Encodes a window in order; what does not fit into memory goes out before its end.
  private mutating func readInOrder(
    _ query: HistoryQuery, _ window: ExportPlan.Window
  ) throws -> (content: ExportSummary, written: Int) {
    let reader = try HistoryReader(snapshot: snapshot, query: query, schema: schema)
    var summary = ExportSummary()
    var written = 0
    while let transaction = try reader.nextTransaction() {
      summary.add(TransactionPosition(transaction))
      encoder.begin(transaction)
      while try !encoder.appendChanges(of: reader, byteLimit: Self.pieceSize) {
        written += try flush(window)
      }
      encoder.end()
      if encoder.byteCount >= Self.pieceSize { written += try flush(window) }
    }
    return (summary, written)
  }

  private mutating func flush(_ window: ExportPlan.Window) throws -> Int {
    let count = encoder.byteCount
    let packed = try compressor.pack(encoder)
    encoder.removeAll()
    try sink.writePiece(window.index, packed)
    return count
  }
}

extension TransactionPosition {
  /// The place of a transaction.
  init(_ transaction: HistoryTransaction) {
    self.init(number: transaction.number, timestamp: transaction.timestamp)
  }
}
