import StoreEditing
import StoreFormat

/// What to restore.
package struct RestoreRequest: Hashable, Sendable {
  /// The token that must work again; its transaction becomes the oldest. A moment restores what was
  /// saved at it or later. `nil` restores everything that is sealed without a gap.
  package var from: String?
  /// The names of guards to ignore; see ``RetentionGuard/mirroringName``.
  package var ignoredGuards: Set<String>
  /// Whether to restore the recorded values that are sealed with their changes.
  package var restoresValues = true

  package init(from: String? = nil, ignoredGuards: Set<String> = []) {
    self.from = from
    self.ignoredGuards = ignoredGuards
  }
}

/// The history that a restore would put back into a store.
///
/// Every row was read and checked against one snapshot of the store. ``HistoryRestorer`` puts back
/// exactly these rows, or stops.
package struct RestorePlan: Sendable {
  /// A bookmark that works again after the restore.
  package struct ReturningBookmark: Hashable, Sendable {
    package let bookmark: Bookmark
    /// Its position in the store.
    package let number: Int64
  }

  package let path: String
  package let storeIdentifier: String?
  let request: RestoreRequest
  /// The oldest transaction of the store, or `nil` in an empty history.
  package let oldest: TransactionPosition?
  /// The newest transaction of the store.
  package let newest: TransactionPosition?
  /// The first transaction to put back, or `nil` if there is none.
  package let first: TransactionPosition?
  /// The last transaction to put back.
  package let last: TransactionPosition?
  package let transactionCount: Int
  package let changeCount: Int
  /// The store's oldest transaction, if it lacks changes because a prune was interrupted within it. They
  /// are put back as well.
  package let completed: TransactionPosition?
  /// The number of texts that transactions name and the store has lost.
  package let textCount: Int
  /// The names of the entities whose changes are translated to another model.
  package let translatedEntities: [String]
  package let guards: [RetentionGuard]
  package let returningBookmarks: [ReturningBookmark]

  /// The state that the store must have.
  let insertion: HistoryInsertion
  /// The newest transaction to read from the sealed history.
  let newestRead: Int64
  let isModelKnown: Bool
  let schema: HistorySchema

  package var isEmpty: Bool { transactionCount == 0 && changeCount == 0 }

  /// The guards that refuse.
  package var refusals: [RetentionGuard] {
    isEmpty ? [] : guards.filter { $0.verdict == .refuses }
  }

  /// The oldest transaction after the restore.
  package var oldestAfterwards: TransactionPosition? { first ?? oldest }
}
