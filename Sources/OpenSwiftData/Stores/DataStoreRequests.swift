/// What a store is to fetch.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// Who asks.
  public let editingState: EditingState
  /// Which models, in which order.
  public let descriptor: FetchDescriptor<T>

  /// A request.
  ///
  /// - Parameters:
  ///   - editingState: Who asks.
  ///   - descriptor: Which models, in which order.
  public init(editingState: EditingState = EditingState(), descriptor: FetchDescriptor<T>) {
    self.editingState = editingState
    self.descriptor = descriptor
  }
}

/// What a store has fetched.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// What was asked for.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models that were asked for.
  public let fetchedSnapshots: [SnapshotType]
  /// Other models that may be needed next.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// A result.
  ///
  /// - Parameters:
  ///   - descriptor: What was asked for.
  ///   - fetchedSnapshots: The models that were asked for.
  ///   - relatedSnapshots: Other models that may be needed next.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// What a store is to save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable
where SnapshotType: DataStoreSnapshot {
  /// Who saves.
  public let editingState: EditingState
  /// The new models, whose identifiers are temporary.
  public let inserted: [SnapshotType]
  /// The models that have changed.
  public let updated: [SnapshotType]
  /// The models that are to be deleted.
  public let deleted: [SnapshotType]

  /// A request.
  ///
  /// - Parameters:
  ///   - editingState: Who saves.
  ///   - inserted: The new models, whose identifiers are temporary.
  ///   - updated: The models that have changed.
  ///   - deleted: The models that are to be deleted.
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

/// What became of a save.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identifiers of the new models, by the temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models whose values are not those that the context has.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The place of the save in the store's history; nil where it has none.
  public let historyToken: (any HistoryToken)?
  /// Models that were there and could not be read again, to be read when somebody asks for them.
  let unreadIdentifiers: Set<PersistentIdentifier>

  /// A result.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The permanent identifiers of the new models, by the temporary ones.
  ///   - snapshotsToReregister: Models whose values are not those that the context has.
  ///   - historyToken: The place of the save in the store's history; nil where it has none.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:],
    historyToken: (any HistoryToken)? = nil
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
      snapshotsToReregister: snapshotsToReregister, unreadIdentifiers: [],
      historyToken: historyToken)
  }

  init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    snapshotsToReregister: [PersistentIdentifier: T],
    unreadIdentifiers: Set<PersistentIdentifier>, historyToken: (any HistoryToken)?
  ) {
    self.unreadIdentifiers = unreadIdentifiers
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}
