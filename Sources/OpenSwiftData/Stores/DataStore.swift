import Foundation

/// A place where a container keeps its models.
public protocol DataStore: AnyObject {
  /// The type that describes such a store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The type of the values of a model that the store exchanges with a context.
  associatedtype Snapshot: DataStoreSnapshot

  /// The identifier of the store, which the identifiers of its models name.
  var identifier: String { get }
  /// The models that the store keeps.
  var schema: Schema { get }
  /// The configuration that the store was opened with.
  var configuration: Configuration { get }

  /// Opens a store.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Returns the models that match a request.
  ///
  /// A store that cannot filter or sort throws ``DataStoreError/preferInMemoryFilter`` or
  /// ``DataStoreError/preferInMemorySort``, and is then asked for all models of the entity.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// Saves the changes of a context, all of them or none.
  ///
  /// If stores of the library have a part in the same save, they are locked meanwhile: the store may read them,
  /// but must not save to them or wait for a thread that does.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Deletes everything.
  func erase() throws

  /// Returns the number of models that match a request.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// Returns the identifiers of the models that match a request.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Tells the store that a context was created.
  func initializeState(for editingState: EditingState)

  /// Tells the store that a context is gone.
  func invalidateState(for editingState: EditingState)

  /// Returns the snapshots of models that the store has cached.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Throws ``DataStoreError/unsupportedFeature``, because only the store knows how to erase
  /// itself.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Counts the result of ``fetch(_:)``.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int
  where T: PersistentModel {
    try fetch(request).fetchedSnapshots.count
  }

  /// Returns the identifiers in the result of ``fetch(_:)``.
  public func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes models without reading them.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that match a request.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// The description of a store.
public protocol DataStoreConfiguration: Hashable {
  /// The store that is described.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }
  /// The models that the store keeps; if `nil`, the container sets its own.
  var schema: Schema? { get set }

  /// Throws an error if no store can be opened with the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Does nothing.
  public func validate() throws {}
}

/// A request that a store leaves to the context.
public enum DataStoreError: Error, Hashable {
  /// The store does not have the feature.
  case unsupportedFeature
  /// The context is to filter all models.
  case preferInMemoryFilter
  /// The context is to sort the models.
  case preferInMemorySort
  /// The predicate is invalid for this store.
  case invalidPredicate
}

// MARK: - Snapshots

/// The type of a property's value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of a model at one moment.
///
/// A context reads a snapshot by encoding it; ``DataStoreSnapshotCodingKey`` names its parts.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of a model.
  ///
  /// - Parameters:
  ///   - backingData: The values of the model.
  ///   - relatedBackingDatas: The values of other models in the same save, by identifier.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns a copy with another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: New identifiers of related models, by old ones.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The coding keys of a snapshot.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The identifier of the model.
  case persistentIdentifier
  /// The value of the property with a name; for a relationship, an identifier or an array of
  /// identifiers.
  case modeledProperty(String)

  private static let identifierName = "persistentIdentifier"

  /// The name of the part.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  /// Creates a key from a name.
  public init?(stringValue: String) {
    self =
      stringValue == Self.identifierName
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Always `nil`.
  public var intValue: Int? { nil }

  /// Always returns `nil`.
  public init?(intValue: Int) { nil }
}
