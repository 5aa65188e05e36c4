import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
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

/// A report of an operation while it works: a warning, or its progress.
///
/// Counts are totals since the operation began. If a signal or an error ends it, the last event has the
/// final counts.
package enum OperationEvent {
  /// A problem that does not end the operation, with its name for scripts, and whether the store or the archive is
  /// damaged.
  case warning(kind: String, String, hint: String?, isDamage: Bool = false)
  /// A save that a program had not finished was rolled back.
  case rolledBackSave(store: String)
  /// Transactions were written; `file` is `nil` for an output other than a file.
  case exporting(ExportSummary, store: String, file: String?)
  /// Histories of a run over several were exported, had nothing new, or failed.
  case exportedHistories(Int64, of: Int64)
  /// Transactions were packed, or compared with the store.
  case sealing(ArchiveSealer.Step, transactions: Int64, total: Int64)
  /// Segments were added to an archive; `nil` at the beginning.
  case sealed(SealedSegments?, store: String, archive: String)
  /// A plan is about to be carried out, which lets bookmarks expire.
  case pruning(PrunePlan, lost: [BookmarkEffect])
  case deleting(DeletedHistory, PrunePlan)
  /// The bytes that the history occupies after a plan was carried out.
  case historyMeasured(bytes: Int64, PrunePlan)
  case readingArchive(changes: Int)
  case restoring(InsertedHistory, RestorePlan)
  /// Rows were written into a scrubbed copy.
  case scrubbing(rows: Int64, total: Int64, copy: String)
  /// Free pages were returned to the file system.
  case freeing(pages: Int64, store: String)
  case rebuilding(store: String)
  /// A part of the work is complete, so there is nothing to report about it if the rest fails.
  case finished
}

/// Receives the events of an operation, one at a time, on any of its threads.
package typealias OperationObserver = (OperationEvent) -> Void
