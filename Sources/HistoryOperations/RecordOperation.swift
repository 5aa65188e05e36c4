import DurableFiles
import PersistentHistory
import StoreFormat
import SystemPackage

/// Records the old and new values of each save to a store as it happens, by any program.
///
/// Between two saves it waits for the files of the store to change, and holds no lock. Each reading is one short
/// snapshot, as that of any reader.
package struct RecordOperation {
  package enum Event {
    case recorded(ValueRecorder.Event)
    /// The store is locked or missing; the operation keeps retrying.
    case waiting(any Error)
    /// The store was replaced by another file.
    case replaced
  }

  /// Seconds after which the files are checked although no change was reported.
  private static let idleSeconds = 2.0
  /// Seconds before the files are checked again after a change: a save becomes visible a moment after its pages
  /// are in the log.
  private static let firstPause = 0.001

  /// The file of recorded values.
  package let valuesPath: String

  private let context: StoreContext

  /// - Parameter valuesPath: The file of recorded values; `nil` for the one beside the store.
  /// - Throws: ``/StoreFormat/StoreError`` if nothing is at the path.
  package init(_ context: StoreContext, valuesPath: String?) throws {
    self.context = context
    let location = try StoreLocation(path: context.path)
    self.valuesPath =
      valuesPath ?? RecordedValuesFile.path(besideStore: location.resolvedPath)
  }

  /// Records the values that the log holds now.
  ///
  /// - Returns: The number of values that were written.
  /// - Throws: ``OperationError`` if another run records into the same file, ``/StoreFormat/StoreError``, and
  ///   ``/StoreTransactions/StoreWriteError``.
  package func runOnce(_ observer: (Event) throws -> Void) throws -> Int {
    let lock = try RunLock(recording: context.path, valuesPath: valuesPath)
    defer { withExtendedLifetime(lock) {} }
    let store = try open()
    let recorder = ValueRecorder(path: valuesPath, busyTimeout: context.busyTimeout)
    let count = try record(recorder, store, observer)
    try recorder.close()
    return count
  }

  /// Records the values that the log holds now, and then those of each save.
  ///
  /// - Parameters:
  ///   - check: Called after each wait; an error that it throws ends the recording cleanly.
  ///   - observer: Receives events. Values of a transaction are on the disk before it is called.
  /// - Throws: As ``runOnce(_:)``, and what the closures throw.
  package func run(
    checking check: () throws -> Void, _ observer: (Event) throws -> Void
  ) throws -> Never {
    let lock = try RunLock(recording: context.path, valuesPath: valuesPath)
    defer { withExtendedLifetime(lock) {} }
    let store = SavedStore(try open())
    let recorder = ValueRecorder(path: valuesPath, busyTimeout: context.busyTimeout)
    defer { try? recorder.close() }
    var watch = Self.watch(store.file)
    var isWaiting = false
    var pause = Self.firstPause
    while true {
      do {
        try store.readNews { isReplaced in
          let other = try open()
          if isReplaced { try observer(.replaced) }
          watch = Self.watch(other)
          return other
        } _: { file in
          pause = Self.firstPause
          _ = try record(recorder, file, observer)
          isWaiting = false
        }
      } catch  where Self.mayPass(error, hasStarted: store.hasBeenRead) {
        if !isWaiting { try observer(.waiting(error)) }
        isWaiting = true
      }
      let hasChange = watch.wait(seconds: pause)
      try check()
      pause = hasChange ? Self.firstPause : min(pause * 2, Self.idleSeconds)
    }
  }

  /// Whether an error may be temporary: an app is busy, or replaces the file.
  private static func mayPass(_ error: any Error, hasStarted: Bool) -> Bool {
    switch error {
    case StoreError.busy: true
    case StoreError.missing, StoreError.changedWhileReading, StoreError.notAStore,
      StoreError.unreadable, StoreError.withoutHistory:
      hasStarted
    case let error as OperationError: hasStarted && error.kind == .unreadable
    default: false
    }
  }

  private func open() throws -> StoreFile {
    // Before it is open: closing the file would drop the locks of the connection, and the app could then remove
    // the log.
    let location = try StoreLocation(path: context.path)
    guard try location.usesLog() else {
      throw OperationError(
        .unreadable,
        "\(context.path) keeps no write-ahead log, from which old values could be read",
        hint: "the frameworks use one; switch a store of another program with PRAGMA journal_mode")
    }
    StoreReading.warnOfDamagedLog(in: location, observer: context.observer)
    let store = try context.open()
    try store.read { _ = try $0.historyTables() }
    return store
  }

  /// Returns a watch of a store's log, and of the names in its folder.
  private static func watch(_ store: StoreFile) -> FileWatch {
    let log = FilePath(store.location.logPath)
    return FileWatch(
      [log.lastComponent?.string ?? ""], in: log.removingLastComponent().string)
  }

  private func record(
    _ recorder: ValueRecorder, _ store: StoreFile, _ observer: (Event) throws -> Void
  ) throws -> Int {
    // The observer may fail, as when its output is closed; the recorder continues to the end.
    var problem: (any Error)?
    let count = try recorder.record(store) { event in
      guard problem == nil else { return }
      do { try observer(.recorded(event)) } catch { problem = error }
    }
    if let problem { throw problem }
    return count
  }
}
