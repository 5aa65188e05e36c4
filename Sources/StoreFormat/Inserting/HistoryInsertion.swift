/// What a store must look like for older history to be put before its own.
///
/// It is worked out from a snapshot; ``HistoryInserter`` finds out under the lock whether it still
/// holds.
public struct HistoryInsertion: Sendable {
  /// What the rows mean.
  public let shape: StoreShape
  /// The columns of the history tables.
  public let tables: HistoryTables
  /// The oldest transaction; nil where there is none.
  public let oldest: TransactionPosition?
  /// Whether changes may be there already, without the transactions that they belong to.
  public let hasLooseChanges: Bool
  /// Numbers that transactions name as those of texts, and that are no text's.
  public let danglingTextNumbers: Set<Int64>

  /// A description of a store.
  public init(
    shape: StoreShape, tables: HistoryTables, oldest: TransactionPosition?, hasLooseChanges: Bool,
    danglingTextNumbers: Set<Int64> = []
  ) {
    self.shape = shape
    self.tables = tables
    self.oldest = oldest
    self.hasLooseChanges = hasLooseChanges
    self.danglingTextNumbers = danglingTextNumbers
  }

  /// A part of a transaction that is to be inserted.
  public struct Piece: Sendable {
    /// The most changes that a piece should have.
    public static let size = 512
    /// The length of the values, in bytes, with which a piece should end.
    public static let valueLength = 1 << 20

    /// The number of the transaction.
    public let transaction: Int64
    /// Some of its changes, in recorded order.
    public let changes: [RecordedChange]
    /// The transaction's own row, with its last changes.
    public let row: RecordedTransaction?
    /// The old and new values of its changes that were recorded, and are to be again.
    public let values: [RecordedValueRow]

    /// A piece.
    public init(
      transaction: Int64, changes: [RecordedChange], row: RecordedTransaction?,
      values: [RecordedValueRow] = []
    ) {
      self.transaction = transaction
      self.changes = changes
      self.row = row
      self.values = values
    }
  }
}

/// How much of a history was inserted.
public struct InsertedHistory: Hashable, Sendable {
  /// How many transactions.
  public let transactionCount: Int
  /// How many changes.
  public let changeCount: Int

  /// So many.
  public init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}

/// What became of an insertion.
public struct InsertionResult: Sendable {
  /// That of an insertion of nothing.
  public static let nothing = InsertionResult()

  /// What was inserted, for good.
  public internal(set) var inserted = InsertedHistory(transactionCount: 0, changeCount: 0)
  /// The longest time for which the write lock was held, in seconds.
  public internal(set) var longestLock = 0.0
  /// In how many batches.
  public internal(set) var batchCount = 0
  /// What stopped it, a ``StoreWriteError`` as a rule; nil where all is inserted.
  public internal(set) var problem: (any Error)?
}
