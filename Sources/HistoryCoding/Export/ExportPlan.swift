import PersistentHistory
import StoreFormat
import Synchronization

/// Cuts a range of the history into windows and deals them out in order.
final class ExportPlan: Sendable {
  /// Some transactions, and the place of their text among all texts.
  struct Window: Sendable {
    let index: Int
    let transactions: ClosedRange<Int64>
  }

  /// How much text one window is to make, in bytes.
  private static let targetSize: Int64 = 1 << 20
  /// How many transaction numbers the first window has.
  private static let firstSpan: Int64 = 512
  private static let longestSpan: Int64 = 1 << 24

  private struct State {
    var after: Int64
    var span = ExportPlan.firstSpan
    var index = 0
    var isAtEnd: Bool
  }

  /// Whether there is one window only: counted transactions cannot be dealt out.
  let isWhole: Bool
  private let until: Int64
  private let state: Mutex<State>

  init(query: HistoryQuery, newest: Int64?) {
    isWhole = query.limit != nil
    until = min(query.until ?? .max, newest ?? .min)
    state = Mutex(State(after: query.after ?? .min, isAtEnd: newest == nil))
  }

  /// The next window; nil behind the last one.
  ///
  /// - Parameter snapshot: The caller's view of the store.
  func next(_ snapshot: StoreSnapshot) throws -> Window? {
    try state.withLock { state in
      guard !state.isAtEnd, let first = try snapshot.firstTransaction(after: state.after),
        first.number <= until
      else {
        state.isAtEnd = true
        return nil
      }
      let (end, overflows) = first.number.addingReportingOverflow(state.span - 1)
      let last = isWhole || overflows ? until : min(until, end)
      state.after = last
      state.isAtEnd = last == until
      defer { state.index += 1 }
      return Window(index: state.index, transactions: first.number...last)
    }
  }

  /// Learns how much text a window has made, so that the next ones are of the right size.
  func learn(_ window: Window, byteCount: Int) {
    let numbers = window.transactions.upperBound &- window.transactions.lowerBound &+ 1
    guard numbers > 0, numbers <= Self.longestSpan else { return }
    let ideal = Double(numbers) * Double(Self.targetSize) / Double(max(byteCount, 1))
    state.withLock { state in
      let most = min(state.span * 4, Self.longestSpan)
      let least = max(state.span / 4, 1)
      state.span = ideal >= Double(most) ? most : max(least, Int64(ideal))
    }
  }
}
