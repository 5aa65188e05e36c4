import Synchronization

/// The columns of an entity's mask and of its tombstones, in order.
///
/// The order is the framework's: to-one keys, entity keys, order keys, attributes, to-many relationships,
/// many-to-many relationships. It differs from that of the table's columns, which are sorted by type and shared
/// by all entities of a hierarchy.
package struct EntitySlots: Hashable, Sendable {
  package enum Role: String, Hashable, Sendable {
    case toOne
    /// The entity number of a to-one relationship whose destination has sub-entities.
    case entityKey
    /// The position in an ordered to-many relationship, kept at its to-one end.
    case orderKey
    /// An attribute, or one stored element of a composite one.
    case attribute
    /// A to-many relationship with a to-one inverse or none.
    case toMany
    case manyToMany
  }

  package struct Slot: Hashable, Sendable {
    /// The name of the property; a relationship's slots share it.
    package let name: String
    package let role: Role

    package init(name: String, role: Role) {
      self.name = name
      self.role = role
    }
  }

  /// The slots of a mask; bit *i* of a mask is slot *i*.
  package let slots: [Slot]
  /// The attributes that deleted objects preserve; `ZTOMBSTONE`*n* holds number *n*. A composite one is
  /// replaced by its elements, named `attribute.element`.
  package let tombstoneAttributes: [ManagedAttribute]

  /// Slots in the given order.
  package init(slots: [Slot], tombstoneAttributes: [ManagedAttribute]) {
    self.slots = slots
    self.tombstoneAttributes = tombstoneAttributes
  }

  /// The names of the properties that a mask marks, in slot order and each once.
  ///
  /// Returns `nil` where the mask does not fit: then it was written with another model, and names would be
  /// guesses.
  package func names(in mask: ColumnMask) -> [String]? {
    guard mask.fits(slotCount: slots.count) else { return nil }
    var names: [String] = []
    for slot in mask.setSlots where !names.contains(slots[slot].name) {
      names.append(slots[slot].name)
    }
    return names
  }

  /// The slots that a property has: one for an attribute, up to three for a relationship.
  package func indices(of name: String) -> [Int] {
    slots.indices.filter { slots[$0].name == name }
  }
}

/// The slots of a model's entities, each computed when it is first needed.
package final class LazySlots: Sendable {
  private struct State {
    var order: SlotOrder
    var known: [String: EntitySlots] = [:]
  }

  private let state: Mutex<State>

  package init(_ model: ManagedModel) {
    state = Mutex(State(order: SlotOrder(model)))
  }

  /// Returns the slots of an entity, or `nil` where the model does not have it.
  package func slots(of entityName: String) -> EntitySlots? {
    state.withLock { state in
      if let slots = state.known[entityName] { return slots }
      let slots = state.order.slots(of: entityName)
      state.known[entityName] = slots
      return slots
    }
  }
}

/// The slots of an entity by the names of its properties.
struct SlotPlaces {
  /// The names of the properties that have slots, in the order of the first of each.
  let names: [String]
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

  func slots(of name: String) -> [Int] { slots[name] ?? [] }

  func tombstoneSlots(of name: String) -> [Int] { tombstoneSlots[name] ?? [] }
}
