import PersistentHistory
import StoreFormat
import Synchronization

/// Cuts the range of a query into windows whose text is of about one size.
package final class WindowPlan: WindowDealer {
  /// How large windows are, and how much there is to be of them.
  package struct Sizes: Sendable {
    /// How much text one window is to make, in bytes.
    package var window: Int64 = 1 << 20
    /// About how much text all windows are to make, in bytes; nil for all that there is.
    package var total: Int64?
    /// How many transaction numbers the first window has.
    package var firstSpan: Int64 = 512

    package init() {}
  }

  private static let longestSpan: Int64 = 1 << 24

  private struct State {
    /// Where the last window ended; nil before the first of all.
    var after: Int64?
    var span: Int64
    var index = 0
    var isAtEnd: Bool
    /// How much text the windows have made that are done, and how many numbers they had.
    var doneBytes: Int64 = 0
    var doneNumbers: Int64 = 0
    /// How many numbers the windows have that were dealt out.
    var dealtNumbers: Int64 = 0

    /// About how much text the windows make that were dealt out.
    var dealtBytes: Int64 {
      guard doneNumbers > 0 else { return 0 }
      let each = Double(doneBytes) / Double(doneNumbers)
      return doneBytes + Int64(min(each * Double(dealtNumbers - doneNumbers), 1e15))
    }
  }

  /// Whether there is one window only: counted transactions cannot be dealt out.
  package let isWhole: Bool
  private let until: Int64
  private let sizes: Sizes
  private let state: Mutex<State>

  package init(query: HistoryQuery, newest: Int64?, sizes: Sizes = Sizes()) {
    isWhole = query.limit != nil
    until = min(query.until ?? .max, newest ?? .min)
    self.sizes = sizes
    state = Mutex(
      State(after: query.after, span: sizes.firstSpan, isAtEnd: newest == nil))
  }

  package func next(_ snapshot: StoreSnapshot) throws -> HistoryWindow? {
    try state.withLock { state in
      guard !state.isAtEnd, sizes.total.map({ state.dealtBytes < $0 }) ?? true,
        let first = try Self.first(of: snapshot, after: state.after), first.number <= until
      else {
        state.isAtEnd = true
        return nil
      }
      let (end, overflows) = first.number.addingReportingOverflow(state.span - 1)
      let last = isWhole || overflows ? until : min(until, end)
      state.after = last
      state.isAtEnd = last == until
      state.dealtNumbers = state.dealtNumbers.addingClamped(Self.count(first.number...last))
      defer { state.index += 1 }
      return HistoryWindow(index: state.index, transactions: first.number...last)
    }
  }

  private static func first(
    of snapshot: StoreSnapshot, after number: Int64?
  ) throws -> TransactionPosition? {
    guard let number else { return try snapshot.oldestTransaction() }
    return try snapshot.firstTransaction(after: number)
  }

  /// Makes the next windows of the right size.
  package func learn(_ window: HistoryWindow, byteCount: Int) {
    let numbers = Self.count(window.transactions)
    state.withLock { state in
      state.doneBytes = state.doneBytes.addingClamped(Int64(byteCount))
      state.doneNumbers = state.doneNumbers.addingClamped(numbers)
      guard numbers <= Self.longestSpan else { return }
      let ideal = Double(numbers) * Double(sizes.window) / Double(max(byteCount, 1))
      let most = min(state.span * 4, Self.longestSpan)
      let least = max(state.span / 4, 1)
      state.span = ideal >= Double(most) ? most : max(least, Int64(ideal))
    }
  }

  private static func count(_ range: ClosedRange<Int64>) -> Int64 {
    let (difference, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return overflows ? .max : difference.addingClamped(1)
  }
}

extension Int64 {
  /// The sum of two numbers that are not negative, or the largest number.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
