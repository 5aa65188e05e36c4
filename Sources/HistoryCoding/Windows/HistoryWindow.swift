import StoreFormat
import Synchronization

/// Some transactions that one thread reads at a time, and the place of what it makes of them among
/// all that is made.
package struct HistoryWindow: Sendable {
  package let index: Int
  package let transactions: ClosedRange<Int64>

  package init(index: Int, transactions: ClosedRange<Int64>) {
    self.index = index
    self.transactions = transactions
  }
}

/// Cuts a range of the history into windows and deals them out in order.
package protocol WindowDealer: Sendable {
  /// Whether there is one window only.
  var isWhole: Bool { get }

  /// The next window; `nil` after the last one.
  ///
  /// - Parameter snapshot: The caller's view of the store.
  func next(_ snapshot: StoreSnapshot) throws -> HistoryWindow?

  /// Learns how much text a window has made.
  func learn(_ window: HistoryWindow, byteCount: Int)
}

/// Deals out ranges that are known beforehand.
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
