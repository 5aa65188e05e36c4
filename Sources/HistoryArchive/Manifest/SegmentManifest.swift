import PersistentHistory
import StoreEditing
import StoreFormat

/// What a segment holds, and all that is needed to read it for ever.
package struct SegmentManifest: Hashable, Sendable {
  /// The identifier of the store.
  package let store: String
  /// The first transaction.
  package let first: TransactionPosition
  /// The last transaction.
  package let last: TransactionPosition
  /// The number of the transaction right before the first, where that was known when the segment was
  /// sealed: the one before it in the store, or the last one of the segment before.
  package let after: Int64?
  /// The transaction right behind the last, where there was one when the segment was sealed; without a
  /// time where that is not known.
  package let next: TransactionPosition?
  /// The earliest time of all transactions; nil where none has one.
  package let earliest: StoreTimestamp?
  /// The latest time of all transactions; nil where none has one.
  package let latest: StoreTimestamp?
  /// How many transactions there are.
  package let transactionCount: Int64
  /// How many changes of each kind there are, by entity.
  package let counts: [SegmentCount]
  /// How many bytes of text there are.
  package let textByteCount: Int64
  /// How many bytes the segment's file has.
  package let byteCount: Int64
  /// The digest of the segment's file.
  package let digest: ArchiveDigest
  /// The frames, in the order of the file.
  package let frames: [SegmentFrame]
  /// The model and the tables of the store when the segment was sealed.
  package let schema: SegmentSchema

  /// A manifest.
  package init(
    store: String, first: TransactionPosition, last: TransactionPosition, after: Int64?,
    next: TransactionPosition? = nil, earliest: StoreTimestamp?, latest: StoreTimestamp?,
    transactionCount: Int64, counts: [SegmentCount], textByteCount: Int64, byteCount: Int64,
    digest: ArchiveDigest, frames: [SegmentFrame], schema: SegmentSchema
  ) {
    self.store = store
    self.first = first
    self.last = last
    self.after = after
    self.next = next
    self.earliest = earliest
    self.latest = latest
    self.transactionCount = transactionCount
    self.counts = counts
    self.textByteCount = textByteCount
    self.byteCount = byteCount
    self.digest = digest
    self.frames = frames
    self.schema = schema
  }

  /// The numbers of the transactions.
  package var range: ClosedRange<Int64> { first.number...max(first.number, last.number) }

  /// How many changes there are.
  package var changeCount: Int64 { counts.reduce(0) { $0 &+ $1.changes } }

  /// The entities as readers of lines need them.
  package func historySchema() -> HistorySchema { schema.historySchema() }

  /// The index of the frame in which the line of a transaction begins, if the segment has it; nil for
  /// a transaction that the segment cannot have.
  package func frame(holding transaction: Int64) -> Int? {
    guard range.contains(transaction), !frames.isEmpty else { return nil }
    var candidates = 0..<frames.count
    // The last frame that begins with the transaction or one before it.
    while candidates.count > 1 {
      let middle = candidates.lowerBound + candidates.count / 2
      candidates =
        frames[middle].transaction <= transaction
        ? middle..<candidates.upperBound : candidates.lowerBound..<middle
    }
    var index = candidates.lowerBound
    while index > 0, frames[index].isContinuation { index -= 1 }
    return index
  }

  /// The frames in runs of whole lines, each of about so many bytes of text, but for the last one.
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

  /// Whether a catalog's entry is of this segment.
  func fits(_ entry: CatalogEntry) -> Bool {
    entry.store == store && entry.first == first.number && entry.last == last.number
      && entry.after == after
  }
}
