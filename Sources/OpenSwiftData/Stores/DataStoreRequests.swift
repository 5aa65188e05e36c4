import Foundation

/// A request for the models that a store is to fetch.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// The context that asks.
  public let editingState: EditingState
  /// The criteria and the order.
  public let descriptor: FetchDescriptor<T>

  /// Creates a request (not in SwiftData).
  public init(editingState: EditingState = EditingState(), descriptor: FetchDescriptor<T>) {
    self.editingState = editingState
    self.descriptor = descriptor
  }
}

/// The models that a store fetched.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// The criteria and the order.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models that match.
  public let fetchedSnapshots: [SnapshotType]
  /// Other models that may be used next.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// A request for the models that a store is to delete.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// The context that asks.
  public let editingState: EditingState
  /// The condition that models must meet, or `nil` for all.
  public let predicate: Predicate<T>?
  /// Whether to delete models of subclasses too.
  public let includeSubclasses: Bool

  /// Creates a request (not in SwiftData).
  public init(
    editingState: EditingState = EditingState(), predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}

/// The changes that a store is to save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable
where SnapshotType: DataStoreSnapshot {
  /// The context that saves.
  public let editingState: EditingState
  /// The new models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// The updated models.
  public let updated: [SnapshotType]
  /// The models to delete.
  public let deleted: [SnapshotType]

  /// Creates a request (not in SwiftData).
  public init(
    editingState: EditingState = EditingState(), inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [], deleted: [SnapshotType] = []
  ) {
    self.editingState = editingState
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

/// The result of a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identifiers of new models, by temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models whose values differ from those of the context.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The position of the save in the store's history, or `nil` if it keeps none.
  public let historyToken: (any HistoryToken)?
  /// Models that existed and could not be read again; they are read when they are used.
  let unreadIdentifiers: Set<PersistentIdentifier>
  /// Models with changes that others deleted, so that the changes were not saved.
  let goneIdentifiers: Set<PersistentIdentifier>

  /// Creates a result.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:],
    historyToken: (any HistoryToken)? = nil
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
      snapshotsToReregister: snapshotsToReregister, unreadIdentifiers: [], goneIdentifiers: [],
      historyToken: historyToken)
  }

  init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    snapshotsToReregister: [PersistentIdentifier: T],
    unreadIdentifiers: Set<PersistentIdentifier>, goneIdentifiers: Set<PersistentIdentifier>,
    historyToken: (any HistoryToken)?
  ) {
    self.unreadIdentifiers = unreadIdentifiers
    self.goneIdentifiers = goneIdentifiers
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}
