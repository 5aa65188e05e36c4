import HistoryCoding
import PersistentHistory
import Terminal

/// Writes transactions as JSON lines while they are read.
struct TransactionLines {
  /// How many bytes are gathered before they are written.
  private static let pieceSize = 1 << 16

  let writer: OutputWriter
  /// Tells of gaps; nil where none can be.
  var gaps: GapReport?

  /// Writes all that a reader gives; where it fails, all lines before that.
  ///
  /// - Returns: How many lines.
  @discardableResult
  func write(_ reader: TimelineReader) throws -> Int {
    var encoder = TransactionLineEncoder()
    var count = 0
    // So much of the text is of whole lines.
    var wholeByteCount = 0
    do {
      while let element = try reader.nextElement() {
        count += 1
        switch element {
        case .transaction(let transaction):
          try encoder.append(transaction, of: reader, byteLimit: Self.pieceSize) {
            try flush(&$0)
            wholeByteCount = 0
          }
        case .gap(let gap):
          encoder.append(gap)
          gaps?.tell(gap)
        }
        if encoder.byteCount >= TransactionLines.pieceSize { try flush(&encoder) }
        wholeByteCount = encoder.byteCount
      }
    } catch {
      // What cannot be written either is told by the error that came first.
      try? encoder.withUnsafeBytes {
        try writer.write(UnsafeRawBufferPointer(rebasing: $0.prefix(wholeByteCount)))
      }
      throw error
    }
    try flush(&encoder)
    return count
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
