/// Models that something keeps which a context keeps in turn, so that they must not keep the context.
final class HeldModels {
  private let models: [any PersistentModel]
  private let states: [ModelState]

  init(_ models: [any PersistentModel]) {
    self.models = models
    states = models.compactMap(\.state)
    for state in states { state.hold() }
  }

  /// Models whose values may have become those of others by now.
  init(_ subjects: [UndoRecord.Subject]) {
    models = subjects.map(\.model)
    states = subjects.map(\.state)
    for state in states { state.hold() }
  }

  deinit {
    for state in states { state.letGo() }
  }
}
