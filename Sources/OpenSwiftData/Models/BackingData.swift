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

  /// The values as OpenSwiftData keeps them; `nil` for other implementations.
  var _$values: AnyObject? { get }

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

extension BackingData {
  /// `nil`.
  public var _$values: AnyObject? { nil }
}

/// Backing data with values in a ``ModelState``.
///
/// It is a structure, because each model would need one more object otherwise.
struct ModelBackingData<Model: PersistentModel>: BackingData {
  /// The values, created when the first one is set: an object that a context makes has blank ones for a
  /// moment.
  private var state: ModelState?
  /// The context's object, if this one shares its values. It stays in the context as long as either is
  /// used.
  private let known: AnyObject?

  init(for modelType: Model.Type) { known = nil }

  init(_ state: ModelState, sharedWith known: AnyObject? = nil) {
    self.state = state
    self.known = known
  }

  var _$values: AnyObject? { state }

  var persistentModelID: PersistentIdentifier? {
    get { state?.identifier }
    set { if let newValue { begun().identifier = newValue } }
  }

  var metadata: Any { readable.layout.name }

  private var readable: ModelState { state ?? ModelState(layout: EntityLayout.of(Model.self)) }

  private mutating func begun() -> ModelState {
    let state = readable
    self.state = state
    return state
  }

  // MARK: - Reading

  @_disfavoredOverload
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable {
    readable.value(forKey: key)
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel {
    readable.target(forKey: key)
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel {
    readable.targetIfAny(forKey: key)
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection {
    readable.targets(forKey: key)
  }

  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value {
    readable.transformableValue(forKey: key)
  }

  // MARK: - Writing

  @_disfavoredOverload
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable {
    // The initial values of a class are set also for an object that a context makes, and need not be kept
    // where a blank object has the same.
    if state == nil {
      let layout = EntityLayout.of(Model.self)
      if layout.isInitial(newValue, at: layout.index(of: key)) { return }
    }
    begun().setValue(newValue, forKey: key)
  }

  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel {
    begun().setTarget(newValue, forKey: key)
  }

  mutating func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    if state == nil, newValue == nil { return }
    begun().setTarget(newValue, forKey: key)
  }

  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection {
    let models = newValue.models
    if state == nil, models.isEmpty { return }
    begun().setTargets(models, forKey: key)
  }

  mutating func setTransformableValue<Value>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) {
    let state = begun()
    state.setAttribute(newValue, at: state.layout.index(of: key))
  }
}

/// The values as the properties of a model have them.
extension ModelState {
  func value<Value: Decodable>(forKey key: AnyKeyPath) -> Value {
    let index = layout.index(of: key)
    isRead(at: index)
    guard case .stored(let stored) = values[index], layout.properties[index].isPlain else {
      return attribute(at: index)
    }
    return PlainValue.value(stored) { attribute(at: index) }
  }

  func transformableValue<Value>(forKey key: AnyKeyPath) -> Value {
    let index = layout.index(of: key)
    isRead(at: index)
    return attribute(at: index)
  }

  func targetIfAny<Value: PersistentModel>(forKey key: AnyKeyPath) -> Value? {
    let index = layout.index(of: key)
    isRead(at: index)
    return toOne(at: index) as? Value
  }

  /// Returns the target of a to-one relationship; without one, a blank model of no context.
  func target<Value: PersistentModel>(forKey key: AnyKeyPath) -> Value {
    targetIfAny(forKey: key) ?? Value(backingData: ModelBackingData<Value>(for: Value.self))
  }

  func targets<Value: RelationshipCollection>(forKey key: AnyKeyPath) -> Value {
    let index = layout.index(of: key)
    isRead(at: index)
    let models = toMany(at: index)
    return Value(models: models.compactMap { $0 as? Value.PersistentElement })
  }

  func setValue<Value: Encodable>(_ newValue: Value, forKey key: AnyKeyPath) {
    let index = layout.index(of: key)
    if layout.properties[index].isPlain, let stored = PlainValue.stored(newValue) {
      setStored(stored, at: index)
    } else {
      setAttribute(newValue, at: index)
    }
  }

  func setTarget(_ newValue: (any PersistentModel)?, forKey key: AnyKeyPath) {
    setToOne(newValue, at: layout.index(of: key))
  }

  func setTargets(_ newValue: [any PersistentModel], forKey key: AnyKeyPath) {
    setToMany(newValue, at: layout.index(of: key))
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
