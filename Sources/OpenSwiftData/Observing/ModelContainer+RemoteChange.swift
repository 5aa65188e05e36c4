import Foundation
import Synchronization

extension ModelContainer {
  static let remoteChangeName = Notification.Name("ModelContainer.remoteChange")

  /// The notification posted after other processes or other containers saved to a container's
  /// store, with the container as its object.
  ///
  /// `userInfo` has the positions after the saves, a dictionary by store identifier, under
  /// ``ModelContext/NotificationKey/historyTokens``. The notification is posted on a thread of its
  /// own, some tenths of a second after the save. From the first use of this name on, all
  /// containers of the process watch their files. A custom store that learns of such changes posts
  /// it with itself as the object.
  public static var remoteChange: Notification.Name {
    ContainerRegistry.shared.watchAll()
    return remoteChangeName
  }
}

/// The containers of the process.
final class ContainerRegistry: Sendable {
  static let shared = ContainerRegistry()

  private struct State {
    var containers: [Weak<ModelContainer>] = []
    var isWatching = false
  }

  private let state = Mutex(State())

  func add(_ container: ModelContainer) {
    let watches = state.withLock { state in
      state.containers.removeAll { $0.object == nil }
      state.containers.append(Weak(container))
      return state.isWatching
    }
    if watches { container.saves.watchAlways() }
  }

  /// Returns the schema of a store, or `nil` if no container has it open.
  func schema(ofStore identifier: String) -> Schema? {
    let containers = state.withLock { $0.containers }
    for case let container? in containers.map(\.object) {
      if let store = container.store(identifiedBy: identifier) { return store.schema }
    }
    return nil
  }

  func watchAll() {
    let containers = state.withLock { state in
      guard !state.isWatching else { return [Weak<ModelContainer>]() }
      state.isWatching = true
      return state.containers
    }
    for container in containers { container.object?.saves.watchAlways() }
  }
}
