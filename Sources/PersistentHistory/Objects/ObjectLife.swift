import StoreFormat

/// What a history and its store know of one object.
package struct ObjectLife: Hashable, Sendable {
  /// What has become of an object.
  package enum State: String, Hashable, Sendable {
    /// It is in the store.
    case present
    /// It is not in the store, and the last of its changes is a delete.
    case deleted
    /// It is not in the store although no delete was recorded, or one that has been pruned.
    case missing
    /// Its history is known and goes on without a delete; there is no store to look into.
    case recorded
    /// It is neither in the store nor in the history.
    case unknown
  }

  /// A change of the object: in which transaction, and who saved.
  package struct Event: Hashable, Sendable {
    /// The transaction number.
    package let transaction: Int64
    /// When it was saved; nil where the store holds no time.
    package let timestamp: StoreTimestamp?
    /// Who saved, as the app set it.
    package let author: RecordedText?
    /// The name of the process that saved.
    package let process: RecordedText?

    init(_ transaction: HistoryTransaction) {
      self.transaction = transaction.number
      timestamp = transaction.timestamp
      author = transaction.author
      process = transaction.process
    }
  }

  /// The object, by its own entity where that is known, else as it was asked for.
  package private(set) var object: HistoryObject
  /// The object as the store holds it now; nil where it is not there.
  package let present: PresentObject?
  /// The insert; the last one where there are several, nil where history does not go back so far.
  package private(set) var inserted: Event?
  /// The last update.
  package private(set) var updated: Event?
  /// The delete; the last one where there are several.
  package private(set) var deleted: Event?
  /// The delete itself, with what the object left behind.
  package private(set) var deletion: HistoryChange?
  /// How many updates there are.
  package private(set) var updateCount = 0
  /// How many changes there are.
  package private(set) var changeCount = 0
  private var lastKind: ChangeKind?
  private var firstKind: ChangeKind?

  /// Whether the first of its changes is its insert, so that history knows all of its life.
  package var startsWithInsert: Bool { firstKind == .insert }

  /// Whether there is a store in which the object would be.
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

  /// What has become of the object.
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
