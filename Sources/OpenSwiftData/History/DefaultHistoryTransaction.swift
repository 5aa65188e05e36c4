import Foundation

/// One save as a ``DefaultStore`` recorded it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The number of a transaction.
  public typealias TransactionIdentifier = Int64
  /// A position in the history.
  public typealias TokenType = DefaultHistoryToken
  /// The type of ``id``.
  public typealias ID = Int64

  /// The time of the save.
  public let timestamp: Date
  /// The changes in recorded order, one for each model.
  public let changes: [HistoryChange]
  /// The position after this transaction.
  public let token: DefaultHistoryToken
  /// The number of the transaction, which grows with each save.
  public let transactionIdentifier: Int64
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The bundle identifier of the program that saved; empty if it had none.
  public let bundleIdentifier: String
  /// The name of the process that saved; empty if none was recorded.
  public let processIdentifier: String
  /// The author that the app set, or `nil`.
  public let author: String?

  /// The number of the transaction.
  public var id: Int64 { transactionIdentifier }

  /// Returns whether two values are the same transaction of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier
      && left.storeIdentifier == right.storeIdentifier && left.timestamp == right.timestamp
  }

  /// Hashes the number and the store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}

/// The insertion of a model as a ``DefaultStore`` recorded it.
public struct DefaultHistoryInsert<Model>: HistoryInsert where Model: PersistentModel {
  /// The number of a transaction.
  public typealias TransactionIdentifier = Int64
  /// The number of a change.
  public typealias ChangeIdentifier = Int64

  /// The number of the change.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier

  /// Returns whether two values are the same change of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the number and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The update of a model as a ``DefaultStore`` recorded it.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate where Model: PersistentModel {
  /// The number of a transaction.
  public typealias TransactionIdentifier = Int64
  /// The number of a change.
  public typealias ChangeIdentifier = Int64

  /// The number of the change.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that were set, whether or not their value differs from the one before.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The recorded old and new values by property name; empty if the configuration records none.
  ///
  /// A property is missing if the class no longer has it, or if its type cannot hold what was
  /// recorded.
  public let changedValues: [String: HistoryValueChange]

  /// Returns whether two values are the same change of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the number and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The deletion of a model as a ``DefaultStore`` recorded it.
public struct DefaultHistoryDelete<Model>: HistoryDelete where Model: PersistentModel {
  /// The number of a transaction.
  public typealias TransactionIdentifier = Int64
  /// The number of a change.
  public typealias ChangeIdentifier = Int64

  /// The number of the change.
  public let changeIdentifier: Int64
  /// The number of the transaction.
  public let transactionIdentifier: Int64
  /// The identifier of the model.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that the model left, as far as the types of its properties can hold them.
  public let tombstone: HistoryTombstone<Model>

  /// Returns whether two values are the same change of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left.changeIdentifier == right.changeIdentifier
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  /// Hashes the number and the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
