import Foundation
import Observation
import Synchronization

/// Tells when something was saved to a container's stores that is of interest, by whomever.
///
/// ```swift
/// let observer = try HistoryObserver(
///   observedModels: [Trip.self], authors: ["widget"], modelContainer: container)
/// ```
///
/// Observe ``eventCounter`` and fetch the history, or take the transactions themselves from
/// ``ModelContainer/historyUpdates(after:)``.
///
/// Saves by the container's own contexts count as well as those by others; ``lastEventOrigin`` says
/// which of them the last one was.
public final class HistoryObserver: Observable, Sendable {
  /// Who has saved.
  public enum Origin: Hashable, Sendable {
    /// A context of the observer's container.
    case container
    /// Another process, or another container of this one.
    case elsewhere
  }

  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The models that are of interest, with those that inherit from them; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// Whose saves are of interest; empty for everybody's, also those that name nobody.
  public let authors: Set<String>

  private let isolation: (any Actor)?
  private let registrar = ObservationRegistrar()
  private let state = Mutex(State())

  private struct State {
    var eventCounter = 0
    var lastEventOrigin: Origin?
    var tokens: [String: any HistoryToken] = [:]
    /// What is not told yet.
    var news = News()
    var subscription: SaveSubscription?
  }

  private struct News {
    var count = 0
    var origin: Origin?
    var tokens: [String: any HistoryToken] = [:]
  }

  /// An observer that begins behind some transactions.
  ///
  /// - Parameters:
  ///   - historyTokens: Where to begin, by store identifier: what was saved behind it counts at once.
  ///     Stores that it does not name, and all without it, begin with what is saved from now on.
  ///   - observedModels: The models that are of interest, with those that inherit from them; empty for
  ///     all.
  ///   - authors: Whose saves are of interest; empty for everybody's.
  ///   - modelContainer: The container whose stores are observed.
  ///   - isolation: The actor on which ``eventCounter`` changes; without one it changes on the thread
  ///     that has saved or has found out.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where history behind a token is gone, and
  ///   ``SwiftDataError/storeFailure``.
  public init(
    historyTokens: [String: any HistoryToken]? = nil,
    observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    self.isolation = isolation
    let (subscription, start) = try modelContainer.saves.subscribe { [weak self] saves in
      self?.take(saves)
    }
    var tokens: [String: any HistoryToken] = historyTokens ?? [:]
    var missed: [RecordedSave] = []
    for case let store as DefaultStore in modelContainer.stores {
      let newest = start[store.identifier] ?? 0
      let token = historyTokens?[store.identifier] as? DefaultHistoryToken
      if let number = token?.number(of: store.identifier) {
        missed += try store.recordedSaves(after: number, until: newest)
      }
      tokens[store.identifier] = DefaultHistoryToken([store.identifier: newest])
    }
    state.withLock { state in
      // What was saved since the subscription began is further on.
      state.tokens.merge(tokens) { later, _ in later }
      state.subscription = subscription
    }
    take(missed)
  }

  /// How many saves of interest there were; the property to observe.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return state.withLock { $0.eventCounter }
  }

  /// Who has made the last save of interest; nil before the first one.
  public var lastEventOrigin: Origin? { state.withLock { $0.lastEventOrigin } }

  /// The places behind all that was looked at, by store identifier; to be kept for another observer
  /// that goes on from there.
  public var historyTokens: [String: any HistoryToken] { state.withLock { $0.tokens } }

  private func take(_ saves: [RecordedSave]) {
    let relevant = saves.filter(isOfInterest)
    let isNew = state.withLock { state in
      let isNew = state.news.count == 0
      for save in saves {
        if let token = save.token { state.news.tokens[save.storeIdentifier] = token }
      }
      state.news.count += relevant.count
      if let last = relevant.last {
        state.news.origin = last.contextIdentifier == nil ? .elsewhere : .container
      }
      // Where nothing changes that can be observed, there is nothing to be told.
      if state.news.count == 0 { Self.settle(&state) }
      return isNew && state.news.count > 0
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
    state.eventCounter += state.news.count
    state.lastEventOrigin = state.news.origin ?? state.lastEventOrigin
    // Saves of our own become known before others' that came earlier.
    state.tokens.merge(state.news.tokens) { old, new in
      guard let old = old as? DefaultHistoryToken, let new = new as? DefaultHistoryToken else {
        return new
      }
      return max(old, new)
    }
    state.news = News()
  }

  private func isOfInterest(_ save: RecordedSave) -> Bool {
    // What is not known may be of interest.
    guard let names = save.entityNames else { return true }
    guard authors.isEmpty || authors.contains(save.author ?? "") && save.author != nil else {
      return false
    }
    return observedModels.isEmpty
      || names.contains { name in
        guard let layout = modelContainer.schema.layouts[name] else { return false }
        return observedModels.contains { layout.isKind(of: EntityLayout.of(any: $0)) }
      }
  }
}
