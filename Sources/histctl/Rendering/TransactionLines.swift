import HistoryCoding
import PersistentHistory

/// Writes transactions as JSON lines while they are read.
struct TransactionLines {
  /// How many bytes are gathered before they are written.
  private static let pieceSize = 1 << 16

  let writer: OutputWriter
  /// Tells of gaps; nil where none can be.
  var gaps: GapReport?

  /// Writes all that a reader gives.
  func write(_ reader: TimelineReader) throws {
    var encoder = TransactionLineEncoder()
    while let element = try reader.nextElement() {
      switch element {
      case .transaction(let transaction):
        try encoder.append(transaction, of: reader, byteLimit: Self.pieceSize, flush: flush)
      case .gap(let gap):
        encoder.append(gap)
        gaps?.tell(gap)
      }
      if encoder.byteCount >= TransactionLines.pieceSize { try flush(&encoder) }
    }
    try flush(&encoder)
  }

  /// Writes that history is missing.
  func write(_ gap: HistoryGap) throws {
    var encoder = TransactionLineEncoder()
    encoder.encode(.gap(gap))
    try flush(&encoder)
    try writer.flush()
  }

  private func flush(_ encoder: inout TransactionLineEncoder) throws {
    try encoder.withUnsafeBytes { try writer.write($0) }
    encoder.removeAll()
  }
}
