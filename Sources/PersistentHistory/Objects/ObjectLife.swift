import StoreFormat

/// The life of one object, from its history and its store.
package struct ObjectLife: Hashable, Sendable {
  /// The state of an object.
  package enum State: String, Hashable, Sendable {
    /// It is in the store.
    case present
    /// It is not in the store, and the last of its changes is a delete.
    case deleted
    /// It is not in the store, and no delete is recorded or it has been pruned.
    case missing
    /// No delete is recorded, and there is no store to look into.
    case recorded
    /// It is neither in the store nor in the history.
    case unknown
  }

  /// The transaction of a change of the object.
  package struct Event: Hashable, Sendable {
    package let transaction: Int64
    package let timestamp: StoreTimestamp?
    package let author: RecordedText?
    package let process: RecordedText?

    init(_ transaction: HistoryTransaction) {
      self.transaction = transaction.number
      timestamp = transaction.timestamp
      author = transaction.author
      process = transaction.process
    }
  }

  /// The object, by its own entity if that is known, otherwise as it was asked for.
  package private(set) var object: HistoryObject
  /// The object as the store has it now, or `nil` if it is not there.
  package let present: PresentObject?
  /// The last insert, or `nil` if history does not go back to it.
  package private(set) var inserted: Event?
  /// The last update.
  package private(set) var updated: Event?
  /// The last delete.
  package private(set) var deleted: Event?
  /// The change of the last delete, with the values that the object left behind.
  package private(set) var deletion: HistoryChange?
  package private(set) var updateCount = 0
  package private(set) var changeCount = 0
  private var lastKind: ChangeKind?
  private var firstKind: ChangeKind?

  /// Whether its first change is its insert, so that history has all of its life.
  package var startsWithInsert: Bool { firstKind == .insert }

  private let hasStore: Bool

  init(_ object: HistoryObject, present: PresentObject?, hasStore: Bool = true) {
    self.present = present
    self.hasStore = hasStore
    self.object =
      present?.entityName.map {
        HistoryObject(
          entityName: $0, primaryKey: object.primaryKey, storeIdentifier: object.storeIdentifier)
      } ?? object
  }

  package var state: State {
    if present != nil { return .present }
    if changeCount == 0 { return .unknown }
    if lastKind == .delete { return .deleted }
    return hasStore ? .missing : .recorded
  }

  mutating func add(_ change: HistoryChange, in transaction: HistoryTransaction) {
    changeCount += 1
    if changeCount == 1 { firstKind = change.kind }
    if let kind = change.kind { lastKind = kind }
    if present == nil, let name = change.entity?.name {
      object = HistoryObject(
        entityName: name, primaryKey: object.primaryKey, storeIdentifier: object.storeIdentifier)
    }
    switch change.kind {
    case .insert: inserted = Event(transaction)
    case .update:
      updated = Event(transaction)
      updateCount += 1
    case .delete:
      deleted = Event(transaction)
      deletion = change
    case nil: break
    }
  }
}
