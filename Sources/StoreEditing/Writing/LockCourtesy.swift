import DurableFiles
import StoreFormat

/// Leaves the write lock to others in time, when work takes it again and again.
///
/// Who waits for SQLite's lock sleeps and looks again, in the first eighth of a second at least every
/// 25 ms, then more and more seldom. Whoever lets the lock go for a moment only is hardly ever
/// noticed; and who is waiting leaves no trace, so it does not do to look for saves of the last moment
/// only. Where it can be told that nobody else has the store open, there is nobody to leave it to.
struct LockCourtesy {
  /// Longer than the longest sleep of somebody who began to wait a moment ago, in seconds.
  private static let rest = 0.030
  /// How long somebody who has saved is expected to save again.
  private static let memory = 1.0
  /// How long the lock may be taken again and again while nobody else has been seen.
  private static let stretch = 0.4
  /// The first turns leave the lock to others in any case, to see whether there is anybody.
  private static let cautiousTurns = 1...2

  private let sharing: StoreSharing
  /// Whether each hold of the lock keeps readers out too, as with a rollback journal: then there is a rest
  /// after every one.
  private let keepsReadersOut: Bool
  private var version: Int64?
  private var turns = 0
  private var lastSeen: ContinuousClock.Instant?
  private var lastRest = ContinuousClock.now

  init(_ location: StoreLocation, keepsReadersOut: Bool = false) {
    sharing = StoreSharing(location)
    self.keepsReadersOut = keepsReadersOut
  }

  /// Whether somebody else is saving.
  var isShared: Bool { lastSeen.map { $0.secondsAgo < Self.memory } ?? false }

  /// Remembers that the lock was held by somebody else.
  mutating func noticeLock() { lastSeen = .now }

  /// Stays off the lock where it is time to; to be called before each hold.
  ///
  /// - Parameter version: SQLite's present count of what others have saved.
  mutating func yield(version: Int64) {
    if let before = self.version, before != version { lastSeen = .now }
    self.version = version
    defer { turns += 1 }
    guard
      isShared || keepsReadersOut || Self.cautiousTurns.contains(turns)
        || lastRest.secondsAgo > Self.stretch
    else { return }
    if isShared || sharing.isOpenElsewhere ?? true { Pause.take(seconds: Self.rest) }
    lastRest = .now
  }
}
