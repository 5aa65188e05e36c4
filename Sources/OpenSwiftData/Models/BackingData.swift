/// Where the values of a model are.
public protocol BackingData<Model> {
  /// The model whose values they are.
  associatedtype Model: PersistentModel

  /// Room for the values of a new model.
  init(for modelType: Model.Type)

  /// What identifies the model.
  var persistentModelID: PersistentIdentifier? { get set }

  /// What the implementation keeps besides.
  var metadata: Any { get }

  /// The value of an attribute.
  // Models may be Codable themselves; what leads to them is a relationship all the same.
  @_disfavoredOverload
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable

  /// The model at the other end of a relationship.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel

  /// The model at the other end of a relationship; nil for none.
  func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel

  /// The models at the other end of a relationship.
  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection

  /// The value of a transformable attribute.
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  /// Sets a transformable attribute.
  mutating func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)

  /// Sets an attribute.
  @_disfavoredOverload
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable

  /// Sets the other end of a relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: PersistentModel

  /// Sets the other end of a relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  where Value: PersistentModel

  /// Sets the other end of a relationship.
  mutating func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection
}
