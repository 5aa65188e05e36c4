/// What a history is held to by whoever watches over it.
public struct HistoryLimits: Hashable, Sendable {
  /// The most bytes of pages that it may occupy.
  public var maxSize: Int64?
  /// How long ago its oldest transaction may have been saved at most.
  public var maxAge: HistoryDuration?
  /// How long each bookmark must go on working at least, with the retention.
  public var minHeadroom: HistoryDuration?
  /// The retention that headroom is worked out for; without it there is none.
  public var retention: BookmarkRetention?
  /// How far behind a bookmark may be before it counts as lost.
  public var allowance: BookmarkAllowance?
  /// Whether bookmarks of other stores are somebody else's business, as in a file for many stores.
  public var ignoresBookmarksOfOtherStores = false

  /// No limits: only whether bookmarks work.
  public init() {}
}
