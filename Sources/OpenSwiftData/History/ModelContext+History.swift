import Foundation

extension ModelContext {
  /// Returns the transactions that a descriptor asks for, of all stores that keep such.
  ///
  /// Where several stores do, the transactions of one come after those of another.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the transaction of a token is gone, or where a
  ///   token names none of the container's stores;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` where no store keeps such transactions; and
  ///   what the stores throw.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    func fetch<Store: HistoryProviding>(_ store: Store) throws -> [T]? {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
        return nil
      }
      return try store.fetchHistory(descriptor) as? [T]
    }
    try checkTokens(of: descriptor)
    let answers = try providers().compactMap { try fetch($0) }
    guard !answers.isEmpty else { throw Self.noProvider(of: T.self) }
    guard answers.count > 1 else { return answers[0] }
    var transactions = answers.flatMap { $0 }
    if !descriptor.sortBy.isEmpty { transactions.sort(using: descriptor.sortBy) }
    return descriptor.limit.map { Array(transactions.prefix($0)) } ?? transactions
  }

  /// Deletes the transactions that a descriptor names from all stores that keep such.
  ///
  /// - Throws: Like ``fetchHistory(_:)``.
  public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws
  where T: HistoryTransaction {
    func delete<Store: HistoryProviding>(_ store: Store) throws -> Bool {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
        return false
      }
      try store.deleteHistory(descriptor)
      return true
    }
    try checkTokens(of: descriptor)
    var hasProvider = false
    for provider in providers() {
      if try delete(provider) { hasProvider = true }
    }
    guard hasProvider else { throw Self.noProvider(of: T.self) }
  }

  /// Refuses a token that names none of the container's stores: no transaction would be before or after
  /// it, so a consumer would see nothing, and never learn why.
  private func checkTokens<T>(of descriptor: HistoryDescriptor<T>) throws {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return
    }
    let stores = container.stores.compactMap { ($0 as? DefaultStore)?.identifier }
    guard !stores.isEmpty else { return }
    for token in HistoryNarrowing(descriptor.predicate, storeIdentifier: "").tokens
    where !token.storeIdentifiers.isEmpty && stores.allSatisfy({ token.number(of: $0) == nil }) {
      throw SwiftDataError(
        .historyTokenExpired,
        "the token belongs to another store (\(token.storeIdentifiers.sorted().joined(separator: ", "))), "
          + "and the container has \(stores.sorted().joined(separator: ", ")); read the history from its "
          + "beginning, or open the store that the token came from")
    }
  }

  private func providers() -> [any HistoryProviding] {
    container.stores.compactMap { $0 as? any HistoryProviding }
  }

  private static func noProvider(of type: any HistoryTransaction.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      "no store of the container keeps transactions of the type \(type)")
  }
}
