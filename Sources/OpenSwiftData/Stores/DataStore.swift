/// Where a container keeps its models.
public protocol DataStore: AnyObject {
  /// What describes such a store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The values of a model as the store gives and takes them.
  associatedtype Snapshot: DataStoreSnapshot

  /// The store's identifier, which its models' identifiers name.
  var identifier: String { get }
  /// The models that the store keeps.
  var schema: Schema { get }
  /// What the store was made of.
  var configuration: Configuration { get }

  /// Opens a store.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The models that a request asks for.
  ///
  /// A store that cannot choose or sort throws ``DataStoreError/preferInMemoryFilter`` or
  /// ``DataStoreError/preferInMemorySort``; it is then asked for all models of the entity.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Saves what a context has changed, as a whole or not at all.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Deletes everything.
  func erase() throws

  /// How many models a request asks for.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// The identifiers of the models that a request asks for.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Learns that a context has begun.
  func initializeState(for editingState: EditingState)

  /// Learns that a context has ended.
  func invalidateState(for editingState: EditingState)

  /// The snapshots that the store remembers of some models.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Throws: a store must say by itself how it is emptied.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Counts what ``fetch(_:)`` gives.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Takes the identifiers out of what ``fetch(_:)`` gives.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// None.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}
