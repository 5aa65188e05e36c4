import StoreFormat

/// Looks at everything that is to be put back into a store, and finds out whether it can be.
final class RestoreSurvey {
  /// How far back to go.
  enum End: Hashable {
    /// As far as history is sealed.
    case oldestSealed
    /// To the transaction of this number.
    case number(Int64)
    /// To the lowest number of a transaction that was saved at this moment or later.
    case moment(StoreTimestamp)
  }

  /// What is to be put back, from the newest transaction on.
  struct Taken {
    var first: TransactionPosition?
    var last: TransactionPosition?
    var transactionCount = 0
    var changeCount = 0
    var highestChange: Int64?
    var translatedEntities: Set<String> = []
    var texts: Set<RecordedText> = []
    var danglingTextNumbers: Set<Int64> = []
  }

  /// More texts than a store has that are of interest; those beyond are found out about later.
  private static let mostTexts = 65_536

  /// The entities of the store.
  let schema: HistorySchema
  /// Whether the store tells its model.
  let isModelKnown: Bool
  /// What is to be put back.
  private(set) var taken = Taken()
  /// The transaction of the store that lacks changes.
  private(set) var completed: TransactionPosition?

  private let snapshot: StoreSnapshot
  private let path: String
  private let oldest: TransactionPosition?
  private let highestIssued: Int64
  private let hasLooseChanges: Bool
  private let translator: HistoryTranslator
  private let progress: (Int) -> Void
  private var lookedAt = 0

  /// - Parameters:
  ///   - snapshot: The store.
  ///   - oldest: Its oldest transaction.
  ///   - highestIssued: The highest transaction number that it ever issued.
  ///   - progress: Is told now and then how many changes have been looked at.
  init(
    snapshot: StoreSnapshot, oldest: TransactionPosition?, highestIssued: Int64,
    progress: @escaping (Int) -> Void
  ) throws {
    self.snapshot = snapshot
    self.oldest = oldest
    self.highestIssued = highestIssued
    self.progress = progress
    path = snapshot.location.path
    schema = try HistorySchema(snapshot)
    isModelKnown = try snapshot.modelCache().model != nil
    let insertion = try snapshot.insertion()
    hasLooseChanges = insertion.hasLooseChanges
    translator = HistoryTranslator(
      schema: schema, isModelKnown: isModelKnown, tables: insertion.tables, path: path)
  }

  /// Goes through what is sealed.
  ///
  /// - Parameters:
  ///   - sealed: Where it is kept.
  ///   - newest: The newest transaction that is of interest.
  ///   - end: How far back to go.
  /// - Throws: ``RestoreObstacle``, or what the reading throws.
  func make(of sealed: any RestorableHistory, through newest: Int64, until end: End) throws {
    if case .number(let number) = end, let oldest, number >= oldest.number, number != 0 {
      // The token works as it is; only what is missing of the oldest transaction is looked for.
      try surveyOldest(of: sealed.transactions(through: oldest.number))
      return
    }
    let reader = try sealed.transactions(through: newest)
    var current = taken
    var obstacle: RestoreObstacle?
    var oldestSealed: Int64?
    var previous: Int64?
    var isFirst = true
    let lowest: Int64 =
      if case .moment(let moment) = end { try sealed.lowestNumber(notBefore: moment) } else { .min }
    while let transaction = try reader.nextTransaction() {
      if let previous, transaction.number >= previous {
        throw RestoreObstacle.disorder(transaction: transaction.number)
      }
      previous = transaction.number
      if isFirst {
        isFirst = false
        oldestSealed = transaction.number
        if try isOldest(transaction, reader) {
          current = taken
          continue
        }
      }
      if case .number(let number) = end, number != 0, transaction.number < number { break }
      if transaction.number < lowest { break }
      oldestSealed = transaction.number
      if obstacle == nil {
        do {
          try add(transaction, reader, to: &current)
        } catch let error as RestoreObstacle {
          // What is not wanted after all need not fit.
          guard case .moment = end else { throw error }
          obstacle = error
        }
      }
      if case .moment(let moment) = end {
        guard let timestamp = transaction.timestamp, timestamp >= moment else { continue }
        if let obstacle { throw obstacle }
      }
      taken = current
    }
    if case .number(let number) = end, number != 0, taken.first?.number != number {
      throw RestoreObstacle.notSealed(path: path, wanted: number, oldestSealed: oldestSealed)
    }
  }

  // MARK: - Where the sealed history meets the store

  /// Looks at the newest sealed transaction that is of interest; whether it is the store's oldest.
  private func isOldest(
    _ transaction: HistoryTransaction, _ reader: any SealedTransactionReader
  ) throws -> Bool {
    guard let oldest else {
      guard transaction.number <= highestIssued else {
        throw RestoreObstacle.diverged(
          path: path, transaction: transaction.number,
          detail: "the highest number that this copy ever issued is \(highestIssued)")
      }
      guard transaction.number == highestIssued else { throw gap(transaction.number) }
      return false
    }
    guard transaction.number == oldest.number else {
      guard transaction.number == oldest.number - 1 else { throw gap(transaction.number) }
      return false
    }
    guard transaction.timestamp == oldest.timestamp else {
      throw RestoreObstacle.diverged(
        path: path, transaction: transaction.number,
        detail: "it was saved at \(StoreTimestamp.text(transaction.timestamp)) there, and at "
          + "\(StoreTimestamp.text(oldest.timestamp)) here")
    }
    let missing = try missingChanges(of: transaction, reader).missing
    if missing > 0 {
      completed = oldest
      taken.changeCount += missing
    }
    return true
  }

