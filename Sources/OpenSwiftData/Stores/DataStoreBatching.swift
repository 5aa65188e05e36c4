import Foundation

/// A store that deletes models by itself, without their being read.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that a request names.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// What a store is to delete.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// Who asks.
  public let editingState: EditingState
  /// Which models; nil for all.
  public let predicate: Predicate<T>?
  /// Whether models of classes that inherit from `T` are deleted as well.
  public let includeSubclasses: Bool

  /// A request.
  ///
  /// - Parameters:
  ///   - editingState: Who asks.
  ///   - predicate: Which models; nil for all.
  ///   - includeSubclasses: Whether models of classes that inherit from `T` are deleted as well.
  public init(
    editingState: EditingState = EditingState(), predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true
  ) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
