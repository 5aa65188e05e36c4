/// The columns of an entity's mask and of its tombstones, in order.
///
/// The order is the framework's: to-one keys, entity keys, order keys, attributes, to-many
/// relationships, many-to-many relationships. The columns of the SQL table are no substitute, for
/// they are sorted by type and shared by all entities of a hierarchy.
package struct EntitySlots: Hashable, Sendable {
  /// What a slot stands for.
  package enum Role: String, Hashable, Sendable {
    /// The key of a to-one relationship.
    case toOne
    /// The entity number of a to-one relationship whose destination has sub-entities.
    case entityKey
    /// The position in an ordered to-many relationship, kept at its to-one end.
    case orderKey
    /// An attribute, or one stored element of a composite one.
    case attribute
    /// A to-many relationship with a to-one inverse or none.
    case toMany
    /// A to-many relationship with a to-many inverse.
    case manyToMany
  }

  /// One bit of a mask.
  package struct Slot: Hashable, Sendable {
    /// The name of the property; a relationship's slots share it.
    package let name: String
    /// What the slot stands for.
    package let role: Role

    /// A slot.
    package init(name: String, role: Role) {
      self.name = name
      self.role = role
    }
  }

  /// The slots of a mask; bit *i* of a mask is slot *i*.
  package let slots: [Slot]
  /// The attributes that a deleted object leaves behind; `ZTOMBSTONE`*n* holds number *n*. A composite
  /// one is there by its elements, each named `attribute.element`.
  package let tombstoneAttributes: [ManagedAttribute]

  /// Slots in the given order.
  package init(slots: [Slot], tombstoneAttributes: [ManagedAttribute]) {
    self.slots = slots
    self.tombstoneAttributes = tombstoneAttributes
  }

  /// The names of the properties that a mask marks, in slot order and each once.
  ///
  /// Nil where the mask does not fit: then it was written with another model, and names would be
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
