import PersistentHistory
import StoreFormat
import Synchronization

/// Divides the range of a query into windows with texts of about the same size.
package final class WindowPlan: WindowDealer {
  package struct Sizes: Sendable {
    /// The bytes of text that one window should make.
    package var window: Int64 = 2 << 20
    /// The estimated bytes of text after which no more windows are assigned; `nil` for no limit.
    package var total: Int64?
    /// The number of transaction numbers in the first window.
    package var firstSpan: Int64 = 512

    package init() {}
  }

  private static let maxSpan: Int64 = 1 << 24

  private struct State {
    /// The end of the last window; `nil` before the first one.
    var after: Int64?
    var span: Int64
    var index = 0
    var isAtEnd: Bool
    /// The bytes of text and the numbers of finished windows.
    var doneBytes: Int64 = 0
    var doneNumbers: Int64 = 0
    /// The numbers of all windows so far.
    var dealtNumbers: Int64 = 0

    /// The estimated bytes of text of all windows so far.
    var dealtBytes: Int64 {
      guard doneNumbers > 0 else { return 0 }
      let each = Double(doneBytes) / Double(doneNumbers)
      return doneBytes + Int64(min(each * Double(dealtNumbers - doneNumbers), 1e15))
    }
  }

  /// Whether there is only one window: a query with a limit cannot be divided beforehand.
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

  /// Adapts the size of the next windows.
  package func learn(_ window: HistoryWindow, byteCount: Int) {
    let numbers = Self.count(window.transactions)
    state.withLock { state in
      state.doneBytes = state.doneBytes.addingClamped(Int64(byteCount))
      state.doneNumbers = state.doneNumbers.addingClamped(numbers)
      guard numbers <= Self.maxSpan else { return }
      let ideal = Double(numbers) * Double(sizes.window) / Double(max(byteCount, 1))
      let longest = min(state.span * 4, Self.maxSpan)
      let shortest = max(state.span / 4, 1)
      state.span = ideal >= Double(longest) ? longest : max(shortest, Int64(ideal))
    }
  }

  private static func count(_ range: ClosedRange<Int64>) -> Int64 {
    let (difference, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return overflows ? .max : difference.addingClamped(1)
  }
}

extension Int64 {
  /// Returns the sum of two numbers that are not negative, clamped.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
