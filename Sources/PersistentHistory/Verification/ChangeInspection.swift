import StoreFormat

/// Inspects every row of `ACHANGE` by number, and finds its transaction.
///
/// The frameworks write changes in the order of their transactions, so both tables are read side by
/// side, and only changes out of order are looked up.
final class ChangeInspection {
  private(set) var findings: FindingLog<StoreFindingKind>
  private(set) var facts: StoreFacts

  private let snapshot: StoreSnapshot
  private let changes: ChangeCursor
  private let transactions: TransactionPositionCursor
  private let lookup: TransactionLookup
  private let schema: HistorySchema
  /// The expected form of the changes of each entity, looked up once for many rows.
  private var entities: [Int64: Entity] = [:]
  private var lastEntity: Entity?
  private let highestIssued: Int64
  /// The number of changes between two reports of progress.
  private static let stride: Int64 = 1 << 14

  /// The current transaction, or `nil` after the last one.
  private var current: Int64?
  /// The transaction of the last change before that has one.
  private var lastOwner: Int64?
  private var usedTransactionCount: Int64 = 0
  /// Whether changes of transactions were found that ``current`` had passed.
  private var isOutOfOrder = false

  init(
    _ snapshot: StoreSnapshot, findings: FindingLog<StoreFindingKind>, facts: StoreFacts
  ) throws {
    self.snapshot = snapshot
    self.findings = findings
    self.facts = facts
    changes = try snapshot.everyChange()
    transactions = try snapshot.transactionPositions(from: .min)
    lookup = try snapshot.transactionLookup()
    // A model that cannot be read is another finding.
    schema = (try? HistorySchema(snapshot)) ?? HistorySchema(namesOf: snapshot.entities)
    highestIssued = snapshot.entities.highestNumber(of: .change)
    current = try transactions.next()?.number
  }

  func run(_ progress: (Int64) -> Void) throws {
    var last: Int64?
    while try changes.next() {
      // Damaged pages may form a circle.
      if let last, changes.number <= last {
        findings.add(
          .damagedPages, at: .table("ACHANGE"), "row \(changes.number) follows row \(last)")
        return
      }
      last = changes.number
      facts.changeCount += 1
      if facts.changeCount % Self.stride == 0 { progress(facts.changeCount) }
      try inspectOwner()
      inspectChange()
    }
    facts.emptyTransactionCount =
      isOutOfOrder
      ? try snapshot.transactionCountWithoutChanges()
      : max(0, facts.transactionCount - usedTransactionCount)
    let missing = MissingChanges(
      transactionCount: facts.transactionCount, changeCount: facts.changeCount,
      highestIssued: highestIssued)
    if let missing { findings.add(.missingChanges, at: .table("ACHANGE"), missing.text) }
    if facts.changeCount > 0, changes.number > highestIssued {
      findings.addTornCounter(of: "CHANGE", issued: highestIssued, present: changes.number)
    }
    for (name, issued, present) in tornCounters {
      findings.addTornCounter(of: name, issued: issued, present: present)
    }
  }

  private var place: FindingPlace { .change(changes.number, transaction: changes.transaction) }

  // MARK: - Its transaction

  private func inspectOwner() throws {
    guard let owner = changes.transaction else {
      findings.add(.orphanChange, at: place, "it names no transaction")
      return
    }
    if owner == lastOwner { return }
    if let lastOwner, owner < lastOwner {
      findings.add(
        .changesOutOfOrder, at: place, "a change before it belongs to transaction \(lastOwner)")
    }
    if try exists(owner) { lastOwner = owner } else { addOrphan(owner) }
  }

  private func exists(_ owner: Int64) throws -> Bool {
    while let number = current, number < owner { current = try transactions.next()?.number }
    if current == owner {
      usedTransactionCount += 1
      return true
    }
    guard try lookup.contains(owner) else { return false }
    isOutOfOrder = true
    return true
  }

  private func addOrphan(_ owner: Int64) {
    findings.add(.orphanChange, at: place, "there is no transaction \(owner)")
  }

  // MARK: - The change itself

  private func inspectChange() {
    if let detail = RowDamage.ofObject(
      entity: changes.entityNumber, primaryKey: changes.primaryKey)
    {
      findings.add(.missingObject, at: place, detail)
    }
    guard let number = changes.entityNumber, let key = changes.primaryKey, key > 0 else {
      return inspectRest(nil)
    }
    let entity = entity(number)
    if !entity.isListed {
      findings.add(.unknownEntity, at: place, "its entity has the number \(number)")
    }
    entity.note(key)
    inspectRest(entity)
  }

