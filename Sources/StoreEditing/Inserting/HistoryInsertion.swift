import StoreFormat

/// What a store must look like for older history to be put before its own.
///
/// It is worked out from a snapshot; ``HistoryInserter`` finds out under the lock whether it still
/// holds.
package struct HistoryInsertion: Sendable {
  /// What the rows mean.
  package let shape: StoreShape
  /// The columns of the history tables.
  package let tables: HistoryTables
  /// The oldest transaction; nil where there is none.
  package let oldest: TransactionPosition?
  /// Whether changes may be there already, without the transactions that they belong to.
  package let hasLooseChanges: Bool
  /// Numbers that transactions name as those of texts, and that are no text's.
  package let danglingTextNumbers: Set<Int64>

  /// A description of a store.
  package init(
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
  package struct Piece: Sendable {
    /// The most changes that a piece should have.
    package static let size = 512
    /// The length of the values, in bytes, with which a piece should end.
    package static let valueLength = 1 << 20

    /// The number of the transaction.
    package let transaction: Int64
    /// Some of its changes, in recorded order.
    package let changes: [RecordedChange]
    /// The transaction's own row, with its last changes.
    package let row: RecordedTransaction?
    /// The old and new values of its changes that were recorded, and are to be again.
    package let values: [RecordedValueRow]

    /// A piece.
    package init(
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
package struct InsertedHistory: Hashable, Sendable {
  /// How many transactions.
  package let transactionCount: Int
  /// How many changes.
  package let changeCount: Int

  /// So many.
  package init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}

/// What became of an insertion.
package struct InsertionResult: Sendable {
  /// That of an insertion of nothing.
  package static let nothing = InsertionResult()

  /// What was inserted, for good.
  package internal(set) var inserted = InsertedHistory(transactionCount: 0, changeCount: 0)
  /// The longest time for which the write lock was held, in seconds.
  package internal(set) var longestLock = 0.0
  /// In how many batches.
  package internal(set) var batchCount = 0
  /// What stopped it, a ``StoreWriteError`` as a rule; nil where all is inserted.
  package internal(set) var problem: (any Error)?
}
