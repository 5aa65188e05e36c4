import StoreFormat
import TestSupport
import Testing

/// Masks and tombstones from one model into another, slot by slot.
@Suite(.bounded) struct SlotTranslationTests {
  private typealias Slot = EntitySlots.Slot

  private static func slots(_ slots: [(String, EntitySlots.Role)]) -> EntitySlots {
    EntitySlots(slots: slots.map { Slot(name: $0.0, role: $0.1) }, tombstoneAttributes: [])
  }

  private static func preserved(_ attributes: [(String, AttributeType)]) -> EntitySlots {
    EntitySlots(
      slots: attributes.map { Slot(name: $0.0, role: .attribute) },
      tombstoneAttributes: attributes.map {
        ManagedAttribute(name: $0.0, type: $0.1, preservesValueOnDeletion: true)
      })
  }

  private static let old = slots([
    ("stay", .toOne), ("trip", .toOne), ("stay", .entityKey), ("trip", .orderKey),
    ("name", .attribute), ("place", .attribute), ("place", .attribute), ("tags", .toMany),
    ("items", .manyToMany), ("gone", .attribute),
  ])

  /// Moves one set slot, and gives the set ones of the other model.
  private static func move(
    _ slot: Int, to new: EntitySlots
  ) throws(SlotTranslation.Problem) -> [Int] {
    let mask = ColumnMask(slotCount: old.slots.count, settingSlots: [slot])
    let moved = try SlotTranslation(from: old, to: new).mask(mask)
    #expect(moved.fits(slotCount: new.slots.count))
    return moved.setSlots
  }

  @Test func `each slot moves to the slot of the same name`() throws {
    let new = Self.slots([
      ("home", .toOne), ("trip", .toOne), ("stay", .toOne), ("stay", .entityKey),
      ("trip", .orderKey), ("area", .attribute), ("name", .attribute), ("place", .attribute),
      ("place", .attribute), ("items", .toMany), ("tags", .manyToMany),
    ])
    let places = [2, 1, 3, 4, 6, 7, 8, 10, 9]
    for (slot, place) in places.enumerated() {
      #expect(try Self.move(slot, to: new) == [place], "\(slot)")
    }
    #expect(throws: SlotTranslation.Problem.missing(property: "gone")) {
      try Self.move(9, to: new)
    }
    let all = ColumnMask(slotCount: 10, settingSlots: 0..<9)
    #expect(
      try SlotTranslation(from: Self.old, to: new).mask(all).setSlots == places.sorted())
  }

  @Test func `a mask of removed keys names their relationship`() throws {
    let new = Self.slots([("stay", .toOne), ("trip", .toOne), ("name", .attribute)])
    #expect(try Self.move(2, to: new) == [0])
    #expect(try Self.move(3, to: new) == [1])
  }

  @Test func `a property that changed its kind is an error`() throws {
    let new = Self.slots([
      ("name", .toOne), ("stay", .attribute), ("trip", .toMany), ("tags", .toOne),
      ("items", .attribute), ("place", .attribute),
    ])
    for (slot, name) in [
      (0, "stay"), (1, "trip"), (2, "stay"), (3, "trip"), (4, "name"), (5, "place"), (6, "place"),
      (7, "tags"), (8, "items"),
    ] {
      #expect(throws: SlotTranslation.Problem.changed(property: name)) {
        try Self.move(slot, to: new)
      }
    }
  }

  @Test func `a malformed mask is kept for the same model and refused for another`() throws {
    let odd = ColumnMask([0xff, 0xff, 0xff])
    let same = SlotTranslation(from: Self.old, to: Self.old)
    #expect(same.keepsMasks && same.keepsTombstones)
    #expect(try same.mask(odd) == odd)
    let other = SlotTranslation(from: Self.old, to: Self.slots([("name", .attribute)]))
    #expect(throws: SlotTranslation.Problem.unfitMask) { try other.mask(odd) }
    #expect(try other.mask(ColumnMask([0, 0])) == ColumnMask([0]))
  }

  @Test func `a renamed property keeps its slot and a removed one loses it`() throws {
    let old = Self.preserved([("title", .string), ("gone", .string), ("area.x", .double)])
    let new = Self.preserved([("name", .string), ("gone", .string), ("place.x", .double)])
    let translation = SlotTranslation(
      from: old, to: new, renaming: ["title": "name", "area.x": "place.x", "area": "place"])
    let mask = ColumnMask(slotCount: 3, settingSlots: 0..<3)
    #expect(throws: SlotTranslation.Problem.missing(property: "")) { try translation.mask(mask) }
    #expect(translation.keptMask(mask).setSlots == [0, 2])
    #expect(
      try translation.tombstone([.text("Rome"), .null, .real(1)])
        == [.text("Rome"), .null, .real(1)])
    // A mask of another length named nothing, and must not begin to.
    #expect(translation.keptMask(ColumnMask([0xff, 0xff])) == ColumnMask([0xff, 0xff]))
    let longer = Self.preserved((0..<9).map { ("\($0)", .string) })
    #expect(
      SlotTranslation(from: old, to: longer, renaming: [:]).keptMask(ColumnMask([0xff, 0x80]))
        == ColumnMask([0, 0]))
  }

  @Test func `tombstones move to the slots of the new model`() throws {
    let old = Self.preserved([("b", .string), ("c", .integer16), ("d", .float), ("e", .date)])
    let new = Self.preserved([
      ("a", .string), ("b", .string), ("c", .integer64), ("cc", .string), ("d", .double),
      ("e", .string),
    ])
    let translation = SlotTranslation(from: old, to: new)
    #expect(
      try translation.tombstone([.text("x"), .integer(5), .real(0.5)])
        == [.null, .text("x"), .integer(5), .null, .real(0.5)])
    #expect(try translation.tombstone([.null, .null, .null, .null]) == [])
    #expect(try translation.tombstone([]) == [])
    #expect(throws: SlotTranslation.Problem.changed(property: "e")) {
      try translation.tombstone([.null, .null, .null, .real(1)])
    }
    #expect(throws: SlotTranslation.Problem.unnamedValue(slot: 4)) {
      try translation.tombstone([.null, .null, .null, .null, .text("?")])
    }
    let odd: [StoredValue] = [.blob([1]), .null, .null, .null, .text("?"), .null]
    #expect(try SlotTranslation(from: old, to: old).tombstone(odd) == odd)
    let less = SlotTranslation(from: old, to: Self.preserved([("c", .integer16)]))
    #expect(try less.tombstone([.null, .integer(1)]) == [.integer(1)])
    #expect(throws: SlotTranslation.Problem.missing(property: "b")) {
      try less.tombstone([.text("x")])
    }
    let kept = EntitySlots(slots: old.slots, tombstoneAttributes: [])
    #expect(throws: SlotTranslation.Problem.unpreserved(attribute: "b")) {
      try SlotTranslation(from: old, to: kept).tombstone([.text("x")])
    }
  }
}
