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
  /// The entities are kept alive, because their identities are the keys.
  private var translations: [ObjectIdentifier: (entity: HistoryEntity, SlotTranslation)] = [:]
  /// The maximum number of entities whose translations are kept: an archive may name any number.
  private static let maxTranslations = 10_000

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
    if let known = translations[key] { return try? known.1.mask(mask) }
    let none = EntitySlots(slots: [], tombstoneAttributes: [])
    let translation = SlotTranslation(
      from: entity.slots ?? none, to: schema.entity(number: number).slots ?? none)
    // An entity that its schema does not know is made for each change.
    if entity.slots != nil {
      if translations.count >= Self.maxTranslations { translations.removeAll() }
      translations[key] = (entity, translation)
    }
    return try? translation.mask(mask)
  }
}
