import Dispatch
import PersistentHistory
import Synchronization

/// Lets all containers that are interested look at their stores, several times a second.
final class StoreWatcher: Sendable {
  static let shared = StoreWatcher()

  private struct WeakHub { weak var hub: SaveHub? }

  private struct State {
    var hubs: [WeakHub] = []
    var isRunning = false
  }

  private let queue = DispatchQueue(label: "OpenSwiftData.StoreWatcher")
  private let state = Mutex(State())

  func add(_ hub: SaveHub) {
    let starts = state.withLock { state in
      if !state.hubs.contains(where: { $0.hub === hub }) { state.hubs.append(WeakHub(hub: hub)) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { scheduleLook() }
  }

  private func scheduleLook() {
    queue.asyncAfter(deadline: .now() + HistoryFollower.interval) { [self] in
      for hub in state.withLock({ $0.hubs.compactMap(\.hub) }) { hub.look() }
      let goesOn = state.withLock { state in
        state.hubs.removeAll { !($0.hub?.isWatching ?? false) }
        state.isRunning = !state.hubs.isEmpty
        return state.isRunning
      }
      if goesOn { scheduleLook() }
    }
  }
}