  private func gap(_ sealed: Int64) -> RestoreObstacle {
    .gap(
      path: path, newestSealed: sealed, oldest: oldest?.number, newestIssued: highestIssued)
  }

  private func surveyOldest(of reader: any SealedTransactionReader) throws {
    guard let transaction = try reader.nextTransaction(), transaction.number == oldest?.number
    else {
      return
    }
    _ = try isOldest(transaction, reader)
  }

  // MARK: - One transaction

  private func add(
    _ transaction: HistoryTransaction, _ reader: any SealedTransactionReader,
    to taken: inout Taken
  ) throws {
    let row = try translator.row(of: transaction)
    let count =
      hasLooseChanges
      ? try missingChanges(of: transaction, reader) : try newChanges(of: transaction, reader)
    taken.first = row.position
    if taken.last == nil { taken.last = row.position }
    taken.transactionCount += 1
    taken.changeCount += count.missing
    if let highest = count.highest {
      taken.highestChange = max(taken.highestChange ?? highest, highest)
    }
    taken.translatedEntities = translator.translatedEntities
    if taken.texts.count < Self.mostTexts { taken.texts.formUnion(row.internedTexts) }
    taken.danglingTextNumbers.formUnion(row.danglingTextNumbers)
  }

  /// What was seen of the changes of a transaction.
  private struct ChangeCount {
    /// How many of them the store does not have.
    var missing = 0
    /// The highest of their numbers.
    var highest: Int64?

    mutating func note(_ change: HistoryChange) {
      highest = max(highest ?? change.number, change.number)
    }
  }

  /// Looks at the changes of a transaction of which the store has none.
  private func newChanges(
    of transaction: HistoryTransaction, _ reader: any SealedTransactionReader
  ) throws -> ChangeCount {
    var count = ChangeCount()
    // Numbers that are in use are few or none, so that the range is asked about first.
    var numbers: [Int64] = []
    func settle() throws {
      guard let least = numbers.min(), let most = numbers.max() else { return }
      if try snapshot.hasChange(numbered: least...most) {
        for number in numbers where try snapshot.hasChange(numbered: number...number) {
          throw clash(of: number, in: transaction.number)
        }
      }
      numbers.removeAll(keepingCapacity: true)
    }
    while let change = try reader.nextChange() {
      noteProgress()
      _ = try translator.row(of: change, in: transaction.number)
      count.note(change)
      count.missing += 1
      numbers.append(change.number)
      if numbers.count >= HistoryInsertion.Piece.size { try settle() }
    }
    try settle()
    return count
  }

  /// Looks at the changes of a transaction of which the store may have some.
  private func missingChanges(
    of transaction: HistoryTransaction, _ reader: any SealedTransactionReader
  ) throws -> ChangeCount {
    var count = ChangeCount()
    var presentCount = 0
    let isOldest = transaction.number == oldest?.number
    while let change = try reader.nextChange() {
      noteProgress()
      count.note(change)
      if let present = try snapshot.presentChange(numbered: change.number) {
        guard present.transaction == transaction.number else {
          throw clash(of: change.number, in: transaction.number)
        }
        guard present.kind == change.kind, present.primaryKey == change.primaryKey,
          isSameEntity(present, change)
        else {
          throw RestoreObstacle.diverged(
            path: path, transaction: transaction.number,
            detail: "its change \(change.number) is another one here")
        }
        presentCount += 1
      } else if try translator.row(
        of: change, in: transaction.number, skipsGoneEntities: isOldest) != nil
      {
        // Of a transaction that is there, the changes of an entity that is gone went with the entity.
        count.missing += 1
      }
    }
    guard try presentCount == snapshot.changeCount(ofTransaction: transaction.number) else {
      throw RestoreObstacle.diverged(
        path: path, transaction: transaction.number,
        detail: "it has changes here that are not sealed")
    }
    return count
  }

  /// Whether a change here may be of the same entity as a sealed one; a number that has lost its name
  /// says nothing.
  private func isSameEntity(_ present: PresentChange, _ change: HistoryChange) -> Bool {
    guard let number = present.entityNumber else { return change.entity == nil }
    guard let name = schema.entity(number: number).name else { return true }
    return change.entity?.name == name
  }

  private func clash(of change: Int64, in transaction: Int64) -> RestoreObstacle {
    .diverged(
      path: path, transaction: transaction,
      detail: "the number of its change \(change) is that of another change here")
  }

  private func noteProgress() {
    lookedAt += 1
    if lookedAt % 1024 == 0 { progress(lookedAt) }
  }
}
