import PersistentHistory
import StoreFormat

/// What the records of one entity's changes have in common, written once.
final class EnvelopeEntity: Sendable {
  /// The names of slots and of preserved attributes as JSON.
  let text: EntityText
  /// The name in UTF-8; nil where the store does not name the entity.
  let nameUTF8: [UInt8]?
  /// The name as a JSON string.
  let name: [UInt8]?
  /// An object up to its primary key, as the beginning of a JSON string: `"Trip/p`.
  let objectStart: [UInt8]?
  /// The same in the characters that a CloudEvents string may have.
  let subjectStart: [UInt8]?
  /// The number, where there is no name.
  let number: Int64?

  init(_ entity: HistoryEntity) {
    text = EntityText(entity)
    number = entity.name == nil ? entity.number : nil
    nameUTF8 = entity.name.map { Array($0.utf8) }
    var writer = JSONWriter()
    func string(_ text: String) -> [UInt8] {
      writer.removeAll()
      writer.appendString(text)
      return Array(writer.bytes)
    }
    name = entity.name.map { string($0) }
    objectStart = entity.name.map { string($0 + "/p").dropLast() }
    subjectStart = entity.name.map { string(CloudEventText.string($0) + "/p").dropLast() }
  }
}

/// The entities whose changes are written, each with its texts.
struct EnvelopeEntities: Sendable {
  /// More entities than stores have.
  private static let mostEntities = 10_000

  private var known: [ObjectIdentifier: (entity: HistoryEntity, text: EnvelopeEntity)] = [:]
  private var last: (entity: HistoryEntity, text: EnvelopeEntity)?

  /// The entity's texts; those of the last entity and of every named one are kept.
  mutating func text(for entity: HistoryEntity) -> EnvelopeEntity {
    if let last, last.entity === entity { return last.text }
    let found = known[ObjectIdentifier(entity)]?.text
    let text = found ?? EnvelopeEntity(entity)
    // An entity without a name is made anew for each change, and so is, by a decoder, one that its
    // schema does not know; keeping all of those would fill memory.
    if found == nil, entity.name != nil {
      if known.count >= Self.mostEntities { known.removeAll(keepingCapacity: true) }
      known[ObjectIdentifier(entity)] = (entity, text)
    }
    last = (entity, text)
    return text
  }
}
