/// Translates the masks and tombstones of an entity from the order of one model into that of another, by the names
/// of the properties.
///
/// A bit of a mask goes to the slot of the same property:
/// - that of an attribute to the attribute's, that of a composite one's element to the element in the
///   same place;
/// - that of a to-one relationship to the slot of the same role; the bits of its entity key and order key go to
///   its key if the other model has no such slot, because each means that the relationship changed;
/// - that of a to-many relationship to the relationship's, whatever its inverse is.
///
/// A value of a tombstone goes to the place of the same attribute, or of the same element of a
/// composite one. If both models put all properties in the same order, masks and values stay as
/// they are, even those that fit neither.
package struct SlotTranslation: Sendable {
  /// Why a mask or a tombstone cannot be translated into the other order.
  package enum Problem: Error, Hashable, Sendable {
    /// The mask does not have the length of its own model.
    case unfitMask
    /// The other model has no property of this name.
    case missing(property: String)
    /// The property of this name is another kind of property, or of another type.
    case changed(property: String)
    /// The attribute of this name is no longer kept when objects are deleted.
    case unpreserved(attribute: String)
    /// A value is in a slot for which its own model has no attribute.
    case unnamedValue(slot: Int)
  }

  package let keepsMasks: Bool
  package let keepsTombstones: Bool

  /// The new place of each slot of a mask, and of each value of a tombstone.
  package let slots: [Result<Int, Problem>]
  package let tombstoneSlots: [Result<Int, Problem>]

  private let oldSlotCount: Int
  private let newSlotCount: Int

  /// - Parameter names: The names that properties of the other model have there, if they were renamed; a property
  ///   without one is not in the other model.
  package init(from old: EntitySlots, to new: EntitySlots, renaming names: [String: String]? = nil)
  {
    let old = names.map(old.renamed) ?? old
    oldSlotCount = old.slots.count
    newSlotCount = new.slots.count
    keepsMasks = old.slots == new.slots
    let places = Dictionary(grouping: new.slots.indices) { new.slots[$0].name }
    let oldPlaces = Dictionary(grouping: old.slots.indices) { old.slots[$0].name }
    slots = old.slots.indices.map { index in
      let slot = old.slots[index]
      guard let candidates = places[slot.name] else {
        return .failure(.missing(property: slot.name))
      }
      return Self.place(
        of: index, among: oldPlaces[slot.name] ?? [], of: old.slots, candidates, of: new.slots)
    }
    let oldAttributes = old.tombstoneAttributes
    let newAttributes = new.tombstoneAttributes
    keepsTombstones =
      oldAttributes.map(\.name) == newAttributes.map(\.name)
      && zip(oldAttributes, newAttributes).allSatisfy { Self.areAlike($0.type, $1.type) }
    tombstoneSlots = oldAttributes.map { attribute in
      guard let slot = newAttributes.firstIndex(where: { $0.name == attribute.name }) else {
        return .failure(
          places[ManagedAttribute.propertyName(ofPath: attribute.name)] == nil
            ? .missing(property: attribute.name) : .unpreserved(attribute: attribute.name))
      }
      return Self.areAlike(attribute.type, newAttributes[slot].type)
        ? .success(slot) : .failure(.changed(property: attribute.name))
    }
  }

  /// A mask in the other order.
  package func mask(_ mask: ColumnMask) throws(Problem) -> ColumnMask {
    if keepsMasks { return mask }
    guard mask.fits(slotCount: oldSlotCount) else { throw .unfitMask }
    var new: [Int] = []
    for slot in mask.setSlots { new.append(try slots[slot].get()) }
    return ColumnMask(slotCount: newSlotCount, settingSlots: new)
  }

  /// Returns a mask in the other order, without the slots that have no place there.
  package func keptMask(_ mask: ColumnMask) -> ColumnMask {
    guard mask.fits(slotCount: oldSlotCount) else {
      // A mask of another length named nothing before, and must not begin to name something.
      return mask.fits(slotCount: newSlotCount)
        ? ColumnMask(slotCount: newSlotCount, settingSlots: []) : mask
    }
    return ColumnMask(
      slotCount: newSlotCount, settingSlots: mask.setSlots.compactMap { try? slots[$0].get() })
  }

  /// A tombstone in the other order, without nulls at the end.
  package func tombstone(_ values: [StoredValue]) throws(Problem) -> [StoredValue] {
    if keepsTombstones { return values }
    var new: [StoredValue] = []
    for (slot, value) in values.enumerated() where !value.isNull {
      guard slot < tombstoneSlots.count else { throw .unnamedValue(slot: slot) }
      let place = try tombstoneSlots[slot].get()
      while new.count <= place { new.append(.null) }
      new[place] = value
    }
    return new
  }

  /// The new place of a slot.
  ///
  /// - Parameters:
  ///   - index: The old place.
  ///   - siblings: The old places of all slots of the property.
  ///   - candidates: The new ones.
  private static func place(
    of index: Int, among siblings: [Int], of old: [EntitySlots.Slot], _ candidates: [Int],
    of new: [EntitySlots.Slot]
  ) -> Result<Int, Problem> {
    let slot = old[index]
    let changed = Result<Int, Problem>.failure(.changed(property: slot.name))
    switch slot.role {
    case .attribute:
      // An element has no name of its own, only a place.
      guard siblings.count == candidates.count, new[candidates[0]].role == .attribute,
        let place = siblings.firstIndex(of: index)
      else { return changed }
      return .success(candidates[place])
    case .toOne, .entityKey, .orderKey:
      let same = candidates.first { new[$0].role == slot.role }
      return (same ?? candidates.first { new[$0].role == .toOne }).map(Result.success) ?? changed
    case .toMany, .manyToMany:
      let toMany = candidates.first { new[$0].role == .toMany || new[$0].role == .manyToMany }
      return toMany.map(Result.success) ?? changed
    }
  }

  /// Whether values of the one type mean the same as values of the other.
  private static func areAlike(_ left: AttributeType, _ right: AttributeType) -> Bool {
    if left == right { return true }
    let families: [Set<AttributeType>] = [
      [.integer16, .integer32, .integer64], [.float, .double],
    ]
    return families.contains { $0.contains(left) && $0.contains(right) }
  }
}

extension EntitySlots {
  /// Returns the slots with other names; those of properties without one are empty, and found by no name.
  fileprivate func renamed(_ names: [String: String]) -> EntitySlots {
    EntitySlots(
      slots: slots.map { Slot(name: names[$0.name] ?? "", role: $0.role) },
      tombstoneAttributes: tombstoneAttributes.map { attribute in
        let property = ManagedAttribute.propertyName(ofPath: attribute.name)
        let name = names[property].map { $0 + attribute.name.dropFirst(property.count) }
        return ManagedAttribute(name: name ?? "", type: attribute.type)
      })
  }
}
