import StoreEditing
import StoreFormat

/// What to delete from the history of any store.
public struct PruneRequest: Hashable, Sendable {
  /// What to delete.
  public enum Target: Hashable, Sendable {
    /// The transactions that none of these rules keeps; at least one rule.
    case transactions([RetentionRule])
    /// The changes of an entity that has left the model, by its name, or `#` and its number.
    case entity(String)
  }

  /// What to delete.
  public var target: Target
  /// The size in bytes that the history must exceed, or nothing is deleted.
  public var ifLargerThan: Int64?
  /// How far a bookmark may fall behind before it no longer holds history.
  public var allowance: BookmarkAllowance?
  /// The names of guards to ignore: `bookmarks`, `@NAME`, `mirroring`, `archive` or `damage`.
  public var ignoredGuards: Set<String> = []
  /// What to do with changes before the first transaction; by default those stay that no interrupted
  /// restore can have left, unless the guard against damage is ignored.
  package var looseChanges: HistoryDeletion.LooseChanges {
    get {
      givenLooseChanges
        ?? (ignoredGuards.contains(RetentionGuard.damageName) ? .deleted : .deletedIfUnfinished)
    }
    set { givenLooseChanges = newValue }
  }
  private var givenLooseChanges: HistoryDeletion.LooseChanges?
  /// Further guards, besides those of bookmarks and mirroring.
  package var guards: [RetentionGuard] = []
  /// Tokens whose state after the cut the plan reports.
  public var tokens: [String] = []

  /// Creates a request without conditions.
  public init(_ target: Target) { self.target = target }
}

/// The history that pruning a store would delete, and the reasons.
///
/// A plan is made from one snapshot. ``HistoryPruner`` deletes exactly what it says, or stops.
public struct PrunePlan: Sendable {
  /// The whole history at the time of the plan.
  package struct History: Hashable, Sendable {
    package let transactionCount: Int64
    package let changeCount: Int64
    /// Bytes of the pages that it occupies; `nil` if SQLite cannot tell.
    package let byteCount: Int64?
    package let oldest: TransactionPosition?
    package let newest: TransactionPosition?
  }

  /// The effect of pruning on a token.
  package struct TokenEffect: Hashable, Sendable {
    /// The token, with its state now.
    package let token: ResolvedToken
    /// Whether it works now and does not work afterwards.
    package let expires: Bool

    init(_ token: ResolvedToken, cut: HistoryCut?) {
      self.token = token
      expires =
        if token.state == .valid, token.moment == nil, let number = token.number, let cut {
          cut.expires(number)
        } else {
          false
        }
    }

    /// The name of its state afterwards.
    package var stateAfter: String { expires ? TokenState.expired.name : token.state.name }
    /// Whether it works afterwards.
    package var works: Bool { token.state == .valid && !expires }
  }

  /// The effect of pruning on the values that were recorded beside the store: those of deleted transactions are
  /// deleted as well.
  package struct RecordedValuesEffect: Hashable, Sendable {
    package let path: String
    /// The oldest transaction whose values stay.
    package let firstKept: Int64
    /// The number of values that are deleted.
    package let valueCount: Int64
    /// Why no values can be deleted; `nil` if they can.
    package let problem: String?

    /// Examines the values beside a store; `nil` if there is no file of them.
    init?(_ snapshot: StoreSnapshot, firstKept: Int64) throws {
      self.firstKept = firstKept
      let found: (path: String, count: Int64, problem: String?)
      do {
        guard let file = try RecordedValues(beside: snapshot, readsLog: false)?.file else {
          return nil
        }
        found = (file.location.path, try file.valueCount(before: firstKept), nil)
      } catch let error as StoreError {
        found = (error.path ?? snapshot.location.path, 0, error.message)
      }
      (path, valueCount, problem) = found
    }
  }

  /// The path of the store.
  public let path: String
  /// The identifier of the store.
  public let storeIdentifier: String?
  /// The request that the plan answers.
  public let request: PruneRequest
  package let history: History
  package let rules: [RetentionDecision.RuleOutcome]
  /// The guards that were checked.
  public let guards: [RetentionGuard]
  /// Where the history is cut; `nil` if only changes of an entity are deleted, or the history is empty.
  public let cut: HistoryCut?
  /// The first transaction that stays; `nil` if none does.
  public let firstKept: TransactionPosition?
  /// The names of the rules and guards whose cut it is.
  public let deciders: [String]
  package let bookmarks: [BookmarkEffect]
  package let tokens: [TokenEffect]
  /// The rows to delete.
  package let deletion: HistoryDeletion
  /// The number of changes that belong to no transaction and stay, although they are before the cut or
  /// name no number. `histctl verify` reports them as damage.
  package let orphanCount: Int
  /// About how many bytes of the file they occupy; `nil` if SQLite cannot tell.
  public let byteCount: Int64?
  /// Whether nothing is deleted because the history is not larger than ``PruneRequest/ifLargerThan``.
  public let isSmallEnough: Bool
  /// Bytes of pages that the history will occupy, if a rule limits them and they can be known in advance.
  package internal(set) var remainingByteCount: Int64?
  /// The effect on recorded values; `nil` if there are none.
  package internal(set) var recordedValues: RecordedValuesEffect?

  /// The maximum size of the history by the rules, in bytes of pages.
  package var byteLimit: Int64? {
    rules.compactMap { if case .maxSize(let bytes) = $0.rule { bytes } else { nil } }.min()
  }

  /// Whether nothing is deleted, neither in the store nor beside it.
  public var isEmpty: Bool { deletion.isEmpty && (recordedValues?.valueCount ?? 0) == 0 }

  /// Whether history is deleted whose recorded values stay, because their file cannot be used.
  package var leavesRecordedValues: Bool { !deletion.isEmpty && recordedValues?.problem != nil }

  /// The guards that allow nothing to be deleted.
  public var refusals: [RetentionGuard] {
    deletion.isEmpty ? [] : guards.filter { $0.verdict == .refuses }
  }

  /// The bookmarks that expire.
  public var lostBookmarks: [BookmarkEffect] { bookmarks.filter { $0.outcome == .lost } }
}
