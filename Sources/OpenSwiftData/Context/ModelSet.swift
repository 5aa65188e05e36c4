/// Models in the order in which they were added, each once.
struct ModelSet {
  private var entries: [ObjectIdentifier: (place: Int, model: any PersistentModel)] = [:]
  private var nextPlace = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The models in order.
  var models: [any PersistentModel] {
    entries.values.sorted { $0.place < $1.place }.map(\.model)
  }

  /// The models' states in order.
  var states: [ModelState] { models.compactMap(\.state) }

  mutating func insert(_ model: any PersistentModel, _ state: ModelState) {
    guard entries[ObjectIdentifier(state)] == nil else { return }
    entries[ObjectIdentifier(state)] = (nextPlace, model)
    nextPlace += 1
  }

  mutating func remove(_ state: ModelState) { entries[ObjectIdentifier(state)] = nil }
}
