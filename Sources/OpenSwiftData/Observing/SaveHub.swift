import Foundation
import PersistentHistory
import StoreFormat
import Synchronization

/// A save to a store.
struct RecordedSave: Sendable {
  let storeIdentifier: String
  /// The number of the transaction; `nil` for a custom store, and if it is unknown.
  var number: Int64?
  var token: (any HistoryToken)?
  var author: String?
  /// The entities of the saved models, or `nil` if they are unknown.
  var entityNames: Set<String>?
  /// The context that saved, or `nil` if it is none of the container's.
  var contextIdentifier: UUID?
  var origin = HistoryObserver.Origin.elsewhere

  /// Reads the saves that a history recorded.
  static func all(
    from reader: HistoryReader, storeIdentifier: String, without known: Set<Int64> = []
  ) throws -> [RecordedSave] {
    var saves: [RecordedSave] = []
    while let transaction = try reader.nextTransaction() {
      guard !known.contains(transaction.number) else { continue }
      var names: Set<String> = []
      while let row = try reader.nextRow() {
        if let name = row.entityNumber.flatMap({ reader.entity($0).name }) { names.insert(name) }
      }
      saves.append(
        RecordedSave(
          storeIdentifier: storeIdentifier, number: transaction.number,
          token: DefaultHistoryToken([storeIdentifier: transaction.number]),
          author: transaction.author?.string, entityNames: names))
    }
    return saves
  }
}

/// Distributes the saves to a container's stores: those of its own contexts at once, those of
/// others a moment later.
///
/// Every transaction is reported once. Files are watched only while there are subscribers.
final class SaveHub: Sendable {
  /// Receives saves, on the thread that saved or on the watcher's.
  typealias Listener = @Sendable ([RecordedSave]) -> Void

  private struct State {
    weak var container: ModelContainer?
    var subscribers: [UUID: Subscriber] = [:]
    /// The watched files by store, or `nil` if none is watched.
    var watches: [String: StoreWatch]?
    /// Whether files are watched without subscribers too.
    var watchesAlways = false
    var lastSave = 0
    /// The own saves that are in progress.
    var ongoing: Set<Int> = []
    /// The own transactions that the watches have not reached yet.
    var own: [String: Set<Int64>] = [:]
  }

  private struct Subscriber {
    let listener: Listener
    /// The newest transactions at the start, which were not saved for it.
    let start: [String: Int64]

    func tell(_ saves: [RecordedSave]) {
      let new = saves.filter { save in
        guard let number = save.number, let first = start[save.storeIdentifier] else { return true }
        return number > first
      }
      if !new.isEmpty { listener(new) }
    }
  }

  private let state = Mutex(State())
  /// Notifications of custom stores that others have changed.
  private let announcements: Mutex<[any NSObjectProtocol]> = Mutex([])

  deinit {
    announcements.withLock { $0.forEach(NotificationCenter.default.removeObserver) }
  }

  func attach(_ container: ModelContainer) { state.withLock { $0.container = container } }

  private var container: ModelContainer? { state.withLock { $0.container } }

  // MARK: - Own saves

  /// Runs a save of one of the container's contexts, so that the watches do not take it for another
  /// process's.
  ///
  /// - Parameter recorded: Returns the parts that were saved, even if the save failed halfway.
  func noting(_ save: () throws -> Void, recorded: () -> [RecordedSave]) rethrows {
    let ticket = state.withLock { state in
      state.lastSave += 1
      state.ongoing.insert(state.lastSave)
      return state.lastSave
    }
    defer {
      let saves = recorded()
      state.withLock { state in
        for save in saves where state.watches?[save.storeIdentifier] != nil {
          if let number = save.number {
            state.own[save.storeIdentifier, default: []].insert(number)
          }
        }
        _ = state.ongoing.remove(ticket)
      }
    }
    try save()
  }

  func tell(_ saves: [RecordedSave]) {
    guard !saves.isEmpty else { return }
    let subscribers = state.withLock { Array($0.subscribers.values) }
    subscribers.forEach { $0.tell(saves) }
  }

  // MARK: - Subscribers

  /// Reports all saves from now on to a listener, until the subscription is released.
  ///
  /// - Returns: The subscription, and the newest transaction of each store; saves after them are
  ///   reported.
  /// - Throws: ``SwiftDataError/storeFailure``.
  func subscribe(
    _ listener: @escaping Listener
  ) throws -> (subscription: SaveSubscription, start: [String: Int64]) {
    let identifier = UUID()
    // No save comes between the start and the subscription.
    let start = try watch { state, stores in
      let start = Dictionary(
        keepingFirst: try stores.map { ($0.identifier, try $0.highestTransaction()) })
      state.subscribers[identifier] = Subscriber(listener: listener, start: start)
      return start
    }
    return (SaveSubscription(identifier, of: self), start ?? [:])
  }

  fileprivate func remove(_ identifier: UUID) {
    state.withLock { state in
      state.subscribers[identifier] = nil
      guard state.subscribers.isEmpty, !state.watchesAlways else { return }
      state.watches = nil
      state.own = [:]
    }
  }

  // MARK: - Saves of others

  var isWatching: Bool { state.withLock { $0.watches != nil || $0.watchesAlways } }

  /// Watches the files from now on, with or without subscribers.
  func watchAlways() {
    state.withLock { $0.watchesAlways = true }
    // If a store cannot be read now, each look tries again.
    if (try? watch { _, _ in }) == nil { StoreWatcher.shared.add(self) }
  }

  /// Watches the files, unless they are watched already.
  ///
  /// - Parameter body: Runs before any other use of the state.
  private func watch<Result: Sendable>(
    _ body: (inout State, [DefaultStore]) throws -> Result
  ) throws -> Result? {
    guard let container else { return nil }
    let stores = container.defaultStores
    let result = try state.withLock { state in
      if state.watches == nil {
        state.watches = Dictionary(
          keepingFirst: try stores.map { store in
            let newest = try store.highestTransaction()
            return (
              store.identifier, StoreWatch(store.identifier, path: store.filePath, after: newest)
            )
          })
      }
      return try body(&state, stores)
    }
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
    StoreWatcher.shared.add(self)
    return result
  }

  /// Looks at the files once; runs on the watcher's queue.
  func look() {
    if state.withLock({ $0.watchesAlways && $0.watches == nil }), (try? watch { _, _ in }) == nil {
      return
    }
    for (store, watch) in state.withLock({ $0.watches ?? [:] }) {
      let saves = watch.look(
        ongoing: { state.withLock { $0.ongoing } }, own: { state.withLock { $0.own[store] ?? [] } })
      let position = watch.position
      state.withLock { state in
        state.own[store] = state.own[store]?.filter { $0 > position }
      }
      tell(saves)
      guard !saves.isEmpty, let container else { continue }
      var tokens: [String: any HistoryToken] = [:]
      for save in saves { if let token = save.token { tokens[save.storeIdentifier] = token } }
      NotificationCenter.default.post(
        name: ModelContainer.remoteChangeName, object: container,
        userInfo: [ModelContext.NotificationKey.historyTokens.rawValue: tokens])
    }
  }
}

/// Keeps a subscription alive.
final class SaveSubscription: Sendable {
  private let identifier: UUID
  private let hub: SaveHub

  fileprivate init(_ identifier: UUID, of hub: SaveHub) {
    self.identifier = identifier
    self.hub = hub
  }

  deinit { hub.remove(identifier) }
}
