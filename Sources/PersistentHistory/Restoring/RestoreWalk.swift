import StoreFormat
import StoreTransactions

/// Walks through sealed history from its newest transaction to its oldest, and turns it into rows of a store
/// whose model may have changed since.
///
/// A plan walks once to check and count (``RestoreSurvey``), and a restore walks again to insert (``RestorePieces``):
/// what a plan holds of all rows would not fit into memory.
///
/// Sealed history names entities and properties; rows have their numbers in the present model. With the
/// same model, rows are equal bit for bit. With a changed one:
/// - an entity gets the number that its name has now;
/// - masks and tombstones are moved to the slots of the same properties, see
///   ``/StoreFormat/SlotTranslation``;
/// - a name that no longer exists is an obstacle.
///
/// The frameworks translate rows in the same way when they migrate a store, except for tombstones.
final class RestoreWalk {
  /// The maximum number of entities to remember; an archive may name any number.
  private static let maxTargets = 10_000

  /// How an entity corresponds to one of the present model.
  private enum Target {
    /// Only the number may differ.
    case same(number: Int64)
    case translated(number: Int64, SlotTranslation)
    /// The meaning of masks and tombstones is unknown.
    case unknown(number: Int64)
    case gone(RestoreObstacle.ModelChange)
  }

  private let reader: any TransactionSource
  /// The oldest transaction of the store, whose changes may be of entities that are gone.
  private let oldest: Int64?
  private let schema: HistorySchema
  private let columns: RecordedColumns
  private let isModelKnown: Bool
  private let path: String
  private var targets: [ObjectIdentifier: (entity: HistoryEntity, target: Target)] = [:]
  /// The entities whose changes are translated.
  private(set) var translatedEntities: Set<String> = []
  /// The number of the transaction that was returned last; `nil` before the first.
  private(set) var number: Int64?

  /// - Parameters:
  ///   - newest: The newest transaction to read.
  ///   - oldest: The oldest transaction of the store.
  ///   - schema: The entities of the store.
  ///   - isModelKnown: Whether the store has a model.
  ///   - tables: The history tables of the store.
  ///   - path: The store, for messages.
  init(
    _ sealed: any ArchivedHistory, through newest: Int64, oldest: TransactionPosition?,
    schema: HistorySchema, isModelKnown: Bool, tables: HistoryTables, path: String
  ) throws {
    reader = try sealed.newestTransactions(through: newest)
    self.oldest = oldest?.number
    self.schema = schema
    self.isModelKnown = isModelKnown
    self.path = path
    columns = RecordedColumns(tables)
  }

  /// Goes to the next older transaction; `nil` after the last one.
  ///
  /// - Throws: ``RestoreObstacle/disorder(transaction:)``.
  func nextTransaction() throws -> HistoryTransaction? {
    guard let transaction = try reader.nextTransaction() else { return nil }
    if let number, transaction.number >= number {
      throw RestoreObstacle.disorder(transaction: transaction.number)
    }
    number = transaction.number
    return transaction
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  func nextChange() throws -> HistoryChange? { try reader.nextChange() }

  // MARK: - Rows

  /// Returns the row of the current transaction.
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

  /// Returns the row of a change of the current transaction; `nil` if the store's oldest transaction lost it together
  /// with its entity.
  func row(of change: HistoryChange) throws(RestoreObstacle) -> RecordedChange? {
    let transaction = number ?? 0
    var row = RecordedChange(
      number: change.number, kind: change.kind, entityNumber: nil, primaryKey: change.primaryKey,
      mask: change.mask, tombstone: change.tombstone, extra: change.extra)
    if let entity = change.entity {
      do throws(RestoreObstacle.ModelChange) {
        try translate(&row, of: entity)
      } catch {
        if number != nil, number == oldest, case .missingEntity = error { return nil }
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
    if targets.count < Self.maxTargets { targets[ObjectIdentifier(entity)] = (entity, target) }
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
      // A number without a name is kept, unless it has a name now.
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
      // Without a model, only the number can show a change.
      return entity.number == nil || entity.number == number
        ? .same(number: number) : .unknown(number: number)
    case (nil, _?):
      return .unknown(number: number)
    case (_?, nil):
      // If there is a model, the entity is no longer in it.
      return isModelKnown ? .gone(.missingEntity(name)) : .unknown(number: number)
    }
  }
}
