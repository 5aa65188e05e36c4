import StoreEditing
import StoreFormat
import StoreTransactions

/// Reads everything that is to be restored, and finds out whether it can be.
///
/// Reading sealed history may take long, and a snapshot of the store keeps its log from being
/// checkpointed. So each question to the store takes a snapshot of its own.
final class RestoreSurvey {
  /// How far back to restore.
  enum End: Hashable {
    case oldestSealed
    /// To the transaction of this number.
    case number(Int64)
    /// To the lowest number of a transaction saved at this moment or later.
    case moment(StoreTimestamp)
  }

  /// What is to be restored.
  struct Taken {
    var first: TransactionPosition?
    var last: TransactionPosition?
    var transactionCount = 0
    var changeCount = 0
    var highestChange: Int64?
    var translatedEntities: Set<String> = []
    /// The texts of transactions, without long ones.
    var texts: Set<RecordedText> = []
    /// The digests of long texts, and the number of those that the store does not have.
    var longTexts: Set<[UInt8]> = []
    var missingLongTextCount = 0
    var danglingTextNumbers: Set<Int64> = []
  }

  /// The length of a text, in bytes, above which only its digest is kept.
  private static let longText = 4096
  /// The maximum number of texts that are checked in advance.
  private static let maxTexts = 65_536

  let schema: HistorySchema
  let isModelKnown: Bool
  private(set) var taken = Taken()
  /// The store's oldest transaction, if it lacks changes.
  private(set) var completed: TransactionPosition?

  private let store: StoreFile
  private let path: String
  private let oldest: TransactionPosition?
  private let highestIssued: Int64
  private let hasLooseChanges: Bool
  private let tables: HistoryTables
  private let progress: (Int) -> Void
  private var checkedCount = 0
  /// The numbers of changes that were not looked up in the store yet, and of their transactions.
  private var pending: [(change: Int64, transaction: Int64)] = []
  /// The number of changes that are looked up together.
  private static let batchSize = 1 << 14

