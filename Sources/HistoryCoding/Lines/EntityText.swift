import PersistentHistory
import StoreFormat

/// What the lines of one entity's changes have in common, written once.
struct EntityText {
  /// `,"entity":"Trip"`.
  let member: [UInt8]
  /// The name of each slot as a JSON string.
  let slotNames: [[UInt8]]
  /// For each slot, the one before it with the same name: a relationship's slots share theirs.
  let previousSlots: [Int?]
  /// For each preserved attribute, its name as a key: `"name":`.
  let tombstoneKeys: [[UInt8]]
  /// The types of the preserved attributes; nil where no model tells the slots.
  let tombstoneTypes: [AttributeType]?

  init(_ entity: HistoryEntity) {
    var writer = JSONWriter()
    func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
      writer.removeAll()
      write(&writer)
      return Array(writer.bytes)
    }
    member = bytes { writer in
      if let name = entity.name {
        writer.appendRaw(",\"entity\":")
        writer.appendString(name)
      } else if let number = entity.number {
        writer.appendRaw(",\"entityRaw\":")
        writer.appendInteger(number)
      }
    }
    let entitySlots = entity.slots
    let slots = entitySlots?.slots ?? []
    tombstoneTypes = entitySlots?.tombstoneAttributes.map(\.type)
    slotNames = slots.map { slot in bytes { $0.appendString(slot.name) } }
    var indices: [String: Int] = [:]
    previousSlots = slots.enumerated().map { index, slot in
      indices.updateValue(index, forKey: slot.name)
    }
    tombstoneKeys = (entitySlots?.tombstoneAttributes ?? []).map { attribute in
      bytes {
        $0.appendString(attribute.name)
        $0.appendRaw(":")
      }
    }
  }
}
