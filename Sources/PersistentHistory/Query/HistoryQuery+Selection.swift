import StoreEditing
import StoreFormat

extension HistoryQuery {
  /// The query in the numbers of a store.
  ///
  /// - Throws: ``HistoryError`` where it names what the store does not have.
  func selection(
    in schema: HistorySchema, of snapshot: StoreSnapshot
  ) throws
    -> TransactionSelection
  {
    var selection = TransactionSelection(
      after: after, until: until,
      texts: [.author: author, .bundle: bundle, .process: process],
      change: try change.selection(in: schema, of: snapshot), order: order, limit: limit,
      limitKeepsNewest: limitKeepsNewest)
    selection.checksCompleteness = checksCompleteness
    return selection
  }

  /// Whether it leaves no transaction of its range out.
  package var isUnconditional: Bool {
    limit == nil && author.isEmpty && bundle.isEmpty && process.isEmpty && change.isEmpty
  }

  /// The numbers that it selects; nil where there are none.
  package var range: ClosedRange<Int64>? {
    guard after != .max else { return nil }
    let (first, last) = (after.map { $0 + 1 } ?? .min, until ?? .max)
    return first <= last ? first...last : nil
  }

  /// Whether it leaves no transaction out.
  package var selectsEverything: Bool {
    after.map { $0 <= 0 } ?? true && until == nil && isUnconditional
  }
}
