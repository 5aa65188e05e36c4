/// What describes a store.
public protocol DataStoreConfiguration: Hashable {
  /// The store that is described.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the configuration.
  var name: String { get }
  /// The models that the store keeps; a container fills in its own where this is nil.
  var schema: Schema? { get set }

  /// Checks that a store can be opened with this.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Does nothing.
  public func validate() throws {}
}
