/// Models in the order in which they were added, each once.
struct ModelSet {
  private var entries: [(model: any PersistentModel, state: ModelState)?] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { places.isEmpty }

  /// The models in order.
  var models: [any PersistentModel] { entries.compactMap { $0?.model } }

  /// The models' states in order.
  var states: [ModelState] { entries.compactMap { $0?.state } }

  mutating func insert(_ model: any PersistentModel, _ state: ModelState) {
    let identity = ObjectIdentifier(state)
    guard places[identity] == nil else { return }
    places[identity] = entries.count
    entries.append((model, state))
  }

  mutating func remove(_ state: ModelState) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(state)) else { return }
    entries[place] = nil
    if places.isEmpty {
      entries = []
    } else if entries.count > 64, entries.count > 4 * places.count {
      // Mostly gaps by now.
      entries.removeAll { $0 == nil }
      for (place, entry) in entries.enumerated() {
        if let entry { places[ObjectIdentifier(entry.state)] = place }
      }
    }
  }
}
