import HistoryCoding
import PersistentHistory
import Terminal

/// Writes transactions as JSON lines while they are read.
struct TransactionLines {
  /// The number of bytes of a line that are collected before they are written.
  static let pieceSize = 1 << 16

  let writer: OutputWriter
  /// Reports gaps; `nil` where there can be none.
  var gaps: GapReport?

  /// Writes everything that a reader returns, up to its error, and returns the number of lines.
  @discardableResult
  func write(_ reader: TimelineReader) throws -> Int {
    var encoder = TransactionLineEncoder()
    encoder.drain = TextDrain { try writer.write($0) }
    var count = 0
    while let element = try reader.nextElement() {
      count += 1
      switch element {
      case .transaction(let transaction):
        try encoder.append(transaction, of: reader, byteLimit: Self.pieceSize) { try flush(&$0) }
      case .gap(let gap):
        encoder.append(gap)
        gaps?.report(gap)
      }
      // An error in the middle of the next line must leave no part of it, unless it is longer than a piece.
      try flush(&encoder)
    }
    return count
  }

  /// Writes a record of missing history.
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
