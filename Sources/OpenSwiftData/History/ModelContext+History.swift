import Foundation

extension ModelContext {
  /// The transactions that a descriptor asks for, of all stores that keep such.
  ///
  /// Where several stores do, the transactions of one come behind those of another.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired``,
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` where no store keeps such transactions, and
  ///   what the stores throw.
  public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  where T: HistoryTransaction {
    func fetch<Store: HistoryProviding>(_ store: Store) throws -> [T]? {
      guard let descriptor = descriptor as? HistoryDescriptor<Store.HistoryType> else {
        return nil
      }
      return try store.fetchHistory(descriptor) as? [T]
    }
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
    var hasProvider = false
    for provider in providers() {
      if try delete(provider) { hasProvider = true }
    }
    guard hasProvider else { throw Self.noProvider(of: T.self) }
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
