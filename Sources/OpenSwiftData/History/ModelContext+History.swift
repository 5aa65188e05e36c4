import Foundation

extension ModelContext {
  /// Returns the transactions that match a descriptor, from every store that keeps such
  /// transactions.
  ///
  /// Without an order, the transactions of one store come after those of another.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the transaction of a token is gone, or if
  ///   a token names none of the container's stores;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` if no store keeps such transactions; and
  ///   the errors of the stores.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    func fetch<Store: HistoryProviding>(_ store: Store) throws -> [T]? {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
        return nil
      }
      if let store = store as? DefaultStore,
        let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>
      {
        return try store.transactions(descriptor) as? [T]
      }
      return try store.fetchHistory(descriptor) as? [T]
    }
    try checkTokens(of: descriptor)
    let answers = try providers().compactMap { try fetch($0) }
    guard !answers.isEmpty else { throw Self.noProvider(of: T.self) }
    guard answers.count > 1 else { return answers[0] }
    var transactions = answers.flatMap { $0 }
    if !descriptor.sortBy.isEmpty { transactions = transactions.sorted(by: descriptor.sortBy) }
    return descriptor.limit.map { Array(transactions.prefix($0)) } ?? transactions
  }

  /// Deletes the transactions that match a descriptor from every store that keeps such
  /// transactions.
  ///
  /// - Throws: The same errors as ``fetchHistory(_:)``, and those of
  ///   ``DefaultStore/deleteHistory(_:)``.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    func delete<Store: HistoryProviding>(_ store: Store) throws -> Bool {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
        return false
      }
      if let store = store as? DefaultStore,
        let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>
      {
        try store.deleteTransactions(descriptor)
      } else {
        try store.deleteHistory(descriptor)
      }
      return true
    }
    try checkTokens(of: descriptor)
    var hasProvider = false
    for provider in providers() where try delete(provider) { hasProvider = true }
    guard hasProvider else { throw Self.noProvider(of: T.self) }
  }

  private func checkTokens<T>(of descriptor: HistoryDescriptor<T>) throws {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return
    }
    try HistoryNarrowing.checkTokens(of: descriptor, stores: defaultStores.map(\.identifier))
  }

  private func providers() -> [any HistoryProviding] {
    container.stores.compactMap { $0 as? any HistoryProviding }
  }

  private static func noProvider(of type: any HistoryTransaction.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      "no store of the container keeps transactions of type \(type)")
  }

  // MARK: - Tokens

  var defaultStores: [DefaultStore] { container.defaultStores }

  /// Returns whether history after a token can be fetched (not in SwiftData).
  ///
  /// ```swift
  /// if case .expired = try context.historyTokenState(token) { /* read everything again */ }
  /// ```
  ///
  /// For a token with several stores, the result is the state of one that does not work, if any.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func historyTokenState(_ token: DefaultHistoryToken) throws -> HistoryTokenState {
    let states = try defaultStores.map { try $0.state(of: token) }.filter { $0 != .foreign }
    return states.first { $0 != .current } ?? states.first ?? .foreign
  }

  /// Returns the oldest token that works, for all stores with history, or `nil` if none has any
  /// (not in SwiftData).
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func oldestHistoryToken() throws -> DefaultHistoryToken? {
    DefaultHistoryToken(joining: try defaultStores.compactMap { try $0.oldestHistoryToken() })
  }

  /// Returns the token after the newest transaction, for all stores with history, or `nil` if none
  /// has any (not in SwiftData).
  ///
  /// - Throws: ``SwiftDataError/storeFailure``.
  public func newestHistoryToken() throws -> DefaultHistoryToken? {
    DefaultHistoryToken(joining: try defaultStores.compactMap { try $0.newestHistoryToken() })
  }

  /// Returns the number of transactions that match a descriptor, in all stores of type
  /// ``DefaultStore`` (not in SwiftData).
  ///
  /// - Throws: The same errors as ``fetchHistory(_:)``.
  public func fetchHistoryCount(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Int {
    guard !defaultStores.isEmpty else {
      throw Self.noProvider(of: DefaultHistoryTransaction.self)
    }
    try checkTokens(of: descriptor)
    let count = try defaultStores.reduce(0) { try $0 + $1.transactionCount(descriptor) }
    return descriptor.limit.map { min($0, count) } ?? count
  }
}

extension ModelContainer {
  var defaultStores: [DefaultStore] { stores.compactMap { $0 as? DefaultStore } }
}
