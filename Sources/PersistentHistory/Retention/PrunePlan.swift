import StoreEditing
import StoreFormat

/// What pruning a store would delete, and why exactly that.
///
/// It is made from one snapshot, and ``HistoryPruner`` deletes exactly what it says or stops.
public struct PrunePlan: Sendable {
  /// What one rule would leave.
  package struct RuleOutcome: Hashable, Sendable {
    /// The rule.
    package let rule: RetentionRule
    /// Where it alone would cut.
    package let cut: HistoryCut
  }

  /// The whole history, as it was.
  package struct History: Hashable, Sendable {
    /// How many transactions there are.
    package let transactionCount: Int64
    /// How many changes there are.
    package let changeCount: Int64
    /// The bytes of the pages that it occupies; nil where SQLite cannot tell.
    package let byteCount: Int64?
    /// The oldest transaction.
    package let oldest: TransactionPosition?
    /// The newest transaction.
    package let newest: TransactionPosition?
  }

  /// The path of the store.
  public let path: String
  /// The identifier of the store.
  public let storeIdentifier: String?
  /// The request that the plan answers.
  public let request: PruneRequest
  /// The history as it was.
  package let history: History
  /// What each rule would leave.
  package let rules: [RuleOutcome]
  /// What each guard says that was asked.
  public let guards: [RetentionGuard]
  /// Where the history is cut; nil where only changes of an entity go, or the history is empty.
  public let cut: HistoryCut?
  /// The first transaction that stays; nil where none does.
  public let firstKept: TransactionPosition?
  /// The names of the rules and guards whose cut it is.
  public let deciders: [String]
  /// What becomes of the bookmarks.
  package let bookmarks: [BookmarkOutlook]
  /// What becomes of the tokens that were asked about.
  package let tokens: [TokenOutlook]
  /// The rows that go.
  package let deletion: HistoryDeletion
  /// About how many bytes of the file they take; nil where SQLite cannot tell.
  public let byteCount: Int64?
  /// Whether nothing is deleted because the history is not larger than was asked for.
  public let isSmallEnough: Bool

  /// The bytes of pages that the history will occupy, where a rule limits them and they can be known
  /// beforehand.
  package internal(set) var remainingByteCount: Int64?

  /// What becomes of the values that were recorded beside the store; nil where there are none.
  package internal(set) var recordedValues: RecordedValuesOutlook?

  /// The bytes of pages that the history may occupy by the rules; nil where none limits them.
  package var byteLimit: Int64? {
    rules.compactMap { if case .maxSize(let bytes) = $0.rule { bytes } else { nil } }.min()
  }

  /// Whether nothing is deleted, beside the store neither.
  public var isEmpty: Bool { deletion.isEmpty && (recordedValues?.valueCount ?? 0) == 0 }

  /// The guards that allow no deletion at all.
  public var refusals: [RetentionGuard] {
    deletion.isEmpty ? [] : guards.filter { $0.verdict == .refuses }
  }

  /// The bookmarks that expire with this.
  public var lostBookmarks: [BookmarkOutlook] { bookmarks.filter { $0.fate == .lost } }
}
