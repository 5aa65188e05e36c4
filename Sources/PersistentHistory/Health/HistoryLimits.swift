/// What a history is held to by whoever watches over it.
package struct HistoryLimits: Hashable, Sendable {
  /// The most bytes of pages that it may occupy.
  package var maxSize: Int64?
  /// How long ago its oldest transaction may have been saved at most.
  package var maxAge: HistoryDuration?
  /// How long each bookmark must go on working at least, with the retention.
  package var minHeadroom: HistoryDuration?
  /// The retention that headroom is worked out for; without it there is none.
  package var retention: BookmarkRetention?
  /// How far behind a bookmark may be before it counts as lost.
  package var allowance: BookmarkAllowance?
  /// Whether bookmarks of other stores are somebody else's business, as in a file for many stores.
  package var ignoresBookmarksOfOtherStores = false

  /// No limits: only whether bookmarks work.
  package init() {}
}
