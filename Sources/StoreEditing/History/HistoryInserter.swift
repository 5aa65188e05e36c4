import GRDB
import StoreFormat
import StoreTransactions

/// Inserts older history before that of a store.
///
/// Rows get the numbers and values that they are given, so deleted rows come back as they were. Only
/// `ACHANGE` and `ATRANSACTION` are written, and `ATRANSACTIONSTRING` if the store has lost a text. No
/// trigger runs, and the highest issued numbers in `Z_PRIMARYKEY` stay.
///
/// Batches go from the newest transaction to the oldest, so that the history has no gap whatever ends
/// the work. A transaction exists as soon as its row does, together with all its changes; if it has
/// many, they are inserted first. Changes without their transaction are invisible to everything that
/// reads transactions. The next insertion continues with them, and a deletion removes them.
package final class HistoryInserter: Sendable {
  private let connection: BatchConnection

  /// Opens a store, as ``HistoryEraser/init(location:busyTimeout:ignoresDamage:)`` does.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws {
    connection = try BatchConnection(
      location: location, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
  }

  /// Inserts as many transactions as possible.
  ///
  /// - Parameters:
  ///   - insertion: The state that the store must have.
  ///   - next: Returns the next piece, or `nil` after the last one: transactions from the newest to the
  ///     oldest, the pieces of each in the order of its changes. The first may be the oldest transaction
  ///     of the store, of which only missing changes are then inserted. Called while the store is not
  ///     locked.
  ///   - recording: Writes the values of a piece beside the store. Called while the store is locked,
  ///     before the piece is inserted: values are erased under the same lock, so nobody mistakes these
  ///     for values of a deleted transaction.
  ///   - progress: Called after every batch.
  package func insert(
    _ insertion: HistoryInsertion, next: @escaping () throws -> HistoryInsertion.Piece?,
    recording: @escaping ([RecordedValueRow]) throws -> Void = { _ in },
    progress: (InsertedHistory) -> Void = { _ in }
  ) -> InsertionResult {
    let outcome = connection.run { database in
      let statement = StatementRunner(database)
      return InsertionWork(
        statement: statement,
        writer: HistoryRowWriter(statement: statement, tables: insertion.tables),
        insertion: insertion, next: next, recording: recording, path: connection.location.path,
        oldest: insertion.oldest)
    } progress: {
      progress($0.inserted)
    }
    return InsertionResult(
      inserted: outcome.work?.inserted ?? InsertionResult.nothing.inserted,
      longestLock: outcome.longestLock, batchCount: outcome.batchCount, problem: outcome.problem)
  }
}

/// The steps of an insertion: one for each piece.
private struct InsertionWork: BatchedWork {
  /// How much is read ahead while the store is not locked.
  private static let readAhead = (changes: 4096, pieces: 1024, byteCount: 1 << 20)

  let statement: StatementRunner
  let writer: HistoryRowWriter
  let insertion: HistoryInsertion
  let next: () throws -> HistoryInsertion.Piece?
  let recording: ([RecordedValueRow]) throws -> Void
  let path: String
  /// The oldest transaction that the store must have.
  var oldest: TransactionPosition?

  /// Pieces that have been read and are not inserted yet, the next one last. One that is inserted is released: it may
  /// be large.
  var pieces: [HistoryInsertion.Piece] = []
  var isAtEnd = false
  /// The first and the last change that were inserted of a transaction whose row is not there yet.
  var looseChanges: [(number: Int64, transaction: Int64)] = []
  /// SQLite's count of what others have saved, at the last check of the store.
  var checkedVersion: Int64?
  var transactions = 0
  var changes = 0

  var inserted: InsertedHistory {
    InsertedHistory(transactionCount: transactions, changeCount: changes)
  }

  var hasStep: Bool { !pieces.isEmpty }

