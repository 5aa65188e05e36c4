import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// How a store's history continues what is kept elsewhere.
@Suite(.bounded) struct HistorySeamTests {
  private static func position(_ number: Int64, _ seconds: Double? = nil) -> TransactionPosition {
    TransactionPosition(
      number: number, timestamp: seconds.map(StoreTimestamp.init(secondsSinceReferenceDate:)))
  }

  /// The last transaction elsewhere is 10.
  @Test(
    arguments: [
      (nil, nil, .joined), (nil, position(5, 1), .joined), (nil, position(10, 1), .joined),
      (nil, position(11, 1), .joined), (nil, position(12, 1), .gap(after: 10, oldest: 12)),
      (position(15, 2), nil, .joined), (position(15, 2), position(9, 1), .joined),
      (position(15, 2), position(10, 1), .joined), (position(15, 2), position(15, 2), .joined),
      (position(15), position(15, 2), .joined),
      (position(15, 2), position(15, 3), .diverged(transaction: 15)),
      // Numbers up to the one that followed were never used.
      (position(15, 2), position(12, 2), .diverged(transaction: 12)),
      (position(15, 2), position(16, 2), .gap(after: 10, oldest: 16)),
      (position(11, 2), position(11, 2), .joined),
    ] as [(TransactionPosition?, TransactionPosition?, HistoryContinuation)])
  func `two parts of a history are joined, have a gap or have diverged`(
    _ successor: TransactionPosition?, _ oldest: TransactionPosition?,
    _ firstInStore: HistoryContinuation
  ) {
    #expect(HistoryContinuation(last: 10, successor: successor, oldest: oldest) == firstInStore)
  }
}
