import StoreEditing
import StoreFormat

/// Looks at everything that is to be put back into a store, and finds out whether it can be.
///
/// To read what is sealed may take long, and a snapshot of the store keeps its log from being
/// checkpointed. So the store is asked in between, each time in a snapshot of its own.
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

  private let store: StoreFile
  private let path: String
  private let oldest: TransactionPosition?
  private let highestIssued: Int64
  private let hasLooseChanges: Bool
  private let translator: HistoryTranslator
  private let progress: (Int) -> Void
  private var lookedAt = 0
  /// The numbers of changes of which the store was not asked yet, with those of their transactions.
  private var unasked: [(change: Int64, transaction: Int64)] = []
  /// So many of them are asked about at a time.
  private static let mostUnasked = 1 << 14

  /// - Parameters:
  ///   - store: The store.
  ///   - oldest: Its oldest transaction.
  ///   - highestIssued: The highest transaction number that it ever issued.
  ///   - progress: Is told now and then how many changes have been looked at.
  init(
    store: StoreFile, oldest: TransactionPosition?, highestIssued: Int64,
    progress: @escaping (Int) -> Void
  ) throws {
    self.store = store
    self.oldest = oldest
    self.highestIssued = highestIssued
    self.progress = progress
    path = store.location.path
    let insertion: HistoryInsertion
    (schema, isModelKnown, insertion) = try store.read { snapshot in
      (
        try HistorySchema(snapshot), try snapshot.modelCache().model != nil,
        try snapshot.insertion()
      )
    }
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
      try surveyOldest(of: sealed.transactions(through: oldest.number), sealed)
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
        if try isOldest(transaction, reader, sealed) {
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
          if unasked.count >= Self.mostUnasked { try settle() }
        } catch let error as RestoreObstacle {
          // What is not wanted after all need not fit.
          guard case .moment = end, !isTaken(error.transaction) else { throw error }
          obstacle = error
        }
      }
      if case .moment(let moment) = end {
        guard let timestamp = transaction.timestamp, timestamp >= moment else { continue }
        if let obstacle { throw obstacle }
      }
      taken = current
    }
    do {
      try settle()
    } catch let error as RestoreObstacle {
      guard case .moment = end, !isTaken(error.transaction) else { throw error }
    }
    if case .number(let number) = end, number != 0, taken.first?.number != number {
      throw RestoreObstacle.notSealed(path: path, wanted: number, oldestSealed: oldestSealed)
    }
  }

  // MARK: - Where the sealed history meets the store

  /// Looks at the newest sealed transaction that is of interest; whether it is the store's oldest.
  private func isOldest(
    _ transaction: HistoryTransaction, _ reader: any SealedTransactionReader,
    _ sealed: any RestorableHistory
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
      // Numbers before its successor were never given to a transaction.
      if let next = try sealed.successor(of: transaction.number), oldest.number <= next.number {
        guard next.mayBe(oldest) else {
          throw RestoreObstacle.diverged(
            path: path, transaction: oldest.number,
            detail: "behind \(transaction.number) came transaction \(next.number) of "
              + "\(StoreTimestamp.text(next.timestamp)) there, and here comes \(oldest.number) of "
              + StoreTimestamp.text(oldest.timestamp))
        }
        return false
      }
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

  private func surveyOldest(
    of reader: any SealedTransactionReader, _ sealed: any RestorableHistory
  ) throws {
    guard let transaction = try reader.nextTransaction(), transaction.number == oldest?.number
    else {
      return
    }
    _ = try isOldest(transaction, reader, sealed)
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
    while let change = try reader.nextChange() {
      noteProgress()
      _ = try translator.row(of: change, in: transaction.number)
      count.note(change)
      count.missing += 1
      // A transaction of millions of changes need not stay in memory.
      if unasked.count >= Self.mostUnasked * 4 { try settle() }
      unasked.append((change.number, transaction.number))
    }
    return count
  }

  /// Asks the store whether it has given other changes the numbers that were seen.
  ///
  /// Those of the transactions that were seen first are told of first.
  private func settle() throws {
    let numbers = unasked.map { $0.change }
    guard let least = numbers.min(), let most = numbers.max() else { return }
    let pending = unasked
    unasked.removeAll(keepingCapacity: true)
    let found = try store.read { snapshot -> (change: Int64, transaction: Int64)? in
      // Numbers that are in use are few or none, so that the range is asked about first.
      guard try snapshot.hasChange(numbered: least...most) else { return nil }
      return try pending.first { try snapshot.hasChange(numbered: $0.change...$0.change) }
    }
    if let found { throw clash(of: found.change, in: found.transaction) }
  }

  /// Whether a transaction is among those that are to be put back.
  private func isTaken(_ transaction: Int64?) -> Bool {
    guard let transaction, let first = taken.first?.number else { return false }
    return transaction >= first
  }

  /// Looks at the changes of a transaction of which the store may have some.
  private func missingChanges(
    of transaction: HistoryTransaction, _ reader: any SealedTransactionReader
  ) throws -> ChangeCount {
    var count = ChangeCount()
    var presentCount = 0
    var storedCount = 0
    let isOldest = transaction.number == oldest?.number
    var piece: [HistoryChange] = []
    repeat {
      piece.removeAll(keepingCapacity: true)
      while piece.count < HistoryInsertion.Piece.size, let change = try reader.nextChange() {
        noteProgress()
        piece.append(change)
      }
      try store.read { snapshot in
        for change in piece {
          count.note(change)
          if let present = try snapshot.presentChange(numbered: change.number) {
            try check(present, is: change, of: transaction.number)
            presentCount += 1
          } else if try translator.row(
            of: change, in: transaction.number, skipsGoneEntities: isOldest) != nil
          {
            // Of a transaction that is there, the changes of an entity that is gone went with the
            // entity.
            count.missing += 1
          }
        }
        storedCount = try snapshot.changeCount(ofTransaction: transaction.number)
      }
    } while piece.count == HistoryInsertion.Piece.size
    guard presentCount == storedCount else {
      throw RestoreObstacle.diverged(
        path: path, transaction: transaction.number,
        detail: "it has changes here that are not sealed")
    }
    return count
  }

  /// Sees that a change that is there is the sealed one.
  private func check(
    _ present: PresentChange, is change: HistoryChange, of transaction: Int64
  ) throws(RestoreObstacle) {
    guard present.transaction == transaction else {
      throw clash(of: change.number, in: transaction)
    }
    guard present.kind == change.kind, present.primaryKey == change.primaryKey,
      isSameEntity(present, change)
    else {
      throw .diverged(
        path: path, transaction: transaction,
        detail: "its change \(change.number) is another one here")
    }
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
