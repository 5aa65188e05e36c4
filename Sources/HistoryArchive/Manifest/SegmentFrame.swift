import StoreFormat

/// One frame of a segment: where it is, and which transactions begin in it.
package struct SegmentFrame: Hashable, Sendable {
  /// The first transaction whose line begins in the frame; in a frame that only goes on with a long
  /// line, the transaction of that line.
  package let transaction: Int64
  /// When that transaction was saved; nil where the store holds no time.
  package let timestamp: StoreTimestamp?
  /// The latest time of the transactions that begin in the frame; nil where none has one. Clocks step
  /// back, so it need not be that of the last.
  package let latest: StoreTimestamp?
  /// How many transactions begin in the frame; 0 in one that only goes on with a long line.
  package let transactionCount: Int
  /// Where in the file the frame begins.
  package let offset: Int64
  /// How many bytes it has in the file.
  package let byteCount: Int
  /// How many bytes of text it holds.
  package let textByteCount: Int

  /// A frame.
  package init(
    transaction: Int64, timestamp: StoreTimestamp?, latest: StoreTimestamp?, transactionCount: Int,
    offset: Int64, byteCount: Int, textByteCount: Int
  ) {
    self.transaction = transaction
    self.timestamp = timestamp
    self.latest = latest
    self.transactionCount = transactionCount
    self.offset = offset
    self.byteCount = byteCount
    self.textByteCount = textByteCount
  }

  /// Whether the frame goes on with the line that the frame before it has begun.
  package var isContinuation: Bool { transactionCount == 0 }
}
