import StoreFormat

/// A deletion of history: its steps, and what the store must hold for each step to be taken.
///
/// It is planned from a snapshot and carried out later by ``HistoryEraser``, which compares the counts
/// to find out whether the rows are still those that were planned for.
package struct HistoryDeletion: Hashable, Sendable {
  /// Rows that are deleted together.
  package enum Step: Hashable, Sendable {
    /// Transactions with their changes.
    case transactions(Transactions)
    /// The changes of one entity in a range of rows; their transactions stay.
    case changes(rows: ClosedRange<Int64>, count: Int)
  }

  /// The transactions of a step.
  package struct Transactions: Hashable, Sendable {
    /// The numbers that the changes of the step name. Earlier steps have deleted the lower ones, so that
    /// a change that such a step did not find is found by this one.
    package let numbers: ClosedRange<Int64>
    /// The number of transactions; 0 in a step of changes without their transaction.
    let count: Int
    package let changeCount: Int
    /// The row numbers among which the changes are; changes of other transactions may be there too.
    /// `nil` without changes.
    package let rows: ClosedRange<Int64>?
    /// Whether these rows are few. If not, the changes are looked up in the index by transaction.
    let hasFewRows: Bool

    /// The number of changes in each part in which the step is carried out: one part, unless it is a transaction
    /// with more changes than ``HistoryDeletion/stepSize(_:)`` or with large ones. The lowest numbers come first, and
    /// the last part has the transaction too.
    package let parts: [Int]
  }

  /// What to do with changes whose number is lower than that of the first transaction.
  package enum LooseChanges: Hashable, Sendable {
    /// They stay.
    case kept
    /// They are deleted if they can be what an interrupted insertion has left: the beginning of one
    /// transaction, whose last changes are missing. Otherwise they stay.
    case deletedIfUnfinished
    /// They are deleted.
    case deleted
  }

  let storeIdentifier: String?
  /// The layout of the history.
  let tables: HistoryTables
  /// The first transaction that stays; `nil` if there is none, or if all transactions stay.
  let anchor: TransactionPosition?
  /// The number of the entity whose changes are deleted; `nil` if whole transactions are.
  let entityNumber: Int64?
  /// The name of that entity in the store; `nil` if it has none.
  let entityName: String?
  /// The number of the first transaction that is deleted; `nil` if all transactions stay.
  package let firstNumber: Int64?
  package let steps: [Step]
  package let transactionCount: Int
  package let changeCount: Int
  /// The number of changes before the cut that belong to no transaction and stay.
  package let keptChangeCount: Int
  /// The changes between the transactions that belong to none of them, in words; `nil` without such.
  package let disorder: String?
  /// The digests that the rows of each part of each step must have, computed from another source;
  /// `nil` if only the counts are compared.
  private(set) var digests: [[RowDigest]]?

  package var isEmpty: Bool { steps.isEmpty }

  /// Whether a step takes only changes before the first transaction.
  package func precedesTransactions(_ step: Step) -> Bool {
    guard case .transactions(let transactions) = step else { return false }
    return firstNumber.map { transactions.numbers.upperBound < $0 } ?? true
  }

  /// Whether there are steps that take only changes before the first transaction.
  package var takesLooseChanges: Bool { steps.first.map(precedesTransactions) ?? false }

  /// Returns the deletion with digests that the deleted rows must have.
  ///
  /// - Parameter digests: One for each part of each step.
  package func requiring(_ digests: [[RowDigest]]) -> HistoryDeletion {
    var deletion = self
    deletion.digests = digests
    return deletion
  }

  /// The maximum number of changes in a step that has more than one transaction, in a table of few columns.
  private static let stepSize = 512
  /// The maximum number of preserved values in such a step: each change is read with all of them.
  private static let maxValues = 16_384

  /// Returns the maximum number of changes in a step that has more than one transaction.
  static func stepSize(_ tables: HistoryTables) -> Int {
    max(1, min(stepSize, maxValues / max(tables.tombstoneColumns.count, 1)))
  }

  /// The same if each step has to read the whole table.
  static let stepSizeWithoutIndex = 20_000
  /// The maximum number of bytes of large changes in a step that has more than one of them.
  static let maxByteCount = 1 << 20
  /// The maximum number of transactions in a step.
  static let maxTransactions = 128

  init(
    storeIdentifier: String?, tables: HistoryTables, anchor: TransactionPosition? = nil,
    entityNumber: Int64? = nil, entityName: String? = nil, firstNumber: Int64? = nil,
    steps: [Step], keptChangeCount: Int = 0, disorder: String? = nil
  ) {
    self.firstNumber = firstNumber
    self.storeIdentifier = storeIdentifier
    self.tables = tables
    self.anchor = anchor
    self.entityNumber = entityNumber
    self.entityName = entityName
    self.steps = steps
    self.keptChangeCount = keptChangeCount
    self.disorder = disorder
    var (transactions, changes) = (0, 0)
    for step in steps {
      switch step {
      case .transactions(let step):
        transactions += step.count
        changes += step.changeCount
      case .changes(_, let count): changes += count
      }
    }
    transactionCount = transactions
    changeCount = changes
  }
}
