import Dispatch
import Foundation
import PersistentHistory
import StoreFormat
import Synchronization

/// Finds the saves of others to the file of one store. Used on the watcher's queue only.
final class StoreWatch: @unchecked Sendable {
  private let storeIdentifier: String
  private let path: String
  /// Everything up to and including this transaction was found.
  private(set) var position: Int64
  private var follower: HistoryFollower?
  private var found: [RecordedSave] = []
  /// The own saves that were in progress when ``found`` was read, and may be part of it.
  private var awaited: Set<Int> = []
  private var hasFailed = false

  init(_ storeIdentifier: String, path: String, after position: Int64) {
    self.storeIdentifier = storeIdentifier
    self.path = path
    self.position = position
  }

  /// Returns what others saved since the last look.
  ///
  /// If the store can no longer be read, that is returned once, as a save of which nothing is known:
  /// the next fetch throws the error.
  ///
  /// - Parameters:
  ///   - ongoing: Returns the container's own saves that are in progress.
  ///   - own: Returns the numbers of the container's own transactions.
  func look(ongoing: () -> Set<Int>, own: () -> Set<Int64>) -> [RecordedSave] {
    if found.isEmpty {
      do {
        found = try readNews(without: own())
        hasFailed = false
      } catch {
        follower = nil
        if case StoreError.busy = error { return [] }
        guard !hasFailed else { return [] }
        hasFailed = true
        found = [RecordedSave(storeIdentifier: storeIdentifier)]
      }
      // Everything that was read is the container's own.
      if found.isEmpty { position = follower?.position ?? position }
      awaited = ongoing()
    }
    // A transaction is another process's only after all saves that may have made it are done.
    guard awaited.isDisjoint(with: ongoing()) else { return [] }
    defer {
      found = []
      position = follower?.position ?? position
    }
    let own = own()
    return found.filter { save in save.number.map { !own.contains($0) } ?? true }
  }

  private func readNews(without own: Set<Int64>) throws -> [RecordedSave] {
    var query = HistoryQuery()
    query.checksCompleteness = false
    // A busy file is checked again a moment later.
    let follower =
      try follower ?? HistoryFollower(path: path, busyTimeout: 0, query: query, after: position)
    self.follower = follower
    var saves: [RecordedSave] = []
    try follower.readNews { event in
      switch event {
      case .gap(let last, let oldest):
        // Unless all of them are own ones, transactions were deleted before they could be read.
        guard !(last.following..<oldest).allSatisfy(own.contains) else { break }
        saves.append(RecordedSave(storeIdentifier: storeIdentifier))
      case .transactions(let reader):
        saves += try RecordedSave.all(
          from: reader, storeIdentifier: storeIdentifier, without: own)
      }
    }
    guard follower.storeIdentifier.map({ $0 == storeIdentifier }) ?? true else {
      throw SwiftDataError(.storeFailure, "\(path) is another store now")
    }
    return saves
  }
}

/// Lets all containers with subscribers look at their stores, several times a second.
final class StoreWatcher: Sendable {
  static let shared = StoreWatcher()

  private struct State {
    var hubs: [Weak<SaveHub>] = []
    var isRunning = false
  }

  private let queue = DispatchQueue(label: "OpenSwiftData.StoreWatcher")
  private let state = Mutex(State())

  func add(_ hub: SaveHub) {
    let starts = state.withLock { state in
      if !state.hubs.contains(where: { $0.object === hub }) { state.hubs.append(Weak(hub)) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { scheduleLook() }
  }

  private func scheduleLook() {
    queue.asyncAfter(deadline: .now() + HistoryFollower.interval) { [self] in
      for hub in state.withLock({ $0.hubs.compactMap(\.object) }) { hub.look() }
      let continues = state.withLock { state in
        state.hubs.removeAll { !($0.object?.isWatching ?? false) }
        state.isRunning = !state.hubs.isEmpty
        return state.isRunning
      }
      if continues { scheduleLook() }
    }
  }
}