  private func inspectRest(_ entity: Entity?) {
    switch changes.kind {
    case .update:
      if let mask = changes.mask {
        if let count = entity?.slotCount, !mask.fits(slotCount: count) {
          findings.add(
            .misfittingMask, at: place,
            "it has \(mask.byteCount) bytes for the \(count) slots of \(entity?.name ?? "")")
        }
      } else if let detail = RowDamage.ofMask(changes.mask, .update) {
        findings.add(.missingMask, at: place, detail)
      }
    case .insert, .delete:
      if let mask = changes.mask {
        findings.add(.unexpectedMask, at: place, "it has \(mask.byteCount) bytes")
      }
    case nil:
      if let detail = RowDamage.ofKind(nil) { findings.add(.unknownKind, at: place, detail) }
    }
    guard !changes.isPlain else { return }
    inspectTombstone(entity)
    for extra in changes.extra where !Self.isReported(extra.column) {
      findings.add(.unexpectedValue, at: place, "\(extra.column) holds \(extra.value.kindName)")
    }
  }

  /// Whether a column has a finding of its own.
  private static func isReported(_ column: String) -> Bool {
    ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK"].contains(column)
  }

  private func inspectTombstone(_ entity: Entity?) {
    let tombstone = changes.tombstone
    guard !tombstone.isEmpty else { return }
    guard changes.kind == .delete else {
      if changes.kind != nil {
        findings.add(.unexpectedTombstone, at: place, "it has \(tombstone.count) values")
      }
      return
    }
    guard let attributes = entity?.tombstoneAttributes else { return }
    for (slot, value) in tombstone.enumerated() where !value.isNull {
      if slot >= attributes.count {
        findings.add(
          .misfittingTombstone, at: place,
          "ZTOMBSTONE\(slot) holds \(value.kindName), and \(entity?.name ?? "") has "
            + "\(attributes.count) preserved attributes")
      } else if !attributes[slot].type.fits(tombstone: value) {
        findings.add(
          .misfittingTombstone, at: place,
          "ZTOMBSTONE\(slot) holds \(value.kindName), and the type of \(attributes[slot].name) is "
            + attributes[slot].type.name)
      }
    }
  }

  // MARK: - Entities

  private final class Entity {
    /// The name, or the number of an entity without one.
    let name: String
    /// Whether the store lists it.
    let isListed: Bool
    /// The number of slots in its masks, or `nil` without a model.
    let slotCount: Int?
    /// The attributes that its objects leave behind, or `nil` without a model.
    let tombstoneAttributes: [ManagedAttribute]?
    fileprivate let number: Int64
    fileprivate var highestKey: Int64 = 0

    fileprivate init(_ number: Int64, _ snapshot: StoreSnapshot, _ schema: HistorySchema) {
      let entity = schema.entity(number: number)
      self.number = number
      name = entity.label
      isListed = snapshot.entities.entries.contains { $0.number == number }
      slotCount = entity.slots?.slots.count
      tombstoneAttributes = entity.slots?.tombstoneAttributes
    }

    func note(_ key: Int64) { if key > highestKey { highestKey = key } }
  }

  /// The maximum number of entities to remember; a hostile store may name any number.
  private static let maxEntities = 4096

  private func entity(_ number: Int64) -> Entity {
    if let lastEntity, lastEntity.number == number { return lastEntity }
    let entity = entities[number] ?? Entity(number, snapshot, schema)
    if entities.count < Self.maxEntities { entities[number] = entity }
    lastEntity = entity
    return entity
  }

  /// The entity hierarchies with objects whose keys are higher than any issued.
  private var tornCounters: [(name: String, issued: Int64, present: Int64)] {
    var present: [Int64: Int64] = [:]
    for entity in entities.values {
      guard let root = snapshot.entities.root(of: entity.number) else { continue }
      present[root] = max(present[root] ?? 0, entity.highestKey)
    }
    return present.sorted { $0.key < $1.key }.compactMap { root, key in
      guard let issued = snapshot.entities.highestPrimaryKey(of: root), key > issued else {
        return nil
      }
      return (snapshot.entities.name(of: root) ?? "#\(root)", issued, key)
    }
  }
}
