import HistoryCoding
import PersistentHistory
import StoreFormat

/// Gives the transactions that a query selects from the segments of an archive, one after the other.
///
/// Lines are unpacked a frame at a time and their changes read one by one, so that memory grows neither
/// with the archive nor with a transaction.
final class ArchivedTransactions: TransactionLineSource {
  private let source: any SegmentSource
  private let query: HistoryQuery
  /// The query without its condition on changes, for what the head of a line says.
  private let head: HistoryQuery
  /// The condition that changes must meet to be given; nil for all.
  private let filter: ChangeCondition?
  private let order: HistoryQuery.Order
  /// What lines must say; nil where any line is wanted.
  private let hints: LineHints?
  /// What is still to be read, the next one last.
  private var parts: [ArchivedStore.Part]
  private var cursor: SegmentCursor?
  /// A change that was read to see whether its transaction meets the condition.
  private var pending: HistoryChange?
  /// Whether no change of the current transaction has been given.
  private var isAtStart = false
  private var rest: Int

  /// - Parameters:
  ///   - source: What opens the segments.
  ///   - parts: What to read of them, oldest first.
  ///   - query: What to give of that.
  init(_ source: any SegmentSource, _ parts: [ArchivedStore.Part], _ query: HistoryQuery) {
    self.source = source
    self.query = query
    order = query.order
    self.parts = order == .ascending ? parts.reversed() : parts
    var head = query
    head.change = ChangeCondition()
    self.head = head
    filter = query.keepsOnlyMatchingChanges && !query.change.isEmpty ? query.change : nil
    hints = query.change.isEmpty ? nil : LineHints(query.change)
    rest = query.limit ?? .max
  }

  func nextTransaction() throws -> HistoryTransaction? {
    pending = nil
    isAtStart = false
    guard rest > 0 else { return nil }
    while true {
      guard let cursor else {
        guard let part = parts.popLast() else { return nil }
        let next = try source.segment(part.entry).transactions(in: part.range, order: order)
        if let hints { next.isWanted = { hints.mayMatch($0) } }
        cursor = next
        continue
      }
      guard var transaction = try cursor.nextTransaction() else {
        self.cursor = nil
        continue
      }
      guard head.matches(transaction), try hasMatch(cursor) else { continue }
      transaction.isPartial = filter != nil
      isAtStart = true
      rest -= 1
      return transaction
    }
  }

  func nextChange() throws -> HistoryChange? {
    isAtStart = false
    if let change = pending {
      pending = nil
      return change
    }
    while let change = try cursor?.nextChange() {
      if filter?.matches(change) ?? true { return change }
    }
    return nil
  }

  func readLine(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    guard isAtStart, filter == nil, let cursor else { return false }
    isAtStart = false
    return try cursor.readLine(body)
  }

  /// Whether one of the current transaction's changes meets the condition.
  private func hasMatch(_ cursor: SegmentCursor) throws -> Bool {
    guard !query.change.isEmpty else { return true }
    while let change = try cursor.nextChange() {
      guard query.change.matches(change) else { continue }
      if filter == nil {
        try cursor.restart()
      } else {
        pending = change
      }
      return true
    }
    return false
  }
}
