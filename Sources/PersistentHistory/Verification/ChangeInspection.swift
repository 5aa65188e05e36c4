import StoreFormat

/// Looks at every row of `ACHANGE`, in the order of the numbers, and finds its transaction.
///
/// As the frameworks write them the rows lie in the order of their transactions, so both tables are
/// gone through side by side; only what lies elsewhere is looked up.
final class ChangeInspection {
  private(set) var findings: FindingLog<StoreFindingKind>
  private(set) var facts: StoreFacts

  private let changes: ChangeCursor
  private let transactions: TransactionPositionCursor
  private let lookup: TransactionLookup
  private var entities: EntityExpectations
  private let highestIssued: Int64
  /// How many changes are looked at between two words on progress.
  private static let stride: Int64 = 1 << 14

  /// The transaction that the walk stands at; `nil` after the last one.
  private var current: Int64?
  /// The transaction of the change before.
  private var lastOwner: Int64?
  private var usedTransactionCount: Int64 = 0

  init(
    _ snapshot: StoreSnapshot, findings: FindingLog<StoreFindingKind>, facts: StoreFacts
  ) throws {
    self.findings = findings
    self.facts = facts
    changes = try snapshot.everyChange()
    transactions = try snapshot.transactionPositions(from: .min)
    lookup = try snapshot.transactionLookup()
    entities = EntityExpectations(snapshot)
    highestIssued = snapshot.entities.highestNumber(of: .change)
    current = try transactions.next()?.number
  }

  func run(_ progress: (Int64) -> Void) throws {
    var last: Int64?
    while try changes.next() {
      // Damaged pages may be gone through in circles.
      if let last, changes.number <= last {
        findings.add(
          .damagedPages, at: .table("ACHANGE"), "row \(changes.number) stands behind row \(last)")
        return
      }
      last = changes.number
      facts.changeCount += 1
      if facts.changeCount % Self.stride == 0 { progress(facts.changeCount) }
      try inspectOwner()
      inspectChange()
    }
    facts.emptyTransactionCount = max(0, facts.transactionCount - usedTransactionCount)
    if facts.changeCount > 0, changes.number > highestIssued {
      findings.addTornCounter(of: "CHANGE", issued: highestIssued, present: changes.number)
    }
    for (name, issued, present) in entities.tornCounters {
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
        .changesOutOfOrder, at: place, "the change before it is of transaction \(lastOwner)")
      if try !lookup.contains(owner) { addOrphan(owner) }
      return
    }
    while let number = current, number < owner { current = try transactions.next()?.number }
    if current == owner {
      usedTransactionCount += 1
      lastOwner = owner
    } else {
      addOrphan(owner)
    }
  }

  private func addOrphan(_ owner: Int64) {
    findings.add(.orphanChange, at: place, "there is no transaction \(owner)")
  }

  // MARK: - The change itself

  private func inspectChange() {
    guard let number = changes.entityNumber, let key = changes.primaryKey, key > 0 else {
      findings.add(
        .missingObject, at: place,
        changes.entityNumber == nil ? "it names no entity" : "it names no primary key above 0")
      return inspectRest(nil)
    }
    let entity = entities.entity(number)
    if !entity.isListed {
      findings.add(.unknownEntity, at: place, "its entity has the number \(number)")
    }
    entity.note(key)
    inspectRest(entity)
  }

  private func inspectRest(_ entity: EntityExpectations.Entity?) {
    switch changes.kind {
    case .update:
      if let mask = changes.mask {
        if let count = entity?.slotCount, !mask.fits(slotCount: count) {
          findings.add(
            .misfittingMask, at: place,
            "it has \(mask.byteCount) bytes for the \(count) slots of \(entity?.name ?? "")")
        }
      } else {
        findings.add(.missingMask, at: place, "the column ZCOLUMNS holds no bytes")
      }
    case .insert, .delete:
      if let mask = changes.mask {
        findings.add(.unexpectedMask, at: place, "it has \(mask.byteCount) bytes")
      }
    case nil: findings.add(.unknownKind, at: place, "the column ZCHANGETYPE holds no 0, 1 or 2")
    }
    guard !changes.isPlain else { return }
    inspectTombstone(entity)
    for extra in changes.extra where !Self.isTold(extra.column) {
      findings.add(.unexpectedValue, at: place, "\(extra.column) holds \(extra.value.kindName)")
    }
  }

  /// Whether a finding of its own tells of a column.
  private static func isTold(_ column: String) -> Bool {
    ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK"].contains(column)
  }

  private func inspectTombstone(_ entity: EntityExpectations.Entity?) {
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
          "ZTOMBSTONE\(slot) holds \(value.kindName), and \(entity?.name ?? "") leaves "
            + "\(attributes.count) values behind")
      } else if !attributes[slot].type.fits(tombstone: value) {
        findings.add(
          .misfittingTombstone, at: place,
          "ZTOMBSTONE\(slot) holds \(value.kindName), and \(attributes[slot].name) is of type "
            + attributes[slot].type.name)
      }
    }
  }
}
