import Foundation

/// Which transactions of a history are meant, and in which order.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// What a transaction must meet; nil for nothing.
  public var predicate: Predicate<TransactionType>?
  /// At most so many transactions; 0 for all.
  public var fetchLimit: UInt64 = 0
  /// The order, the first key first; without any, the oldest comes first.
  ///
  /// The whole history is gone through to sort it by anything but its numbers, since clocks need not
  /// agree with these; with a ``fetchLimit`` only so many transactions are kept meanwhile, and only their
  /// changes are read.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Whether the transactions are read with their changes; SwiftData always does that.
  ///
  /// Without them a transaction is read in a fraction of the time, and its `changes` are empty. A
  /// predicate or an order that looks at changes finds none then. A store of one's own may read them
  /// all the same.
  public var includesChanges = true

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
