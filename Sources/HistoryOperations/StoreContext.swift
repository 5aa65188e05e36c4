import PersistentHistory
import StoreFormat

/// What every operation on a store needs: the store and its bookmarks, how long to wait for it, the clock, and who
/// watches.
package struct StoreContext {
  /// The store; for some operations also an archive, or exported lines.
  package let path: String
  /// Seconds to wait for a locked store.
  package let busyTimeout: Double
  /// The file that keeps the bookmarks; `nil` for the one beside the store.
  package let bookmarkPath: String?
  /// The moment that durations are relative to.
  package let now: StoreTimestamp
  /// Receives warnings and progress.
  package var observer: OperationObserver

  package init(
    _ path: String, busyTimeout: Double = 5, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now(), observer: @escaping OperationObserver
  ) {
    self.path = path
    self.busyTimeout = busyTimeout
    self.bookmarkPath = bookmarkPath
    self.now = now
    self.observer = observer
  }

  /// Opens the store in place.
  func open() throws -> StoreFile { try StoreFile(path: path, busyTimeout: busyTimeout) }

  /// Opens the store to read it, and warns if a part of its log is damaged.
  ///
  /// The output may be read slowly, so the store is opened without a lock that an app would wait for.
  package func openForReading() throws -> StoreFile {
    let location = try StoreLocation(path: path)
    try warnOfIgnoredSaves(in: location)
    return try StoreFile(location: location, busyTimeout: busyTimeout, manner: .withoutLock)
  }

  /// Warns of saves that reading does not show: those of a damaged log, and one that its program has not finished.
  /// Call it before the store is opened.
  func warnOfIgnoredSaves(in location: StoreLocation) throws {
    StoreReading.warnOfDamagedLog(in: location, observer: observer)
    try StoreReading.warnOfRolledBackSave(in: location, observer: observer)
  }

  /// Reads a store that is about to be changed. If a program has not finished its last save, that save
  /// is rolled back first, as the app itself would do.
  ///
  /// - Parameter body: Reads the store; called again after the save is rolled back.
  func rollingBackUnfinishedSave<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch StoreError.unfinishedSave {
      try StoreFile.rollBackUnfinishedSave(at: path, busyTimeout: busyTimeout)
      observer(.rolledBackSave(store: path))
      return try body()
    }
  }
}
