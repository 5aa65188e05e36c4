/// A type that a to-many relationship can have: an array of models, or an optional one.
public protocol RelationshipCollection {
  /// The models in it.
  associatedtype PersistentElement: PersistentModel

  /// A collection of models; where it is optional, never nil.
  init(models: [PersistentElement])

  /// The models; none of a nil.
  var models: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The models in it.
  public typealias PersistentElement = Element

  /// The array itself.
  public init(models: [Element]) { self = models }

  /// The array itself.
  public var models: [Element] { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The models in it.
  public typealias PersistentElement = Wrapped.PersistentElement

  /// A collection of models.
  public init(models: [Wrapped.PersistentElement]) { self = Wrapped(models: models) }

  /// The models; none of a nil.
  public var models: [Wrapped.PersistentElement] { self?.models ?? [] }
}
