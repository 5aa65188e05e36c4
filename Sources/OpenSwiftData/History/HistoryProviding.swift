/// A store that keeps a history of what was saved.
public protocol HistoryProviding {
  /// What one save becomes in the history.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the transactions, by which a context finds the stores that can answer.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor asks for, the oldest first.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that a descriptor names.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the transactions.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
