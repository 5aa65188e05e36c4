import Foundation
import Synchronization

/// Where all saves to a container's stores become known: those of its own contexts at once, those of
/// anybody else a moment later.
///
/// Every transaction is told once. Files are watched only while somebody wants to know.
final class SaveHub: Sendable {
  /// Learns of saves, on the thread that has saved or on that of the watcher.
  typealias Listener = @Sendable ([RecordedSave]) -> Void

  private struct WeakContainer { weak var container: ModelContainer? }

  private struct State {
    var container = WeakContainer()
    var subscribers: [UUID: SaveSubscriber] = [:]
    /// The files that are watched, by store; nil while none is.
    var watches: [String: StoreWatch]?
    /// Whether files are watched without subscribers as well.
    var watchesAlways = false
    var lastSave = 0
    /// The saves of our own that are going on.
    var ongoing: Set<Int> = []
    /// The transactions of our own that the watches have not come to yet.
    var own: [String: Set<Int64>] = [:]
  }

  private let state = Mutex(State())
  /// Where stores of one's own say that others have changed them.
  private let announcements: Mutex<[any NSObjectProtocol]> = Mutex([])

  deinit {
    announcements.withLock { $0.forEach(NotificationCenter.default.removeObserver) }
  }

  /// Lets the hub know whose it is.
  func attach(_ container: ModelContainer) {
    state.withLock { $0.container = WeakContainer(container: container) }
  }

  private var container: ModelContainer? { state.withLock { $0.container.container } }

  // MARK: - Saves of our own

  /// Runs a save of one of the container's contexts, so that the watches do not take it for somebody
  /// else's.
  ///
  /// - Parameters:
  ///   - save: Saves.
  ///   - recorded: What has been saved by then, whether or not the rest has failed.
  func noting(_ save: () throws -> Void, recorded: () -> [RecordedSave]) rethrows {
    let ticket = begin()
    defer { finish(ticket, recorded()) }
    try save()
  }

  private func begin() -> Int {
    state.withLock { state in
      state.lastSave += 1
      state.ongoing.insert(state.lastSave)
      return state.lastSave
    }
  }

  private func finish(_ ticket: Int, _ saves: [RecordedSave]) {
    state.withLock { state in
      for save in saves where state.watches?[save.storeIdentifier] != nil {
        if let number = save.number { state.own[save.storeIdentifier, default: []].insert(number) }
      }
      _ = state.ongoing.remove(ticket)
    }
  }

  /// Tells all subscribers of saves.
  func tell(_ saves: [RecordedSave]) {
    guard !saves.isEmpty else { return }
    let subscribers = state.withLock { Array($0.subscribers.values) }
    subscribers.forEach { $0.tell(saves) }
  }

  // MARK: - Subscribers

  /// Tells a listener of all that is saved from now on.
  ///
  /// - Returns: The subscription, to be kept, and the newest transactions of the stores: what is
  ///   behind them is told.
  /// - Throws: ``SwiftDataError/storeFailure``.
  func subscribe(
    _ listener: @escaping Listener
  ) throws -> (subscription: SaveSubscription, start: [String: Int64]) {
    let (identifier, subscriber) = (UUID(), SaveSubscriber(listener))
    state.withLock { $0.subscribers[identifier] = subscriber }
    let subscription = SaveSubscription(identifier, of: self)
    try watch()
    var start: [String: Int64] = [:]
    for case let store as DefaultStore in container?.stores ?? [] {
      start[store.identifier] = try store.highestTransaction()
    }
    subscriber.begin(after: start)
    return (subscription, start)
  }

  func remove(_ identifier: UUID) {
    state.withLock { state in
      state.subscribers[identifier] = nil
      guard state.subscribers.isEmpty, !state.watchesAlways else { return }
      state.watches = nil
      state.own = [:]
    }
  }

  // MARK: - Saves of others

  /// Whether files are being watched.
  var isWatching: Bool { state.withLock { $0.watches != nil } }

  /// Watches the files from now on, whether or not there are subscribers.
  func watchAlways() {
    state.withLock { $0.watchesAlways = true }
    // A file that cannot be read is the concern of those who read it.
    try? watch()
  }

  private func watch() throws {
    guard let container else { return }
    try state.withLock { state in
      guard state.watches == nil else { return }
      var watches: [String: StoreWatch] = [:]
      for case let store as DefaultStore in container.stores {
        watches[store.identifier] = try store.translating { try StoreWatch(store) }
      }
      state.watches = watches
    }
    listenToOwnStores(of: container)
    StoreWatcher.shared.add(self)
  }

  /// Looks at the files once.
  func look() {
    for (store, watch) in state.withLock({ $0.watches ?? [:] }) {
      // What fails now, because the file is busy, is tried again at the next look.
      let saves = try? watch.look(
        ongoing: { state.withLock { $0.ongoing } },
        own: { last in state.withLock { $0.own[store, default: []].filter { $0 <= last } } })
      let position = watch.position
      state.withLock { state in
        state.own[store] = state.own[store]?.filter { $0 > position }
      }
      if let saves, !saves.isEmpty { tellOfOthers(saves) }
    }
  }

  private func tellOfOthers(_ saves: [RecordedSave]) {
    tell(saves)
    var tokens: [String: any HistoryToken] = [:]
    for save in saves { if let token = save.token { tokens[save.storeIdentifier] = token } }
    guard let container else { return }
    NotificationCenter.default.post(
      name: ModelContainer.remoteChangeName, object: container,
      userInfo: [ModelContext.NotificationKey.historyTokens.rawValue: tokens])
  }

  private func listenToOwnStores(of container: ModelContainer) {
    announcements.withLock { announcements in
      guard announcements.isEmpty else { return }
      for store in container.stores where !(store is DefaultStore) {
        let identifier = store.identifier
        announcements.append(
          NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChangeName, object: store, queue: nil
          ) { [weak self] _ in
            self?.tell([RecordedSave(storeIdentifier: identifier)])
          })
      }
    }
  }
}
