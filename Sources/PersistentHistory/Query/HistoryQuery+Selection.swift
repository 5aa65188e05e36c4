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
    TransactionSelection(
      after: after, until: until,
      texts: [.author: author, .bundle: bundle, .process: process],
      change: try change.selection(in: schema, of: snapshot), order: order, limit: limit,
      limitKeepsNewest: limitKeepsNewest)
  }

  /// Whether it leaves no transaction out.
  var selectsEverything: Bool {
    after.map { $0 <= 0 } ?? true && until == nil && limit == nil && author.isEmpty
      && bundle.isEmpty && process.isEmpty && change.isEmpty
  }
}
