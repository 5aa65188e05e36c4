import StoreFormat
import Synchronization

/// A range of transactions that one thread reads at a time, and its place in the output.
package struct HistoryWindow: Sendable {
  package let index: Int
  let transactions: ClosedRange<Int64>

  package init(index: Int, transactions: ClosedRange<Int64>) {
    self.index = index
    self.transactions = transactions
  }
}

/// Divides a range of the history into windows, and assigns them in order.
package protocol WindowDealer: Sendable {
  /// Whether there is only one window.
  var isWhole: Bool { get }

  /// Returns the next window; `nil` after the last one.
  ///
  /// - Parameter snapshot: The caller's view of the store.
  func next(_ snapshot: StoreSnapshot) throws -> HistoryWindow?

  /// Reports the size of a window's text.
  func learn(_ window: HistoryWindow, byteCount: Int)
}

/// Assigns given ranges.
package final class ListedWindows: WindowDealer {
  private let ranges: [ClosedRange<Int64>]
  private let next = Mutex(0)

  package init(_ ranges: [ClosedRange<Int64>]) { self.ranges = ranges }

  package var isWhole: Bool { false }

  package func next(_ snapshot: StoreSnapshot) -> HistoryWindow? {
    next.withLock { next in
      guard next < ranges.count else { return nil }
      defer { next += 1 }
      return HistoryWindow(index: next, transactions: ranges[next])
    }
  }

  package func learn(_ window: HistoryWindow, byteCount: Int) {}
}
