/// What a transaction did to one model.
public enum HistoryChange: Sendable {
  /// It was put into the store.
  case insert(any HistoryInsert)
  /// It was changed.
  case update(any HistoryUpdate)
  /// It was deleted.
  case delete(any HistoryDelete)

  /// What identifies the model.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }
}

/// That a model was put into a store.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// What tells transactions apart.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What tells changes apart.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// What tells this change from others.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// What identifies the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// That a model was changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// What tells transactions apart.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What tells changes apart.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
  /// A property that was changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// What tells this change from others.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// What identifies the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that were set; a value need not differ from the one before.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
  /// What the values of properties were before and behind the update, by name; a property is not there
  /// where that was not recorded. SwiftData itself records no values.
  var changedValues: [String: HistoryValueChange] { get }
}

/// That a model was deleted.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// What tells transactions apart.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// What tells changes apart.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// What tells this change from others.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// What identifies the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What the model has left behind.
  var tombstone: HistoryTombstone<Model> { get }
}
