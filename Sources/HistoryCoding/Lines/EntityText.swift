import PersistentHistory
import StoreFormat

/// The texts that all records of one entity's changes share, made once.
final class EntityText: Sendable {
  let entity: HistoryEntity
  /// The name as a JSON string; `nil` if the store does not name the entity.
  let name: [UInt8]?
  /// The name in UTF-8.
  let nameUTF8: [UInt8]?
  /// The number, if there is no name.
  let number: Int64?
  /// An object up to its primary key, as the beginning of a JSON string: `"Trip/p`.
  let objectStart: [UInt8]?
  /// The same in the characters that CloudEvents allows.
  let subjectStart: [UInt8]?
  /// The name of each slot as a JSON string.
  let slotNames: [[UInt8]]
  /// For each slot, the one before it with the same name: a relationship's slots share theirs.
  let previousSlots: [Int?]
  /// The name of each preserved attribute as a key with its colon.
  let tombstoneKeys: [[UInt8]]
  /// The types of the preserved attributes; `nil` if no model describes the entity.
  let tombstoneTypes: [AttributeType]?

  init(_ entity: HistoryEntity) {
    self.entity = entity
    var writer = JSONWriter()
    func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
      writer.removeAll()
      write(&writer)
      return Array(writer.bytes)
    }
    func string(_ text: String) -> [UInt8] { bytes { $0.appendString(text) } }
    let name = entity.name.map(string)
    let number = entity.name == nil ? entity.number : nil
    self.name = name
    self.number = number
    nameUTF8 = entity.name.map { Array($0.utf8) }
    objectStart = entity.name.map { string($0 + "/p").dropLast() }
    subjectStart = entity.name.map { string(CloudEventText.string($0) + "/p").dropLast() }
    let slots = entity.slots
    slotNames = (slots?.slots ?? []).map { string($0.name) }
    var indices: [String: Int] = [:]
    previousSlots = (slots?.slots ?? []).enumerated().map { index, slot in
      indices.updateValue(index, forKey: slot.name)
    }
    tombstoneTypes = slots?.tombstoneAttributes.map(\.type)
    tombstoneKeys = (slots?.tombstoneAttributes ?? []).map { string($0.name) + Array(":".utf8) }
  }

  /// Whether the names in a mask are known.
  @inline(__always)
  func names(_ mask: ColumnMask) -> Bool {
    tombstoneTypes != nil && mask.fits(slotCount: slotNames.count)
  }
}

/// The texts of entities, each made once.
struct EntityTexts: Sendable {
  /// The maximum number of entities to keep, more than stores have.
  private static let maxTexts = 10_000

  private var texts: [ObjectIdentifier: EntityText] = [:]
  private var last: EntityText?

  /// The entity's texts; those of the last entity and of every named one are kept.
  @inline(__always)
  mutating func text(for entity: HistoryEntity) -> EntityText {
    if let last, last.entity === entity { return last }
    return find(entity)
  }

  private mutating func find(_ entity: HistoryEntity) -> EntityText {
    let known = texts[ObjectIdentifier(entity)]
    let text = known ?? EntityText(entity)
    // An entity without a name is created for each change, and so is, by a decoder, one that its
    // schema does not know; keeping all of those would fill memory.
    if known == nil, entity.name != nil {
      if texts.count >= Self.maxTexts { texts.removeAll(keepingCapacity: true) }
      texts[ObjectIdentifier(entity)] = text
    }
    last = text
    return text
  }
}
