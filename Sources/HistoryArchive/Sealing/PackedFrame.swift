import StoreFormat

/// A frame that is packed and not yet in a file.
struct PackedFrame: Sendable {
  /// The first transaction whose line begins in it; of a piece of a long line, that line's.
  let first: TransactionPosition
  /// The last transaction whose line begins in it.
  let last: TransactionPosition
  /// The earliest and the latest time of the transactions that begin in it.
  let times: ClosedRange<StoreTimestamp>?
  /// How many transactions begin in it; 0 in one that goes on with a long line.
  let transactionCount: Int
  /// The changes in it; those of a long line are all counted in its first frames.
  let tally: ChangeTally
  /// How much text it holds.
  let textByteCount: Int
  /// The frame.
  let bytes: [UInt8]

  /// The frame at a place in a file.
  func frame(at offset: Int64) -> SegmentFrame {
    SegmentFrame(
      transaction: first.number, timestamp: first.timestamp, latest: times?.upperBound,
      transactionCount: transactionCount, offset: offset, byteCount: bytes.count,
      textByteCount: textByteCount)
  }
}
