import StoreEditing
import StoreFormat

/// What restoring would put back into a store.
///
/// It is made from one snapshot of the store and from everything that is to be restored, each row of
/// which has been looked at: ``HistoryRestorer`` puts back exactly what it says or stops.
package struct RestorePlan: Sendable {
  /// A bookmark that does not work now.
  package struct ReturningBookmark: Hashable, Sendable {
    /// The bookmark.
    package let bookmark: Bookmark
    /// Its position in the store.
    package let number: Int64
  }

  /// The path of the store.
  package let path: String
  /// The identifier of the store.
  package let storeIdentifier: String?
  /// The request that the plan answers.
  package let request: RestoreRequest
  /// The oldest transaction that is there now; nil in an empty history.
  package let oldest: TransactionPosition?
  /// The newest transaction that is there now.
  package let newest: TransactionPosition?
  /// The first transaction that is put back; nil where none is.
  package let first: TransactionPosition?
  /// The last transaction that is put back.
  package let last: TransactionPosition?
  /// How many transactions are put back.
  package let transactionCount: Int
  /// How many changes are put back.
  package let changeCount: Int
  /// The oldest transaction that is there, if some of its changes are not: a prune was ended in the
  /// middle of it. They are put back as well.
  package let completed: TransactionPosition?
  /// How many texts the store has lost that transactions name.
  package let textCount: Int
  /// The entities whose changes are put into the order of another model, by name.
  package let translatedEntities: [String]
  /// What each guard says that was asked.
  package let guards: [RetentionGuard]
  /// The bookmarks that work again with this.
  package let returningBookmarks: [ReturningBookmark]

  /// What the store looked like.
  let insertion: HistoryInsertion
  /// The newest transaction to be read of what is sealed.
  let newestRead: Int64
  /// Whether the store tells its model.
  let isModelKnown: Bool
  /// The entities of the store.
  let schema: HistorySchema

  /// Whether there is nothing to put back.
  package var isEmpty: Bool { transactionCount == 0 && changeCount == 0 }

  /// The guards that allow nothing to be put back.
  package var refusals: [RetentionGuard] {
    isEmpty ? [] : guards.filter { $0.verdict == .refuses }
  }

  /// The oldest transaction afterwards, whose token is the oldest that works.
  package var oldestAfterwards: TransactionPosition? { first ?? oldest }
}
