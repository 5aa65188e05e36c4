import Dispatch
import Synchronization

extension StoreFile {
  /// Reads one snapshot on several threads.
  ///
  /// There are fewer helpers than requested, or none, if another program saves at that moment, or the store
  /// is read from a private copy.
  ///
  /// - Parameters:
  ///   - helperCount: The number of threads besides the caller's.
  ///   - body: The closure that reads; neither the snapshot nor the helpers may leave it.
  /// - Throws: ``StoreError``, and errors of the closure.
  package func read<Result>(
    withHelpers helperCount: Int, _ body: (StoreSnapshot, SnapshotHelpers) throws -> Result
  ) throws -> Result {
    var helpers: [SnapshotHelper] = []
    if accessMode != .privateCopy {
      // Each helper compares the data version from before the snapshot with that after it: where they are
      // equal, all see the same state.
      for _ in 0..<helperCount {
        guard let helper = try? SnapshotHelper(location: location, busyTimeout: busyTimeout) else {
          break
        }
        helpers.append(helper)
      }
    }
    return try read { snapshot in
      let ready = helpers.filter { $0.begin(as: accessMode) }
      defer { for helper in ready { helper.end() } }
      return try body(snapshot, SnapshotHelpers(ready))
    }
  }
}

/// Threads that read the same snapshot as their caller.
package struct SnapshotHelpers {
  private let helpers: [SnapshotHelper]

  init(_ helpers: [SnapshotHelper]) { self.helpers = helpers }

  package var count: Int { helpers.count }

  /// Runs work on every helper's thread and on the caller's, and waits for all of it.
  ///
  /// - Parameters:
  ///   - work: The work of each helper, which keeps its own errors.
  ///   - own: The work of the caller.
  package func run<Result>(
    _ work: @escaping @Sendable (StoreSnapshot) -> Void, beside own: () throws -> Result
  ) rethrows -> Result {
    for helper in helpers { helper.start(work) }
    defer { for helper in helpers { helper.wait() } }
    return try own()
  }
}

/// One thread with its own connection.
final class SnapshotHelper: Sendable {
  private typealias Work = @Sendable (StoreSnapshot) -> Void

  private let file: StoreFile
  private let version: Int64
  private let queue = DispatchQueue(label: "histctl.snapshot", qos: .userInitiated)
  private let work = Mutex<Work?>(nil)
  private let isReady = Mutex(false)
  private let began = DispatchSemaphore(value: 0)
  private let hasWork = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)

  init(location: StoreLocation, busyTimeout: Double) throws {
    file = try StoreFile(location: location, busyTimeout: busyTimeout, allowsPrivateCopy: false)
    version = try file.readDataVersion()
  }

  /// Begins to read; returns `false` if the state has changed.
  func begin(as mode: AccessMode) -> Bool {
    guard file.accessMode == mode else { return false }
    queue.async { [self] in
      try? file.read { snapshot in
        let isSame = try snapshot.dataVersion() == version
        isReady.withLock { $0 = isSame }
        began.signal()
        guard isSame else { return }
        hasWork.wait()
        while let next = work.withLock({ $0.take() }) {
          next(snapshot)
          isDone.signal()
          hasWork.wait()
        }
      }
      // Reading may have failed before the first signal.
      began.signal()
    }
    began.wait()
    return isReady.withLock { $0 }
  }

  func start(_ next: @escaping @Sendable (StoreSnapshot) -> Void) {
    work.withLock { $0 = next }
    hasWork.signal()
  }

  func wait() { isDone.wait() }

  func end() {
    hasWork.signal()
    queue.sync {}
  }
}
