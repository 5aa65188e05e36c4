import Foundation

/// One save as a store recorded it.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of a position in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type that identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes in recorded order, one for each model.
  var changes: [HistoryChange] { get }
  /// The position after this transaction.
  var token: TokenType { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The author that the app set, or `nil`.
  var author: String? { get }
}

/// A position in a history: every transaction up to and including one.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of the token's content.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// The content of the token.
  var tokenValue: TokenType? { get }
  /// The identifier of the store that the token belongs to.
  var storeIdentifier: String { get }
}

/// A store that keeps a history of its saves.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions, by which a context finds the stores that can answer.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that match a descriptor, oldest first.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that match a descriptor.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of the store's transactions.
  public static var historyType: HistoryType.Type { HistoryType.self }
}

/// The criteria and the order for fetching or deleting history.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
  /// The condition that transactions must meet, or `nil` for all.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions; 0 for no limit.
  public var fetchLimit: UInt64 = 0
  /// The sort order, first key first; oldest first if it is empty.
  ///
  /// Any order except by number reads the whole range, because clocks need not agree with numbers.
  /// With a ``fetchLimit``, only that many transactions are kept, and only their changes are read.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// Whether to read the changes of the transactions (not in SwiftData, which always does).
  ///
  /// Reading without changes is many times faster and leaves `changes` empty, also for a predicate
  /// or an order that looks at them. A custom store may read changes regardless.
  public var includesChanges = true

  /// Creates a descriptor.
  public init(
    predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  var limit: Int? { fetchLimit == 0 || fetchLimit > Int.max ? nil : Int(fetchLimit) }
}
