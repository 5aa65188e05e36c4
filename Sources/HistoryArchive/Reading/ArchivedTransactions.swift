import PersistentHistory
import StoreFormat

/// Opens the segments of one history.
protocol SegmentSource: AnyObject {
  /// Returns a segment, which stays open for the next lookups.
  func segment(_ entry: CatalogEntry) throws(ArchiveError) -> SegmentReader
}

/// Returns the transactions that a query selects from the segments of an archive, one after the other.
///
/// Lines are unpacked a frame at a time and their changes read one by one, so that memory grows neither
/// with the archive nor with a transaction.
final class ArchivedTransactions: TransactionSource {
  private let source: any SegmentSource
  private let query: HistoryQuery
  /// The query without its condition on changes, which tests a line's transaction alone.
  private let head: HistoryQuery
  /// The condition for changes to be returned; `nil` for all.
  private let filter: ChangeCondition?
  private let order: HistoryQuery.Order
  /// The parts that are left, the next one last.
  private var parts: [ArchivedStore.Part]
  private var cursor: SegmentCursor?
  /// A change that was read to test whether its transaction matches.
  private var pending: HistoryChange?
  private var rest: Int

  /// - Parameters:
  ///   - source: Opens the segments.
  ///   - parts: The parts to read, oldest first.
  ///   - query: The transactions to return.
  init(_ source: any SegmentSource, _ parts: [ArchivedStore.Part], _ query: HistoryQuery) {
    self.source = source
    self.query = query
    order = query.order
    self.parts = order == .ascending ? parts.reversed() : parts
    var head = query
    head.change = ChangeCondition()
    self.head = head
    filter = query.keepsOnlyMatchingChanges && !query.change.isEmpty ? query.change : nil
    rest = query.limit ?? .max
  }

  func nextTransaction() throws -> HistoryTransaction? {
    pending = nil
    guard rest > 0 else { return nil }
    while true {
      guard let cursor else {
        guard let part = parts.popLast() else { return nil }
        cursor = try source.segment(part.entry).transactions(in: part.range, order: order)
        continue
      }
      guard var transaction = try cursor.nextTransaction() else {
        self.cursor = nil
        continue
      }
      guard head.matches(transaction), try hasMatch(cursor, transaction.number) else { continue }
      transaction.isPartial = filter != nil
      rest -= 1
      return transaction
    }
  }

  func nextChange() throws -> HistoryChange? {
    if let change = pending {
      pending = nil
      return change
    }
    while let change = try cursor?.nextChange() {
      if filter?.matches(change) ?? true { return change }
    }
    return nil
  }

  /// Whether one of the current transaction's changes meets the condition.
  private func hasMatch(_ cursor: SegmentCursor, _ number: Int64) throws -> Bool {
    guard !query.change.isEmpty else { return true }
    let search = query.change.values.isEmpty ? nil : query.valueSearch
    var knowledge = ValueKnowledge.irrelevant
    while let change = try cursor.nextChange() {
      guard query.change.matches(change) else {
        if search != nil { knowledge = max(knowledge, query.change.knowledge(of: change)) }
        continue
      }
      search?.take(number, .known)
      if filter == nil {
        try cursor.restart()
      } else {
        pending = change
      }
      return true
    }
    search?.take(number, knowledge)
    return false
  }
}
