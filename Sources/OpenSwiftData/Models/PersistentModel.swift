import Foundation
import Observation

/// A class whose objects a store keeps; `@Model` makes a class one.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The root class of the hierarchy.
  associatedtype Root: PersistentModel = Self

  /// Creates an object with existing values.
  init(backingData: any BackingData<Self>)

  /// The values of the object.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The stored properties that the class declares, without inherited ones.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The models that the class inherits from.
  static var schemaInheritance: Schema.Inheritance { get }
}

extension PersistentModel {
  /// Returns backing data for a new object.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    ModelBackingData<P>(for: P.self)
  }

  /// Returns backing data for a new object; called by code that `@Model` generates, because a result of
  /// an opaque type takes longer.
  public static func createBackingData() -> any BackingData<Self> {
    ModelBackingData<Self>(for: Self.self)
  }

  /// The identifier of the model, temporary until its first save.
  public var persistentModelID: PersistentIdentifier {
    // Only custom backing data can be without an identifier.
    state?.identifier ?? persistentBackingData.persistentModelID
      ?? PersistentIdentifier(
        entityName: Schema.entityName(for: Self.self), storeIdentifier: nil, key: .text(""))
  }

  /// The identifier of the model.
  public var id: PersistentIdentifier { persistentModelID }

  /// The context of the model; `nil` before its insertion, after its deletion was saved, and after
  /// the context is gone.
  public var modelContext: ModelContext? { state?.context }

  /// Whether the model has unsaved changes.
  public var hasChanges: Bool {
    switch state?.phase {
    case .inserted, .deleted: true
    case .registered: state?.original != nil
    case .standalone, nil: false
    }
  }

  /// Whether the model is deleted and the deletion is not saved yet.
  public var isDeleted: Bool { state?.phase == .deleted }

  /// Returns whether two values are the same model in the same context.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || (left.state != nil && left.state === right.state)
  }

  /// Hashes the identity of the model.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(state.map(ObjectIdentifier.init) ?? ObjectIdentifier(self))
  }

  /// The values, or `nil` for custom backing data.
  var state: ModelState? {
    if let values = persistentBackingData._$values { return values as? ModelState }
    guard persistentBackingData is ModelBackingData<Self> else { return nil }
    // No value of a new object was set yet. What is read from now on can be observed.
    let state = ModelState(layout: EntityLayout.of(Self.self))
    persistentBackingData = ModelBackingData<Self>(state)
    return state
  }
}

extension PersistentModel {
  /// Returns the value of an attribute.
  @_disfavoredOverload
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: Decodable {
    guard let state else { return persistentBackingData.getValue(forKey: key) }
    return state.value(forKey: key)
  }

  /// Returns the target of a to-one relationship.
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: PersistentModel {
    guard let state else { return persistentBackingData.getValue(forKey: key) }
    return state.target(forKey: key)
  }

  /// Returns the target of a to-one relationship, or `nil` if it has none.
  public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value?
  where Value: PersistentModel {
    guard let state else { return persistentBackingData.getValue(forKey: key) }
    return state.targetIfAny(forKey: key)
  }

  /// Returns the targets of a to-many relationship.
  public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection {
    guard let state else { return persistentBackingData.getValue(forKey: key) }
    return state.targets(forKey: key)
  }

  /// Returns the value of a transformable attribute.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    guard let state else { return persistentBackingData.getTransformableValue(forKey: key) }
    return state.transformableValue(forKey: key)
  }

  /// Sets the value of a transformable attribute.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    guard let state else {
      return persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
    state.setAttribute(newValue, at: state.layout.index(of: key))
  }

  /// Sets the value of an attribute.
  @_disfavoredOverload
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable {
    guard let state else { return persistentBackingData.setValue(forKey: key, to: newValue) }
    state.setValue(newValue, forKey: key)
  }

  /// Sets the target of a to-one relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue.modelContext)
  }

  /// Sets the target of a to-one relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue?.modelContext)
  }

  /// Sets the targets of a to-many relationship.
  public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection {
    adopt()
    persistentBackingData.setValue(forKey: key, to: newValue)
    follow(newValue.models.lazy.compactMap(\.modelContext).first)
  }

  private func adopt() {
    if let state, state.model == nil { state.model = self }
  }

  private func follow(_ context: ModelContext?) {
    if let context, state?.phase == .standalone { context.insert(self) }
  }
}

extension PersistentModel {
  /// Tells observers that a property is read.
  ///
  /// Stored properties do this themselves. Call it and ``withMutation(keyPath:_:)`` to make a
  /// computed or `@Transient` property observable.
  public func access<Value>(keyPath: KeyPath<Self, Value>) {
    guard let state else { return }
    if let index = state.layout.indexIfAny(of: keyPath) {
      state.isRead(at: index)
    } else {
      state.observers.access(self, keyPath: keyPath)
    }
  }

  /// Runs a closure that changes a property, and tells observers.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - mutation: Changes the property.
  /// - Throws: The error of the closure.
  public func withMutation<Value, Outcome>(
    keyPath: KeyPath<Self, Value>, _ mutation: () throws -> Outcome
  ) rethrows -> Outcome {
    guard let state else { return try mutation() }
    if let index = state.layout.indexIfAny(of: keyPath) {
      return try state.observers.withMutation(
        of: state, keyPath: state.layout.observedProperties[index], mutation)
    }
    return try state.observers.withMutation(of: self, keyPath: keyPath, mutation)
  }

  /// The observation registrar of the model.
  ///
  /// Stored properties are registered under other key paths; use ``access(keyPath:)`` and
  /// ``withMutation(keyPath:_:)``.
  public var _$observationRegistrar: ObservationRegistrar {
    state?.observers ?? ObservationRegistrar()
  }
}

extension PersistentModel {
  /// The inheritance of a class without a model as superclass.
  public static var schemaInheritance: Schema.Inheritance { Schema.Inheritance(Self.self) }

  /// Joins the values set by the initializer of a class with those set by its superclass; called by
  /// code that `@Model` generates.
  ///
  /// - Parameters:
  ///   - own: The backing data with values of the class's own properties.
  ///   - inherited: The backing data of the superclass.
  public static func completeBackingData<Own, Inherited>(
    _ own: any BackingData<Own>, with inherited: any BackingData<Inherited>
  ) -> any BackingData<Inherited> where Own: PersistentModel, Inherited: PersistentModel {
    guard own is ModelBackingData<Own>, inherited is ModelBackingData<Inherited> else {
      return inherited
    }
    let state = ModelState.of(own)
    // Without values of its own the superclass has the initial ones.
    if let other = inherited._$values as? ModelState { state.inherit(other) }
    return ModelBackingData<Inherited>(state)
  }
}
