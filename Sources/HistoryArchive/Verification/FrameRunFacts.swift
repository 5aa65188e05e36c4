import HistoryCoding
import PersistentHistory
import StoreFormat

/// What a run of a segment's frames was found to hold.
struct FrameRunFacts: Sendable {
  var findings: FindingLog<ArchiveFindingKind>
  /// The first and the last transaction; nil where there was none.
  var first: TransactionPosition?
  var last: TransactionPosition?
  /// The earliest and the latest time.
  var times: ClosedRange<StoreTimestamp>?
  var transactionCount: Int64 = 0
  var counts: [CanonicalLineCheck.Count: Int64] = [:]
  var textByteCount: Int64 = 0
  /// Whether all of it could be read.
  var isComplete = true

  /// Notes a transaction.
  mutating func add(_ position: TransactionPosition) {
    if first == nil { first = position }
    last = position
    transactionCount += 1
    if let time = position.timestamp {
      times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
  }
}
