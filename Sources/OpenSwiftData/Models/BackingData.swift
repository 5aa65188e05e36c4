/// The values of a model.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Creates backing data for a new model.
  init(for modelType: Model.Type)

  /// The identifier of the model.
  var persistentModelID: PersistentIdentifier? { get set }

  /// Further data of the implementation.
  var metadata: Any { get }

  /// Returns the value of an attribute.
  // Models may be Codable themselves; a property that leads to one is a relationship all the same.
  @_disfavoredOverload
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable

  /// Returns the target of a to-one relationship.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel

  /// Returns the target of a to-one relationship, or `nil` if it has none.
  func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel

  /// Returns the targets of a to-many relationship.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection

  /// Returns the value of a transformable attribute.
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  /// Sets the value of a transformable attribute.
  mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)

  /// Sets the value of an attribute.
  @_disfavoredOverload
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable

  /// Sets the target of a to-one relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel

  /// Sets the target of a to-one relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel

  /// Sets the targets of a to-many relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection
}

/// Backing data with values in a ``ModelState``, for the class of the object and its superclasses.
class StatefulBackingData {
  private var knownState: ModelState?
  /// The context's object, if this one shares its values. It stays in the context as long as either is
  /// used.
  var known: AnyObject?

  fileprivate init(_ state: ModelState?) { knownState = state }

  fileprivate var layout: EntityLayout { preconditionFailure("a subclass knows its model") }

  /// The values, created on first use: an object that a context makes has blank ones for a moment.
  final var state: ModelState {
    if let knownState { return knownState }
    let state = ModelState(layout: layout)
    knownState = state
    return state
  }

  /// Whether there are no values yet. The initial values of a class are set then, also for an object that a
  /// context makes, and need not be kept where a blank object has the same.
  fileprivate final var isUnused: Bool { knownState == nil }
}

final class ModelBackingData<Model: PersistentModel>: StatefulBackingData, BackingData {
  init(for modelType: Model.Type) { super.init(nil) }

  init(_ state: ModelState) { super.init(state) }

  fileprivate override var layout: EntityLayout { EntityLayout.of(Model.self) }

  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }

  var metadata: Any { state.layout.name }

  // MARK: - Reading

  @_disfavoredOverload
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable {
    let state = state
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    guard case .stored(let stored) = state.values[index], state.layout.properties[index].isPlain
    else { return state.attribute(at: index) }
    return PlainValue.value(stored) { state.attribute(at: index) }
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel {
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    if let model = state.toOne(at: index) as? Value { return model }
    // Without a target, the result is a blank model of no context.
    return Value(backingData: ModelBackingData<Value>(for: Value.self))
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel {
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    return state.toOne(at: index) as? Value
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection {
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    let models = state.toMany(at: index)
    return Value(models: models.compactMap { $0 as? Value.PersistentElement })
  }

  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    return state.attribute(at: index)
  }

  // MARK: - Writing

  @_disfavoredOverload
  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable {
    if isUnused {
      let layout = layout
      if layout.isInitial(newValue, at: layout.index(of: key)) { return }
    }
    let state = state
    let index = state.layout.index(of: key)
    if state.layout.properties[index].isPlain, let stored = PlainValue.stored(newValue) {
      state.setStored(stored, at: index)
    } else {
      state.setAttribute(newValue, at: index)
    }
  }

  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel {
    state.setToOne(newValue, at: state.layout.index(of: key))
  }

  func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    if isUnused, newValue == nil { return }
    state.setToOne(newValue, at: state.layout.index(of: key))
  }

  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection {
    let models = newValue.models
    if isUnused, models.isEmpty { return }
    state.setToMany(models, at: state.layout.index(of: key))
  }

  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setAttribute(newValue, at: state.layout.index(of: key))
  }
}

/// The type of a to-many relationship: an array of models, or an optional array.
public protocol RelationshipCollection {
  /// The class of the models.
  associatedtype PersistentElement: PersistentModel

  /// Creates a collection of models, which is never `nil`.
  init(models: [PersistentElement])

  /// The models; empty for `nil`.
  var models: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the models.
  public typealias PersistentElement = Element

  /// Creates an array of models.
  public init(models: [Element]) { self = models }

  /// The array itself.
  public var models: [Element] { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The class of the models.
  public typealias PersistentElement = Wrapped.PersistentElement

  /// Creates a collection of models.
  public init(models: [Wrapped.PersistentElement]) { self = Wrapped(models: models) }

  /// The models; empty for `nil`.
  public var models: [Wrapped.PersistentElement] { self?.models ?? [] }
}