  mutating func prepare() throws {
    // What cannot be prepared now is prepared when it is needed.
    try? writer.prepareChanges()
    var read: [HistoryInsertion.Piece] = []
    defer { pieces = read.reversed() + pieces }
    var count = pieces.reduce(0) { $0 + $1.changes.count }
    var byteCount = pieces.reduce(0) { $0 + $1.byteCount }
    while !isAtEnd, count < Self.readAhead.changes,
      pieces.count + read.count < Self.readAhead.pieces, byteCount < Self.readAhead.byteCount
    {
      guard let piece = try next() else {
        isAtEnd = true
        break
      }
      // Texts that cannot be looked for now are looked for when they are needed.
      if let row = piece.row { try? writer.findTexts(of: row) }
      read.append(piece)
      count += piece.changes.count
      byteCount += piece.byteCount
    }
  }

  mutating func takeStep() throws {
    guard let piece = pieces.last else { return }
    let exists = piece.transaction == oldest?.number
    guard exists || oldest.map({ piece.transaction < $0.number }) ?? true else {
      throw historyChanged("transaction \(piece.transaction) exists already")
    }
    let mayBeThere = exists || insertion.hasLooseChanges
    // As in a save: an interruption leaves values of a transaction that does not exist.
    if !piece.values.isEmpty { try recording(piece.values) }
    do {
      for change in piece.changes {
        if mayBeThere, try isPresent(change, of: piece.transaction) { continue }
        try writer.insert(CollectionOfOne(change), of: piece.transaction)
        changes += 1
      }
      if let row = piece.row, !exists {
        try insert(row)
        transactions += 1
        oldest = row.position
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      switch error.extendedResultCode {
      case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_ROWID:
        throw historyChanged(
          "a number of transaction \(piece.transaction) is taken: \(error.message ?? "")")
      default:
        throw StoreError.damaged(
          path: path, place: "the declaration of its history",
          detail: "it refuses transaction \(piece.transaction): \(error.message ?? "")")
      }
    }
    if piece.row == nil, !exists, let first = piece.changes.first, let last = piece.changes.last {
      looseChanges =
        [looseChanges.first ?? (first.number, piece.transaction)]
        + [(last.number, piece.transaction)]
    } else {
      looseChanges = []
    }
    pieces.removeLast()
  }

  private func insert(_ row: RecordedTransaction) throws {
    for number in row.danglingTextNumbers where insertion.tables.internsStrings {
      guard try !statement.hasText(numbered: number) else {
        throw historyChanged("there is now a text \(number), which must stay unknown")
      }
    }
    try writer.insert(row) {
      guard
        let number = try writer.freeTextNumbers(1, except: insertion.danglingTextNumbers).first
      else { throw StoreWriteError.numbersExhausted(table: "ATRANSACTIONSTRING") }
      return number
    }
  }

  /// Returns whether a change is there already; a different one with its number is an error.
  private func isPresent(_ change: RecordedChange, of transaction: Int64) throws -> Bool {
    let rows = try statement.rows(
      "SELECT ZTRANSACTIONID, ZENTITY, ZENTITYPK FROM ACHANGE WHERE Z_PK = ?1",
      [.integer(change.number)])
    guard let row = rows.first else { return false }
    let wanted: [StoredValue] = [
      .integer(transaction), change.entityNumber.map(StoredValue.integer) ?? row[1],
      change.primaryKey.map(StoredValue.integer) ?? row[2],
    ]
    guard row == wanted else {
      throw historyChanged("another change has the number \(change.number)")
    }
    return true
  }

  mutating func checkStore() throws {
    let version = try statement.integer("PRAGMA data_version")
    if checkedVersion == nil || version != checkedVersion {
      guard try StoreShape(statement) == insertion.shape else {
        throw historyChanged("it is another store, or its model has changed")
      }
      checkedVersion = version
    }
    let row = try statement.rows(
      "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK LIMIT 1"
    ).first
    guard row.flatMap(TransactionPosition.init(row:)) == oldest else {
      throw historyChanged(
        oldest.map { "transaction \($0.number) is no longer the oldest" }
          ?? "it is no longer empty")
    }
    for change in looseChanges {
      let owner = try statement.integer(
        "SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK = ?1", [.integer(change.number)])
      guard owner == change.transaction else {
        throw historyChanged("change \(change.number), which was restored before, is gone")
      }
    }
  }

  private func historyChanged(_ detail: String) -> StoreWriteError {
    .historyChanged(path: path, detail: detail)
  }
}
