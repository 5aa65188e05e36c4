import GRDB
import StoreFormat

/// Takes the steps of an insertion.
struct InsertionWork: BatchedWork {
  /// How many changes are read ahead while the lock is free, and how many pieces, with how many bytes
  /// of values.
  private static let ahead = (changes: 4096, pieces: 1024, valueLength: 4 << 20)

  private let statement: StatementRunner
  private let writer: HistoryRowWriter
  private let insertion: HistoryInsertion
  private let next: () throws -> HistoryInsertion.Piece?
  private let recording: ([RecordedValueRow]) throws -> Void
  private let path: String

  /// Pieces that have been read, from ``head`` on not inserted yet.
  private var pieces: [HistoryInsertion.Piece] = []
  private var head = 0
  private var isAtEnd = false
  /// The oldest transaction as it must be.
  private var oldest: TransactionPosition?
  /// The first and the last change of a transaction that are there, while its row is not.
  private var looseChanges: [(number: Int64, transaction: Int64)] = []
  /// SQLite's count of what others have saved, when the store was last looked at.
  private var checkedVersion: Int64?
  private var transactions = 0
  private var changes = 0

  init(
    statement: StatementRunner, insertion: HistoryInsertion,
    next: @escaping () throws -> HistoryInsertion.Piece?,
    recording: @escaping ([RecordedValueRow]) throws -> Void, path: String
  ) {
    self.statement = statement
    self.insertion = insertion
    self.next = next
    self.recording = recording
    self.path = path
    oldest = insertion.oldest
    writer = HistoryRowWriter(
      statement: statement, tables: insertion.tables,
      danglingTextNumbers: insertion.danglingTextNumbers, path: path)
  }

  /// What has been inserted.
  var inserted: InsertedHistory {
    InsertedHistory(transactionCount: transactions, changeCount: changes)
  }

  var hasStep: Bool { head < pieces.count }

  mutating func prepare() throws {
    pieces.removeFirst(head)
    head = 0
    var count = pieces.reduce(0) { $0 + $1.changes.count }
    var length = pieces.reduce(0) { $0 + $1.valueLength }
    while !isAtEnd, count < Self.ahead.changes, pieces.count < Self.ahead.pieces,
      length < Self.ahead.valueLength
    {
      guard let piece = try next() else {
        isAtEnd = true
        break
      }
      pieces.append(piece)
      count += piece.changes.count
      length += piece.valueLength
    }
  }

  mutating func takeStep() throws {
    let piece = pieces[head]
    let isThere = piece.transaction == oldest?.number
    guard isThere || oldest.map({ piece.transaction < $0.number }) ?? true else {
      throw historyChanged("transaction \(piece.transaction) is there already")
    }
    let mayBeThere = isThere || insertion.hasLooseChanges
    // As in a save: what is interrupted leaves values of a transaction that is not there.
    if !piece.values.isEmpty { try recording(piece.values) }
    do {
      for change in piece.changes {
        if mayBeThere, try writer.isPresent(change, of: piece.transaction) { continue }
        try writer.insert(change, of: piece.transaction)
        changes += 1
      }
      if let row = piece.row, !isThere {
        try writer.insert(row)
        transactions += 1
        oldest = row.position
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw historyChanged(
        "a number of transaction \(piece.transaction) is taken by now: \(error.message ?? "")")
    }
    noteLooseChanges(of: piece, isThere: isThere)
    head += 1
  }

  private mutating func noteLooseChanges(of piece: HistoryInsertion.Piece, isThere: Bool) {
    guard piece.row == nil, !isThere, let first = piece.changes.first,
      let last = piece.changes.last
    else {
      looseChanges = []
      return
    }
    looseChanges =
      [looseChanges.first ?? (first.number, piece.transaction)]
      + [(last.number, piece.transaction)]
  }

  // MARK: - Others

  mutating func checkStore() throws {
    let version = try statement.integer("PRAGMA data_version")
    if checkedVersion == nil || version != checkedVersion {
      guard try StoreShape(statement) == insertion.shape else {
        throw historyChanged("it is another store by now, or its model is another one")
      }
      checkedVersion = version
    }
    let rows = try statement.rows(
      "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK LIMIT 1")
    guard Self.position(rows.first) == oldest else {
      throw historyChanged(
        oldest.map { "transaction \($0.number) is not the oldest any more" }
          ?? "it is not empty any more")
    }
    for change in looseChanges {
      let owner = try statement.integer(
        "SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK = ?1", [.integer(change.number)])
      guard owner == change.transaction else {
        throw historyChanged("change \(change.number), which had just been restored, is gone")
      }
    }
  }

  private static func position(_ row: [StoredValue]?) -> TransactionPosition? {
    guard let row, case .integer(let number) = row[0] else { return nil }
    var timestamp: StoreTimestamp?
    if case .real(let seconds) = row[1] {
      timestamp = StoreTimestamp(secondsSinceReferenceDate: seconds)
    }
    return TransactionPosition(number: number, timestamp: timestamp)
  }

  private func historyChanged(_ detail: String) -> StoreWriteError {
    .historyChanged(path: path, detail: detail)
  }
}

extension HistoryInsertion.Piece {
  fileprivate var valueLength: Int { values.reduce(0) { $0 + $1.value.byteCount } }
}
