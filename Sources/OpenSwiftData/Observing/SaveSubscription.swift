import Foundation
import Synchronization

/// Who wants to know of the saves to a container's stores, for as long as this is kept.
final class SaveSubscription: Sendable {
  private let identifier: UUID
  private let hub: SaveHub

  init(_ identifier: UUID, of hub: SaveHub) {
    self.identifier = identifier
    self.hub = hub
  }

  deinit { hub.remove(identifier) }
}

/// Gives a listener what was saved behind the transactions that it began with.
final class SaveSubscriber: Sendable {
  private struct State {
    /// The newest transactions when it began; nil while they are being looked up.
    var start: [String: Int64]?
    var waiting: [RecordedSave] = []
  }

  private let listener: SaveHub.Listener
  private let state = Mutex(State())

  init(_ listener: @escaping SaveHub.Listener) { self.listener = listener }

  /// Begins behind some transactions, with what was saved behind them meanwhile.
  func begin(after start: [String: Int64]) {
    let waiting = state.withLock { state in
      state.start = start
      defer { state.waiting = [] }
      return state.waiting
    }
    tell(waiting, after: start)
  }

  func tell(_ saves: [RecordedSave]) {
    let start = state.withLock { state in
      if state.start == nil { state.waiting += saves }
      return state.start
    }
    if let start { tell(saves, after: start) }
  }

  private func tell(_ saves: [RecordedSave], after start: [String: Int64]) {
    let new = saves.filter { save in
      guard let number = save.number, let first = start[save.storeIdentifier] else { return true }
      return number > first
    }
    if !new.isEmpty { listener(new) }
  }
}
