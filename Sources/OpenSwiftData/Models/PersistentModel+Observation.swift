import Observation

extension PersistentModel {
  /// Lets whoever is observing know that a property is looked at.
  ///
  /// Properties that a store keeps do so by themselves; a computed one, or one that is marked with
  /// `@Transient`, can be made observable with this and ``withMutation(keyPath:_:)``.
  public func access<Value>(keyPath: KeyPath<Self, Value>) {
    guard let state else { return }
    if let index = state.layout.indexIfAny(of: keyPath) {
      state.isRead(at: index)
    } else {
      state.observers.access(self, keyPath: keyPath)
    }
  }

  /// Changes a property, and tells those who observe it.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - mutation: Changes it.
  /// - Throws: What `mutation` throws.
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

  /// Where the observers of the model are noted.
  ///
  /// Those of properties that a store keeps are noted in another form: use ``access(keyPath:)`` and
  /// ``withMutation(keyPath:_:)``, which know it.
  public var _$observationRegistrar: ObservationRegistrar {
    state?.observers ?? ObservationRegistrar()
  }
}
