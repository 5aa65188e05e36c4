/// Leaves the write lock to others in time, when work takes it again and again.
///
/// Who waits for SQLite's lock sleeps and looks again, for the first tenth of a second at least every
/// 25 ms, then more and more seldom. Whoever lets the lock go for a moment only is hardly ever noticed,
/// and cannot notice who is waiting.
struct LockCourtesy {
  /// As long as the longest sleep of somebody who began to wait a moment ago.
  private static let pause = 0.025
  /// How long the lock may be taken again and again while nobody else has been seen.
  private static let stretch = 0.1
  /// How long somebody who has saved is expected to save again.
  private static let memory = 1.0

  private var version: Int64
  private var lastSeen = -Double.infinity
  private var lastPause = Clock.seconds()

  /// - Parameter version: SQLite's count of what others have saved.
  init(version: Int64) { self.version = version }

  /// Whether somebody else is saving.
  private var isShared: Bool { Clock.seconds() - lastSeen < Self.memory }

  /// The longest that the lock may be held at a time, in seconds.
  var longestHold: Double { isShared ? 0.02 : 0.05 }

  /// Stays off the lock where it is time to.
  ///
  /// - Parameter version: SQLite's present count of what others have saved.
  mutating func yield(version: Int64) {
    if version != self.version {
      self.version = version
      lastSeen = Clock.seconds()
    }
    guard isShared || Clock.seconds() - lastPause > Self.stretch else { return }
    Clock.pause(Self.pause)
    lastPause = Clock.seconds()
  }
}
