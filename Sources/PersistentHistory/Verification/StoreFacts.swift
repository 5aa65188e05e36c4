import StoreFormat

/// What a verification of a store has looked at, and what is good to know of it without being a
/// problem.
package struct StoreFacts: Hashable, Sendable {
  /// How many transactions were looked at.
  package internal(set) var transactionCount: Int64 = 0
  /// How many changes were looked at.
  package internal(set) var changeCount: Int64 = 0
  /// How many interned texts were looked at.
  package internal(set) var textCount: Int64 = 0
  /// How many bookmarks were looked at.
  package internal(set) var bookmarkCount = 0
  /// How many transactions have recorded values beside the store.
  package internal(set) var recordedTransactionCount: Int64 = 0
  /// How many transactions with recorded values are not in the history: saves that were never complete,
  /// or history that was deleted by another program.
  package internal(set) var absentTransactionCount: Int64 = 0
  /// The lowest and the highest transaction number; nil in an empty history.
  package internal(set) var transactions: ClosedRange<Int64>?
  /// How many transactions have no change; migrations write such ones, and entities that left the
  /// model leave them behind.
  package internal(set) var emptyTransactionCount: Int64 = 0
  /// How often a transaction was saved at an earlier time than the one before it: a clock was set
  /// back.
  package internal(set) var clockStepCount: Int64 = 0
  /// The largest such step.
  package internal(set) var largestClockStep: ClockStep?
  /// The tables whose pages were checked; nil for those of the whole file.
  package internal(set) var checkedTables: [String]? = []
  /// How the log was.
  package internal(set) var log: LogCondition?
  /// Whether there is a model, without which masks and tombstones cannot be compared with anything.
  package internal(set) var model: ModelCache.Condition?

  /// A clock that was set back.
  package struct ClockStep: Hashable, Sendable {
    /// The first transaction after it.
    package let transaction: Int64
    /// By how many seconds.
    package let seconds: Double
  }
}
