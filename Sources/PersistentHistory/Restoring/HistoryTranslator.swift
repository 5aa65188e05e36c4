import StoreEditing
import StoreFormat

/// Turns sealed transactions into rows of a store, whose model may be another one by now.
///
/// What is sealed names entities and properties; rows have their numbers and places in the present
/// model. Where the model is the same, rows come out as they were, bit for bit. Where it has changed:
/// - an entity gets the number that its name has now;
/// - masks and tombstones go to the places of the same properties, see
///   ``/StoreFormat/SlotTranslation``;
/// - a name that is gone ends it, with the reason.
///
/// The frameworks do the same to the rows that are there when they migrate a store, except that they
/// leave tombstones as they are.
final class HistoryTranslator {
  /// More entities than models have; an archive that names more is not remembered.
  private static let mostTargets = 10_000

  /// What an entity has become.
  private enum Target {
    /// Rows stay as they are but for the number.
    case same(number: Int64)
    case translated(number: Int64, SlotTranslation)
    /// Nobody knows what masks and tombstones mean.
    case unknown(number: Int64)
    case gone(RestoreObstacle.ModelChange)
  }

  private let schema: HistorySchema
  private let columns: RecordedColumns
  private let isModelKnown: Bool
  private let path: String
  private var targets: [ObjectIdentifier: (entity: HistoryEntity, target: Target)] = [:]
  /// The entities whose changes do not come out as they were.
  private(set) var translatedEntities: Set<String> = []

  /// - Parameters:
  ///   - schema: The entities of the store.
  ///   - isModelKnown: Whether the store tells its model.
  ///   - tables: Its history tables.
  ///   - path: The store, for messages.
  init(schema: HistorySchema, isModelKnown: Bool, tables: HistoryTables, path: String) {
    self.schema = schema
    self.isModelKnown = isModelKnown
    self.path = path
    columns = RecordedColumns(tables)
  }

  /// The row of a transaction.
  func row(of transaction: HistoryTransaction) throws(RestoreObstacle) -> RecordedTransaction {
    var texts: [StringRole: RecordedText] = [:]
    for role in StringRole.allCases { texts[role] = transaction.text(role) }
    let row = RecordedTransaction(
      number: transaction.number, timestamp: transaction.timestamp, texts: texts,
      queryGeneration: transaction.queryGeneration, extra: transaction.extra)
    do {
      try columns.check(row)
    } catch {
      throw .unfitTable(path: path, transaction: transaction.number, detail: error.message)
    }
    return row
  }

  /// The row of a change; nil where the store has no entity of that name any more and that is no
  /// reason to stop.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - transaction: The number of its transaction.
  ///   - skipsGoneEntities: Whether changes of entities that are gone are left out.
  func row(
    of change: HistoryChange, in transaction: Int64, skipsGoneEntities: Bool = false
  ) throws(RestoreObstacle) -> RecordedChange? {
    var row = RecordedChange(
      number: change.number, kind: change.kind, entityNumber: nil, primaryKey: change.primaryKey,
      mask: change.mask, tombstone: change.tombstone, extra: change.extra)
    if let entity = change.entity {
      do throws(RestoreObstacle.ModelChange) {
        try translate(&row, of: entity)
      } catch {
        if skipsGoneEntities, case .missingEntity = error { return nil }
        throw .changedModel(path: path, transaction: transaction, error)
      }
    }
    do {
      try columns.check(row)
    } catch {
      throw .unfitTable(path: path, transaction: transaction, detail: error.message)
    }
    return row
  }

  private func translate(
    _ row: inout RecordedChange, of entity: HistoryEntity
  ) throws(RestoreObstacle.ModelChange) {
    let hasPlaces = row.mask != nil || row.tombstone.contains { !$0.isNull }
    switch target(of: entity) {
    case .same(let number):
      row.entityNumber = number
    case .translated(let number, let translation):
      row.entityNumber = number
      do throws(SlotTranslation.Problem) {
        if let mask = row.mask { row.mask = try translation.mask(mask) }
        row.tombstone = try translation.tombstone(row.tombstone)
      } catch {
        throw .property(entity: entity.label, error)
      }
    case .unknown(let number):
      guard !hasPlaces else { throw .unknownProperties(entity: entity.label) }
      row.entityNumber = number
    case .gone(let change):
      throw change
    }
  }

  // MARK: - Entities

  private func target(of entity: HistoryEntity) -> Target {
    if let known = targets[ObjectIdentifier(entity)] { return known.target }
    let target = newTarget(of: entity)
    if targets.count < Self.mostTargets { targets[ObjectIdentifier(entity)] = (entity, target) }
    if let name = entity.name, case .translated(_, let translation) = target,
      !translation.keepsMasks || !translation.keepsTombstones
    {
      translatedEntities.insert(name)
    }
    return target
  }

  private func newTarget(of entity: HistoryEntity) -> Target {
    guard let name = entity.name else {
      let number = entity.number ?? 0
      // A number without a name stays one, unless it has become a name's.
      return schema.entity(number: number).name.map { .gone(.namedNumber(number, entity: $0)) }
        ?? .same(number: number)
    }
    guard let present = schema.entity(named: name), let number = present.number else {
      return .gone(.missingEntity(name))
    }
    switch (entity.slots, present.slots) {
    case (let old?, let new?):
      let translation = SlotTranslation(from: old, to: new)
      return translation.keepsMasks && translation.keepsTombstones
        ? .same(number: number) : .translated(number: number, translation)
    case (nil, nil):
      // No model then and none now: nothing says that anything has changed but the number could.
      return entity.number == nil || entity.number == number
        ? .same(number: number) : .unknown(number: number)
    case (nil, _?):
      return .unknown(number: number)
    case (_?, nil):
      // Where there is a model, the number is all that is left of an entity that was in it.
      return isModelKnown ? .gone(.missingEntity(name)) : .unknown(number: number)
    }
  }
}
