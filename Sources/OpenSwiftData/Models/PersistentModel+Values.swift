extension PersistentModel {
  /// The value of an attribute.
  @_disfavoredOverload
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: Decodable {
    persistentBackingData.getValue(forKey: key)
  }

  /// The model at the other end of a relationship.
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }

  /// The model at the other end of a relationship; nil for none.
  public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value?
  where Value: PersistentModel {
    persistentBackingData.getValue(forKey: key)
  }

  /// The models at the other end of a relationship.
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection {
    persistentBackingData.getValue(forKey: key)
  }

  /// The value of a transformable attribute.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }

  /// Sets a transformable attribute.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: key, to: newValue)
  }

  /// Sets an attribute.
  @_disfavoredOverload
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the other end of a relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue.modelContext)
  }

  /// Sets the other end of a relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue?.modelContext)
  }

  /// Sets the other end of a relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue.models.lazy.compactMap(\.modelContext).first)
  }

  /// Lets the values know whose they are.
  private func adopt() {
    if let state, state.model == nil { state.model = self }
  }

  /// A model that is related to one of a context belongs there as well.
  private func follow(_ context: ModelContext?) {
    if let context, state?.phase == .standalone { context.insert(self) }
  }
}
