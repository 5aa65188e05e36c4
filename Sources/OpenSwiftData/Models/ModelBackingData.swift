/// Backing data whose values are kept in a ``ModelState``, by the number of the property.
final class ModelBackingData<Model: PersistentModel>: StatefulBackingData, BackingData {
  convenience init(for modelType: Model.Type) {
    self.init(ModelState(layout: EntityLayout.of(modelType)))
  }

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
    switch state.values[index] {
    case .stored(let stored) where state.layout.properties[index].isPlain:
      if let value = PlainValue.value(stored, as: Value.self) { return value }
    case .value(let value):
      if let value = value as? Value { return value }
    default: break
    }
    return state.attribute(at: index)
  }

  func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel {
    let index = state.layout.index(of: key)
    state.isRead(at: index)
    if let model = state.toOne(at: index) as? Value { return model }
    // There is no value that could be given instead of a model; an empty one does no harm.
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
    state.setToOne(newValue, at: state.layout.index(of: key))
  }

  func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection {
    state.setToMany(newValue.models, at: state.layout.index(of: key))
  }

  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    state.setAttribute(newValue, at: state.layout.index(of: key))
  }
}
