import Foundation
import Observation
import Synchronization

/// An observable counter of the saves to a container's stores, by any context or process.
///
/// ```swift
/// let observer = try HistoryObserver(
///   observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
/// ```
///
/// Observe ``eventCounter`` and then fetch the history, or read the transactions themselves from
/// ``ModelContainer/historyUpdates(after:)``. Saves of the container's own contexts count too;
/// ``lastEventOrigin`` tells the two kinds apart. A store that can no longer be read counts as one
/// event, so that the next fetch throws the reason.
public final class HistoryObserver: Observable, Sendable {
  /// Where a save came from (not in SwiftData).
  public enum Origin: Hashable, Sendable {
    /// A context of the observer's container, or ``ModelContainer/erase()``.
    case container
    /// Another process, or another container of this process.
    case elsewhere
  }

  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The models whose saves count, subclasses included; empty for all models.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose saves count; empty for all saves, also those without an author.
  public let authors: Set<String>

  private let isolation: (any Actor)?
  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())

  private struct State {
    var told = Events()
    /// Events that were not reported to observers yet.
    var pending = Events()
    var subscription: SaveSubscription?
  }

  private struct Events {
    var count = 0
    var origin: Origin?
    var tokens: [String: any HistoryToken] = [:]
  }

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - historyTokens: The positions to start from by store identifier; saves after them count at
  ///     once. Other stores, and all stores if this is `nil`, start from the present.
  ///   - observedModels: The models whose saves count, subclasses included; empty for all models.
  ///   - authors: The authors whose saves count; empty for all saves.
  ///   - modelContainer: The container whose stores are observed.
  ///   - isolation: The actor on which ``eventCounter`` changes. Without one it changes on the
  ///     thread that saves or finds a save.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if history after a token is gone or a token
  ///   belongs to another store; ``SwiftDataError/storeFailure``.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    self.isolation = isolation
    for (identifier, token) in historyTokens ?? [:] {
      let store = modelContainer.store(identifiedBy: identifier)
      let isUsable =
        store is DefaultStore
        ? (token as? DefaultHistoryToken)?.number(of: identifier) != nil : store != nil
      guard isUsable else {
        throw SwiftDataError(
          .historyTokenExpired,
          "the token for store \(identifier) belongs to another store or container; start without "
            + "it, or open the store that it came from")
      }
    }
    let (subscription, start) = try modelContainer.saves.subscribe { [weak self] saves in
      self?.take(saves)
    }
    var tokens: [String: any HistoryToken] = historyTokens ?? [:]
    var missed: [RecordedSave] = []
    for store in modelContainer.defaultStores {
      let newest = start[store.identifier] ?? 0
      let token = historyTokens?[store.identifier] as? DefaultHistoryToken
      if let number = token?.number(of: store.identifier) {
        missed += try store.recordedSaves(after: number, until: newest)
      }
      tokens[store.identifier] = DefaultHistoryToken([store.identifier: newest])
    }
    state.withLock { state in
      // Saves since the subscription began are at later positions.
      state.told.tokens.merge(tokens) { later, _ in later }
      state.subscription = subscription
    }
    take(missed)
  }

  /// The number of saves that count; the property to observe.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.told.count }
  }

  /// The origin of the last save that counts, or `nil` before the first one (not in SwiftData).
  public var lastEventOrigin: Origin? { state.withLock { $0.told.origin } }

  /// The positions after all saves seen so far, by store identifier, from which another observer
  /// can continue (not in SwiftData).
  public var historyTokens: [String: any HistoryToken] { state.withLock { $0.told.tokens } }

  private func take(_ saves: [RecordedSave]) {
    let relevant = saves.filter(isRelevant)
    let isNew = state.withLock { state in
      let isNew = state.pending.count == 0
      for save in saves {
        if let token = save.token { state.pending.tokens[save.storeIdentifier] = token }
      }
      state.pending.count += relevant.count
      if let last = relevant.last {
        state.pending.origin = last.origin
      }
      // Without an observable change there is nothing to report.
      if state.pending.count == 0 { Self.settle(&state) }
      return isNew && state.pending.count > 0
    }
    guard isNew else { return }
    guard let isolation else { return tell() }
    Task { await self.tell(on: isolation) }
  }

  private func tell(on isolation: isolated any Actor) { tell() }

  private func tell() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      state.withLock { Self.settle(&$0) }
    }
  }

  private static func settle(_ state: inout State) {
    state.told.count += state.pending.count
    state.told.origin = state.pending.origin ?? state.told.origin
    // Own saves become known before earlier ones of others.
    state.told.tokens.merge(state.pending.tokens) { old, new in
      guard let old = old as? DefaultHistoryToken, let new = new as? DefaultHistoryToken else {
        return new
      }
      return max(old, new)
    }
    state.pending = Events()
  }

  private func isRelevant(_ save: RecordedSave) -> Bool {
    // A save of which nothing is known may be relevant.
    guard let names = save.entityNames else { return true }
    guard authors.isEmpty || save.author.map(authors.contains) ?? false else { return false }
    return observedModels.isEmpty
      || names.contains { name in
        guard let layout = modelContainer.schema.layouts[name] else { return false }
        return observedModels.contains { layout.isKind(of: EntityLayout.of($0)) }
      }
  }
}
