/// The slots of an entity by the names of its properties.
struct SlotPlaces {
  /// The names of the properties that have slots, in the order of the first of each.
  package let names: [String]
  private let slots: [String: [Int]]
  private let tombstoneSlots: [String: [Int]]

  init(_ entity: EntitySlots) {
    var names: [String] = []
    var slots: [String: [Int]] = [:]
    for (index, slot) in entity.slots.enumerated() {
      if slots[slot.name] == nil { names.append(slot.name) }
      slots[slot.name, default: []].append(index)
    }
    self.names = names
    self.slots = slots
    tombstoneSlots = Dictionary(
      grouping: entity.tombstoneAttributes.indices,
      by: { index in
        let path = entity.tombstoneAttributes[index].name
        return slots[path] == nil ? ManagedAttribute.propertyName(ofPath: path) : path
      })
  }

  /// The bits of a property.
  package func slots(of name: String) -> [Int] { slots[name] ?? [] }

  /// The columns of tombstones of a property.
  package func tombstoneSlots(of name: String) -> [Int] { tombstoneSlots[name] ?? [] }
}