  /// - Parameters:
  ///   - oldest: The store's oldest transaction.
  ///   - highestIssued: The highest transaction number that the store ever used.
  ///   - progress: Receives the number of changes checked so far, now and then.
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
    tables = insertion.tables
  }

  /// Begins to walk through sealed history.
  private func walk(_ sealed: any ArchivedHistory, through newest: Int64) throws -> RestoreWalk {
    try RestoreWalk(
      sealed, through: newest, oldest: oldest, schema: schema, isModelKnown: isModelKnown,
      tables: tables, path: path)
  }

  /// Reads the sealed history.
  ///
  /// - Parameters:
  ///   - newest: The newest transaction to read.
  ///   - end: How far back to read.
  func make(of sealed: any ArchivedHistory, through newest: Int64, until end: End) throws {
    if case .number(let number) = end, let oldest, number >= oldest.number, number != 0 {
      return try complete(oldest, from: sealed)
    }
    let walk = try walk(sealed, through: newest)
    var current = taken
    var obstacle: RestoreObstacle?
    var oldestSealed: Int64?
    let lowest: Int64 =
      if case .moment(let moment) = end {
        try sealed.firstTransaction(notBefore: moment)?.number ?? .max
      } else {
        .min
      }
    while let transaction = try walk.nextTransaction() {
      if oldestSealed == nil {
        oldestSealed = transaction.number
        if try isOldest(transaction, walk, sealed) {
          current = taken
          continue
        }
      }
      if case .number(let number) = end, number != 0, transaction.number < number { break }
      if transaction.number < lowest { break }
      oldestSealed = transaction.number
      if obstacle == nil {
        do {
          try add(transaction, walk, to: &current)
          if pending.count >= Self.batchSize { try lookUpPending() }
        } catch let error as RestoreObstacle {
          // A transaction before the moment need not fit.
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
      try lookUpPending()
    } catch let error as RestoreObstacle {
      guard case .moment = end, !isTaken(error.transaction) else { throw error }
    }
    if case .number(let number) = end, number != 0, taken.first?.number != number {
      throw RestoreObstacle.notSealed(path: path, wanted: number, oldestSealed: oldestSealed)
    }
  }

  /// Reads the changes that the oldest transaction of the store lacks.
  private func complete(
    _ oldest: TransactionPosition, from sealed: any ArchivedHistory
  ) throws {
    let walk = try walk(sealed, through: oldest.number)
    if let transaction = try walk.nextTransaction(), transaction.number == oldest.number {
      _ = try isOldest(transaction, walk, sealed)
    }
  }

  /// Returns how many texts the store does not have.
  func missingTextCount(in snapshot: StoreSnapshot) throws -> Int {
    try snapshot.missingTextCount(among: taken.texts) + taken.missingLongTextCount
  }

  // MARK: - The newest sealed transaction

  /// Checks that the newest sealed transaction joins the store's history, and returns whether it is the
  /// store's oldest.
  private func isOldest(
    _ transaction: HistoryTransaction, _ walk: RestoreWalk, _ sealed: any ArchivedHistory
  ) throws -> Bool {
    guard let oldest else {
      guard transaction.number <= highestIssued else {
        throw RestoreObstacle.diverged(
          path: path, transaction: transaction.number,
          detail: "the highest number that this copy ever used is \(highestIssued)")
      }
      guard transaction.number == highestIssued else { throw gap(transaction.number) }
      return false
    }
    guard transaction.number == oldest.number else {
      let successor = try sealed.successor(of: transaction.number)
      switch HistoryContinuation(last: transaction.number, successor: successor, oldest: oldest) {
      case .joined: return false
      case .gap: throw gap(transaction.number)
      case .diverged(let number):
        throw RestoreObstacle.diverged(
          path: path, transaction: number,
          detail: "after \(transaction.number) came transaction \(successor?.number ?? number) of "
            + "\(StoreTimestamp.text(successor?.timestamp)) there, and here comes \(number) of "
            + StoreTimestamp.text(oldest.timestamp))
      }
    }
    guard transaction.timestamp == oldest.timestamp else {
      throw RestoreObstacle.diverged(
        path: path, transaction: transaction.number,
        detail: "it was saved at \(StoreTimestamp.text(transaction.timestamp)) there, and at "
          + "\(StoreTimestamp.text(oldest.timestamp)) here")
    }
    let missing = try missingChanges(of: transaction, walk).missing
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

  // MARK: - One transaction

  private func add(
    _ transaction: HistoryTransaction, _ walk: RestoreWalk, to taken: inout Taken
  ) throws {
    let row = try walk.row(of: transaction)
    let count =
      hasLooseChanges
      ? try missingChanges(of: transaction, walk) : try newChanges(of: transaction, walk)
    taken.first = row.position
    if taken.last == nil { taken.last = row.position }
    taken.transactionCount += 1
    taken.changeCount += count.missing
    if let highest = count.highest {
      taken.highestChange = max(taken.highestChange ?? highest, highest)
    }
    taken.translatedEntities = walk.translatedEntities
    for text in row.internedTexts where taken.texts.count + taken.longTexts.count < Self.maxTexts {
      if text.string.utf8.count <= Self.longText {
        taken.texts.insert(text)
      } else if taken.longTexts.insert(text.digest).inserted {
        taken.missingLongTextCount += try store.read { try $0.missingTextCount(among: [text]) }
      }
    }
    taken.danglingTextNumbers.formUnion(row.danglingTextNumbers)
  }

  private struct ChangeCount {
    /// The number of changes that the store does not have.
    var missing = 0
    /// The highest number of a change.
    var highest: Int64?

    mutating func note(_ change: HistoryChange) {
      highest = max(highest ?? change.number, change.number)
    }
  }

  /// Checks the changes of a transaction of which the store has none.
  private func newChanges(
    of transaction: HistoryTransaction, _ walk: RestoreWalk
  ) throws -> ChangeCount {
    var count = ChangeCount()
    while let change = try walk.nextChange() {
      noteProgress()
      _ = try walk.row(of: change)
      count.note(change)
      count.missing += 1
      // A transaction may have millions of changes.
      if pending.count >= Self.batchSize * 4 { try lookUpPending() }
      pending.append((change.number, transaction.number))
    }
    return count
  }

  /// Throws an error if the store uses a number of the pending changes for another change; that of the
  /// newest transaction first.
  private func lookUpPending() throws {
    let numbers = pending.map(\.change)
    guard let lowest = numbers.min(), let highest = numbers.max() else { return }
    let batch = pending
    pending.removeAll(keepingCapacity: true)
    let found = try store.read { snapshot -> (change: Int64, transaction: Int64)? in
      // Few numbers of a range are in use, if any, so the range is looked up first.
      guard try snapshot.hasChange(numbered: lowest...highest) else { return nil }
      return try batch.first { try snapshot.hasChange(numbered: $0.change...$0.change) }
    }
    if let found { throw clash(of: found.change, in: found.transaction) }
  }

  /// Whether a transaction is among those to restore.
  private func isTaken(_ transaction: Int64?) -> Bool {
    guard let transaction, let first = taken.first?.number else { return false }
    return transaction >= first
  }

  /// Checks the changes of a transaction of which the store may have some.
  private func missingChanges(
    of transaction: HistoryTransaction, _ walk: RestoreWalk
  ) throws -> ChangeCount {
    var count = ChangeCount()
    var presentCount = 0
    var storedCount = 0
    var piece: [HistoryChange] = []
    var isAtEnd = false
    repeat {
      piece.removeAll(keepingCapacity: true)
      var byteCount = 0
      while piece.count < HistoryInsertion.Piece.size,
        byteCount < HistoryInsertion.Piece.maxByteCount
      {
        guard let change = try walk.nextChange() else {
          isAtEnd = true
          break
        }
        noteProgress()
        byteCount += Int(clamping: change.recordByteCount)
        piece.append(change)
      }
      try store.read { snapshot in
        for change in piece {
          count.note(change)
          if let (owner, present) = try snapshot.presentChange(numbered: change.number) {
            guard owner == transaction.number else {
              throw clash(of: change.number, in: transaction.number)
            }
            try check(present, is: change, of: transaction.number)
            presentCount += 1
          } else if try walk.row(of: change) != nil {
            // The store's oldest transaction lost the changes of an entity with the entity.
            count.missing += 1
          }
        }
        // With the last piece only: a transaction may have millions of changes.
        if isAtEnd {
          storedCount = try snapshot.changeCount(ofTransaction: transaction.number)
        }
      }
    } while !isAtEnd
    guard presentCount == storedCount else {
      throw RestoreObstacle.diverged(
        path: path, transaction: transaction.number,
        detail: "it has changes here that are not sealed")
    }
    return count
  }

  /// Throws an error unless a change of the store is the sealed one.
  private func check(
    _ present: RecordedChange, is change: HistoryChange, of transaction: Int64
  ) throws(RestoreObstacle) {
    guard present.kind == change.kind, present.primaryKey == change.primaryKey,
      isSameEntity(present, change)
    else {
      throw .diverged(
        path: path, transaction: transaction,
        detail: "its change \(change.number) differs here")
    }
  }

  /// Whether a change of the store may have the same entity as a sealed one. A number without a name may
  /// be any entity.
  private func isSameEntity(_ present: RecordedChange, _ change: HistoryChange) -> Bool {
    guard let number = present.entityNumber else { return change.entity == nil }
    guard let name = schema.entity(number: number).name else { return true }
    return change.entity?.name == name
  }

  private func clash(of change: Int64, in transaction: Int64) -> RestoreObstacle {
    .diverged(
      path: path, transaction: transaction,
      detail: "the number of its change \(change) is used by another change here")
  }

  private func noteProgress() {
    checkedCount += 1
    if checkedCount % 1024 == 0 { progress(checkedCount) }
  }
}
