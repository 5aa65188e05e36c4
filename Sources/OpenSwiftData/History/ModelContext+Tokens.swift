extension ModelContext {
  /// The stores in SwiftData's own layout.
  var defaultStores: [DefaultStore] { container.stores.compactMap { $0 as? DefaultStore } }

  /// Whether history after a token can be fetched, asked before it is fetched.
  ///
  /// ```swift
  /// if case .expired = try context.historyTokenState(token) { /* read everything anew */ }
  /// ```
  ///
  /// Of a token that names several stores, one that cannot be used any more decides.
  ///
  /// - Throws: ``SwiftDataError``.
  public func historyTokenState(_ token: DefaultHistoryToken) throws -> HistoryTokenState {
    let states = try defaultStores.map { try $0.state(of: token) }.filter { $0 != .foreign }
    return states.first { $0 != .current } ?? states.first ?? .foreign
  }

  /// The oldest token that works, of all stores that have history; nil where none has.
  ///
  /// - Throws: ``SwiftDataError``.
  public func oldestHistoryToken() throws -> DefaultHistoryToken? {
    Self.joined(try defaultStores.compactMap { try $0.oldestHistoryToken() })
  }

  /// The token behind everything that was saved so far, of all stores that have history; nil where
  /// none has.
  ///
  /// No transaction is read for it.
  ///
  /// - Throws: ``SwiftDataError``.
  public func newestHistoryToken() throws -> DefaultHistoryToken? {
    Self.joined(try defaultStores.compactMap { try $0.newestHistoryToken() })
  }

  /// How many transactions a descriptor asks for, of all stores in SwiftData's own layout.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` where the container has no such store,
  ///   and what ``fetchHistory(_:)`` throws.
  public func fetchHistoryCount(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Int {
    guard !defaultStores.isEmpty else {
      throw SwiftDataError(
        .invalidTransactionFetchRequest, "no store of the container keeps such transactions")
    }
    let count = try defaultStores.reduce(0) { try $0 + $1.fetchHistoryCount(descriptor) }
    return descriptor.limit.map { min($0, count) } ?? count
  }

  /// One token for the places of several.
  static func joined(_ tokens: [DefaultHistoryToken]) -> DefaultHistoryToken? {
    guard !tokens.isEmpty else { return nil }
    return DefaultHistoryToken(
      Dictionary(
        tokens.flatMap { ($0.tokenValue ?? [:]).map { ($0.key, $0.value) } },
        uniquingKeysWith: min))
  }
}
