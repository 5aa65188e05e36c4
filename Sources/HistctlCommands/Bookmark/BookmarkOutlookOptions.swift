import ArgumentParser
import PersistentHistory
import StoreFormat

/// What bookmarks are held to: how far behind they may be, and which retention they must survive.
struct BookmarkOutlookOptions: CheckedOptions {
  @Option(
    help: ArgumentHelp(
      "Report bookmarks that are farther behind: a duration, such as 30d, or a number of "
        + "transactions.", valueName: "limit"),
    transform: AllowanceArgument.init(parsing:))
  var maxBehind: AllowanceArgument?

  @Option(
    help: ArgumentHelp(
      "Show when bookmarks would expire if history were kept for this duration.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var keepWithin: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Show when bookmarks would expire if COUNT transactions were kept.", valueName: "count"))
  var keepLast: Int64?

  func check() throws {
    if let keepLast, keepLast < 1 {
      throw ValidationError("--keep-last takes a number of 1 or more")
    }
  }

  /// The retention that bookmarks must survive.
  var retention: BookmarkRetention? {
    BookmarkRetention(keepWithin: keepWithin?.duration, keepLast: keepLast)
  }

  /// How bookmarks stand in a store.
  func standings(
    of bookmarks: [Bookmark], _ snapshot: StoreSnapshot, now: StoreTimestamp
  ) throws -> [BookmarkStanding] {
    try BookmarkStanding.standings(
      of: bookmarks, in: snapshot, limit: maxBehind?.allowance, retention: retention, now: now)
  }
}
