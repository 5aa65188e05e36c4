import Dispatch
import Synchronization

extension StoreFile {
  /// Reads in one snapshot on several threads: every one sees exactly the same state.
  ///
  /// Where somebody saves in the very moment of the beginning, or the store can be read from a
  /// private copy only, there are fewer helpers than were asked for, or none.
  ///
  /// - Parameters:
  ///   - helperCount: How many threads beside the caller's.
  ///   - body: Reads; neither the snapshot nor the helpers must leave it.
  /// - Throws: ``StoreError``, or what the closure throws.
  package func read<Result>(
    withHelpers helperCount: Int, _ body: (StoreSnapshot, SnapshotHelpers) throws -> Result
  ) throws -> Result {
    var helpers: [SnapshotHelper] = []
    if accessMode != .privateCopy {
      // Each remembers what it sees before the snapshot begins and looks again behind it: where that
      // is the same, so is all between.
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

  /// How many there are.
  package var count: Int { helpers.count }

  /// Does work on every helper's thread beside the caller's own work, and waits for all of it.
  ///
  /// - Parameters:
  ///   - work: What each helper does with its view of the snapshot. It keeps its own errors.
  ///   - own: What the caller does meanwhile.
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

  /// Begins to read; false where the state is not the one that was there before.
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
      // Where reading could not even begin, nobody has been told yet.
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

  /// Lets the snapshot go.
  func end() {
    hasWork.signal()
    queue.sync {}
  }
}
