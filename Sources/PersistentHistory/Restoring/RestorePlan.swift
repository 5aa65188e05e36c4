import StoreFormat

/// What restoring would put back into a store.
///
/// It is made from one snapshot of the store and from everything that is to be restored, each row of
/// which has been looked at: ``HistoryRestorer`` puts back exactly what it says or stops.
public struct RestorePlan: Sendable {
  /// A bookmark that does not work now.
  public struct ReturningBookmark: Hashable, Sendable {
    /// The bookmark.
    public let bookmark: Bookmark
    /// Its position in the store.
    public let number: Int64
  }

  /// The path of the store.
  public let path: String
  /// The identifier of the store.
  public let storeIdentifier: String?
  /// The request that the plan answers.
  public let request: RestoreRequest
  /// The oldest transaction that is there now; nil in an empty history.
  public let oldest: TransactionPosition?
  /// The newest transaction that is there now.
  public let newest: TransactionPosition?
  /// The first transaction that is put back; nil where none is.
  public let first: TransactionPosition?
  /// The last transaction that is put back.
  public let last: TransactionPosition?
  /// How many transactions are put back.
  public let transactionCount: Int
  /// How many changes are put back.
  public let changeCount: Int
  /// The oldest transaction that is there, if some of its changes are not: a prune was ended in the
  /// middle of it. They are put back as well.
  public let completed: TransactionPosition?
  /// How many texts the store has lost that transactions name.
  public let textCount: Int
  /// The entities whose changes are put into the order of another model, by name.
  public let translatedEntities: [String]
  /// What each guard says that was asked.
  public let guards: [RetentionGuard]
  /// The bookmarks that work again with this.
  public let returningBookmarks: [ReturningBookmark]

  /// What the store looked like.
  let insertion: HistoryInsertion
  /// The newest transaction to be read of what is sealed.
  let newestRead: Int64
  /// Whether the store tells its model.
  let isModelKnown: Bool
  /// The entities of the store.
  let schema: HistorySchema

  /// Whether there is nothing to put back.
  public var isEmpty: Bool { transactionCount == 0 && changeCount == 0 }

  /// The guards that allow nothing to be put back.
  public var refusals: [RetentionGuard] {
    isEmpty ? [] : guards.filter { $0.verdict == .refuses }
  }

  /// The oldest transaction afterwards, whose token is the oldest that works.
  public var oldestAfterwards: TransactionPosition? { first ?? oldest }
}
