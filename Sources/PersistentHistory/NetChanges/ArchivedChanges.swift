import StoreEditing
import StoreFormat

/// Reads the changes of archived transactions, in the numbers and slots of a schema.
final class ArchivedChanges {
  private let timeline: HistoryTimeline
  private let query: HistoryQuery
  private let schema: HistorySchema
  private let pieces: [HistoryTimeline.Piece]
  private var reader: TimelineReader
  private var transaction: Int64 = 0
  private var hasTransaction = false
  private(set) var numbers: EntityNumbers
  private var slots: [ObjectIdentifier: SlotTranslation] = [:]
  /// The maximum number of entities whose slots are kept: an archive may name any number.
  private static let maxSlots = 10_000

  /// Prepares to read the archived pieces; `nil` if there are none.
  init?(
    _ timeline: HistoryTimeline, _ query: HistoryQuery, _ schema: HistorySchema,
    _ pieces: [HistoryTimeline.Piece]
  ) throws {
    let archived = pieces.filter { if case .archived = $0 { true } else { false } }
    guard !archived.isEmpty else { return nil }
    var query = query
    query.order = .ascending
    query.limit = nil
    query.keepsOnlyMatchingChanges = true
    self.timeline = timeline
    self.query = query
    self.schema = schema
    self.pieces = archived
    numbers = EntityNumbers(schema: schema)
    reader = try TimelineReader(timeline, query, schema, archived)
  }

  /// Goes back to the beginning.
  func restart() throws {
    reader = try TimelineReader(timeline, query, schema, pieces)
    hasTransaction = false
  }

  /// Returns the next change; `nil` after the last one.
  func next() throws -> HistoryChange? {
    while true {
      if hasTransaction, let change = try reader.nextChange() { return change }
      guard case .transaction(let next)? = try reader.nextElement() else { return nil }
      transaction = next.number
      hasTransaction = true
    }
  }

  /// Returns the last change of ``next()`` for folding; `nil` if it names no object, or a kind that
  /// no framework writes.
  func row(_ change: HistoryChange) -> NetChangeRow? {
    guard let kind = change.kind, let entity = change.entity, let primaryKey = change.primaryKey,
      let number = numbers.number(of: entity)
    else { return nil }
    return NetChangeRow(
      object: NetChangeRow.Object(entityNumber: number, primaryKey: primaryKey), kind: kind,
      transaction: transaction, change: change.number,
      mask: kind == .update ? change.mask.flatMap { translated($0, of: entity, number) } : nil,
      hasTombstone: kind == .delete && !change.tombstone.isEmpty)
  }

  /// Returns the mask in the slots of the schema's entity; `nil` if a slot is missing there.
  private func translated(
    _ mask: ColumnMask, of entity: HistoryEntity, _ number: Int64
  ) -> ColumnMask? {
    guard entity.name != nil else { return mask }
    let key = ObjectIdentifier(entity)
    if let known = slots[key] { return known.mask(mask) }
    let translation = SlotTranslation(entity, to: schema.entity(number: number))
    // An entity that its schema does not know is made for each change.
    if entity.slots != nil {
      if slots.count >= Self.maxSlots { slots.removeAll() }
      slots[key] = translation
    }
    return translation.mask(mask)
  }
}

/// Translates masks of an entity into the slots of a later model.
private struct SlotTranslation {
  /// Kept alive, because the translation is looked up by the entity's identity.
  private let entity: HistoryEntity
  private let slotCount: Int
  /// The new place of each slot, `nil` for one that is gone; `nil` if all slots are the same.
  private let places: [Int?]?
  private let newCount: Int

  init(_ entity: HistoryEntity, to later: HistoryEntity) {
    self.entity = entity
    let old = entity.slots?.slots ?? []
    let new = later.slots?.slots ?? []
    slotCount = old.count
    newCount = new.count
    guard old != new else {
      places = nil
      return
    }
    let indices = Dictionary(
      new.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    // Elements of a composite attribute share name and role; they keep their order.
    var used: [EntitySlots.Slot: Int] = [:]
    places = old.map { slot in
      let repetition = used[slot, default: 0]
      used[slot] = repetition + 1
      guard let first = indices[slot], first + repetition < new.count,
        new[first + repetition] == slot
      else { return nil }
      return first + repetition
    }
  }

  func mask(_ mask: ColumnMask) -> ColumnMask? {
    guard let places else { return mask }
    guard mask.fits(slotCount: slotCount) else { return nil }
    var slots: [Int] = []
    for slot in mask.setSlots {
      guard let place = places[slot] else { return nil }
      slots.append(place)
    }
    return ColumnMask(slotCount: newCount, settingSlots: slots)
  }
}
