import HistoryCoding
import PersistentHistory

/// Writes transactions as JSON lines while they are read.
struct TransactionLines {
  /// How many bytes are gathered before they are written.
  private static let pieceSize = 1 << 16

  let writer: OutputWriter

  /// Writes all that a reader gives.
  func write(_ reader: HistoryReader) throws {
    var encoder = TransactionLineEncoder()
    while let transaction = try reader.nextTransaction() {
      encoder.begin(transaction)
      while try !encoder.appendChanges(of: reader, byteLimit: TransactionLines.pieceSize) {
        try flush(&encoder)
      }
      encoder.end()
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
