import HistoryOperations
import PersistentHistory
import StoreFormat

/// How commands use operations: the session shows their warnings and their progress.
extension Session {
  /// Opens a store to read it, and warns if a part of its log is damaged.
  func open(_ path: String, busyTimeout: Double) throws -> StoreFile {
    try observing { try StoreReading.open(path, busyTimeout: busyTimeout, observer: $0) }
  }

  /// Warns of counters that are lower than numbers in use, where a whole history is read.
  func warnOfTornCounters(in snapshot: StoreSnapshot?) throws {
    guard let snapshot else { return }
    try observing { try StoreReading.warnOfTornCounters(in: snapshot, observer: $0) }
  }

  /// Returns the input that options name.
  func input(_ store: StoreOptions, _ archive: ArchiveOptions) -> HistoryInput {
    let display = OperationDisplay(self)
    return HistoryInput(
      store.store, archivePath: archive.archive, storeIdentifier: archive.storeIdentifier,
      bookmarkPath: store.bookmarkFile, now: now
    ) { display.show($0) }
  }

  /// Runs an operation, shows its warnings and its progress, and keeps what it has done for
  /// ``WorkDone``.
  func observing<Result>(
    _ operation: (@escaping OperationObserver) throws -> Result
  ) rethrows -> Result {
    let display = OperationDisplay(self)
    defer { display.endProgress() }
    return try operation { display.show($0) }
  }
}
