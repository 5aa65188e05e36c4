import PersistentHistory
import StoreFormat

/// The contents of a segment, and all that is needed to read it later.
package struct SegmentManifest: Hashable, Sendable {
  package internal(set) var store = ""
  package internal(set) var first = TransactionPosition(number: 0, timestamp: nil)
  package internal(set) var last = TransactionPosition(number: 0, timestamp: nil)
  /// The number of the transaction right before the first, if it was known when the segment was sealed.
  package internal(set) var after: Int64?
  /// The transaction right after the last, if there was one when the segment was sealed; without a time
  /// if that is unknown.
  package internal(set) var next: TransactionPosition?
  /// The earliest time of all transactions, or `nil` if none has one.
  var earliest: StoreTimestamp?
  /// The latest time of all transactions, or `nil` if none has one.
  var latest: StoreTimestamp?
  package internal(set) var transactionCount: Int64 = 0
  /// The changes by entity.
  var counts: [SegmentCount] = []
  package internal(set) var textByteCount: Int64 = 0
  /// The size of the segment's file in bytes.
  package internal(set) var byteCount: Int64 = 0
  /// The digest of the segment's file.
  package internal(set) var digest = ArchiveDigest.none
  /// The frames, in the order of the file.
  var frames: [SegmentFrame] = []
  package internal(set) var schema = SegmentSchema()

  var range: ClosedRange<Int64> { first.number...max(first.number, last.number) }

  package var changeCount: Int64 { counts.reduce(0) { $0 &+ $1.counts.total } }

  func historySchema() -> HistorySchema {
    HistorySchema(entities: schema.entities.map(\.historyEntity))
  }

  /// The index of the frame in which the line of a transaction begins if the segment has it, or `nil`
  /// for a transaction that the segment cannot have.
  func frame(holding transaction: Int64) -> Int? {
    guard range.contains(transaction), !frames.isEmpty else { return nil }
    var index = max(0, frames.partitioningIndex { $0.transaction > transaction } - 1)
    while index > 0, frames[index].isContinuation { index -= 1 }
    return index
  }

  /// The frames in runs of complete lines, each with about `byteCount` bytes of text.
  func runs(ofAbout byteCount: Int) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    var size = 0
    for (index, frame) in frames.enumerated() {
      if size >= byteCount, !frame.isContinuation {
        runs.append(start..<index)
        start = index
        size = 0
      }
      size += frame.textByteCount
    }
    return runs + [start..<frames.count]
  }

  /// Whether an entry of the catalog is of this segment.
  func fits(_ entry: CatalogEntry) -> Bool {
    entry.store == store && entry.first == first.number && entry.last == last.number
      && entry.after == after
  }
}

/// The changes of one entity in a segment.
package struct SegmentCount: Hashable, Sendable {
  /// The name of the entity; `nil` if the row names no entity or the store does not name its number.
  var entity: String?
  /// The number of the entity in the store; `nil` if the row names no entity.
  var number: Int64?
  var counts = ChangeCounts()
}

/// One frame of a segment.
struct SegmentFrame: Hashable, Sendable {
  /// The first transaction whose line begins in the frame. In a frame that only continues a long line,
  /// the transaction of that line.
  var transaction: Int64 = 0
  /// The time of that transaction, or `nil` if the store has none.
  var timestamp: StoreTimestamp?
  /// The latest time of the transactions that begin in the frame. Clocks step back, so it need not be
  /// the time of the last one.
  var latest: StoreTimestamp?
  /// The number of transactions that begin in the frame; 0 in one that only continues a long line.
  var transactionCount = 0
  /// The place in the file at which the frame begins.
  var offset: Int64 = 0
  var byteCount = 0
  var textByteCount = 0

  var isContinuation: Bool { transactionCount == 0 }
}
