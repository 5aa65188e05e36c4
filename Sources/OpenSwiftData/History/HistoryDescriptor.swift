import Foundation

/// Which transactions of a history are meant, and in which order.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// What a transaction must meet; nil for nothing.
  public var predicate: Predicate<TransactionType>?
  /// At most so many transactions; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order, the first key first; without any, the oldest comes first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// A descriptor.
  ///
  /// - Parameters:
  ///   - predicate: What a transaction must meet; nil for nothing.
  ///   - sortBy: The order, the first key first; without any, the oldest comes first.
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// How many transactions are wanted; nil for all.
  var limit: Int? { fetchLimit == 0 || fetchLimit > Int.max ? nil : Int(fetchLimit) }
}
