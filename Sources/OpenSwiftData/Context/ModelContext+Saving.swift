import Foundation

extension ModelContext {
  /// Is posted before a context saves, with what it is about to save: the identifiers of new models
  /// are temporary yet. Whoever is told may change more, and that is saved as well.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Is posted after a context has saved; ``NotificationKey`` names what it tells.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// What a notification of ``didSave`` tells, in its `userInfo` under the raw value.
  public enum NotificationKey: String {
    /// Not used: stores have no query generations here.
    case queryGeneration
    /// Not used: no identifiers are invalidated.
    case invalidatedAllIdentifiers
    /// The identifiers of new models, an array.
    case insertedIdentifiers
    /// The identifiers of models that have changed, an array.
    case updatedIdentifiers
    /// The identifiers of models that were deleted, an array.
    case deletedIdentifiers
    /// The places of the save in the histories of the stores, a dictionary by store identifier.
    case historyTokens
  }

  /// Saves all changes, those of each store as one transaction.
  ///
  /// Where a store refuses, its changes are still there to be corrected or rolled back. Stores that
  /// were saved before it stay saved.
  ///
  /// - Throws: ``SwiftDataError``, and what a store of one's own throws.
  public func save() throws {
    processPendingChanges()
    guard hasChanges else { return }
    NotificationCenter.default.post(
      name: Self.willSave, object: self, userInfo: SaveOutcome(self).announcement)
    // Whoever was told may have changed something.
    processPendingChanges()
    // Where the stores stand must be known before, so that these saves are not news.
    if standings.isEmpty { try catchUp() }
    try checkModels()
    try checkDenials()
    var outcome = SaveOutcome()
    // What was saved is told even where a later store refuses.
    defer { tell(outcome) }
    for store in container.stores {
      let isAlone = container.stores.count == 1
      func isOurs(_ state: ModelState) -> Bool {
        isAlone || container.store(ofEntity: state.layout.name) === store
      }
      let changes = PendingChanges(
        inserted: inserted.states.filter(isOurs), updated: updated.states.filter(isOurs),
        deleted: deleted.states.filter(isOurs))
      if !changes.isEmpty { try save(changes, to: store, &outcome) }
    }
  }

  private func tell(_ outcome: SaveOutcome) {
    guard outcome.hasSaved else { return }
    NotificationCenter.default.post(
      name: Self.didSave, object: self, userInfo: outcome.userInfo)
    container.saves.tell(outcome.saves)
  }

  /// Checks that there is a store for every model that is to be put into one.
  private func checkModels() throws {
    for state in inserted.states {
      if let model = state.model, type(of: model) != state.layout.type {
        throw SwiftDataError.unmarkedModel(String(describing: type(of: model)))
      }
      guard container.store(ofEntity: state.layout.name) != nil else {
        throw SwiftDataError.unknownModel(state.layout.name)
      }
    }
  }

  private struct PendingChanges {
    let inserted: [ModelState]
    let updated: [ModelState]
    let deleted: [ModelState]

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    var entityNames: Set<String> { Set((inserted + updated + deleted).map(\.layout.name)) }
  }

  /// What the stores made of a save.
  private struct SaveOutcome {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    var tokens: [String: any HistoryToken] = [:]
    var saves: [RecordedSave] = []
    var hasSaved = false

    /// What is about to be saved.
    init(_ context: ModelContext) {
      inserted = context.inserted.states.map(\.identifier)
      updated = context.updated.states.map(\.identifier)
      deleted = context.deleted.states.map(\.identifier)
    }

    init() {}

    /// What is told before a save.
    var announcement: [AnyHashable: Any] {
      [
        NotificationKey.insertedIdentifiers.rawValue: inserted,
        NotificationKey.updatedIdentifiers.rawValue: updated,
        NotificationKey.deletedIdentifiers.rawValue: deleted,
      ]
    }

    /// What is told after a save.
    var userInfo: [AnyHashable: Any] {
      announcement.merging([NotificationKey.historyTokens.rawValue: tokens]) { $1 }
    }
  }

  private func save<S: DataStore>(
    _ changes: PendingChanges, to store: S, _ outcome: inout SaveOutcome
  ) throws {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshots(_ states: [ModelState]) -> [S.Snapshot] {
      if let snapshots = Self.defaultSnapshots(states, for: store) as? [S.Snapshot] {
        return snapshots
      }
      return states.map { state in
        // Only our own store knows what to do with values that were not read.
        if !(store is DefaultStore) { readAll(state) }
        return S.Snapshot(from: state.backingData, relatedBackingDatas: &related)
      }
    }
    let request = DataStoreSaveChangesRequest(
      editingState: editingState, inserted: snapshots(changes.inserted),
      updated: snapshots(changes.updated), deleted: snapshots(changes.deleted))
    let (result, recorded) = try container.saves.noting(
      { try store.save(request) }, to: store, by: editingState, entityNames: changes.entityNames)
    outcome.hasSaved = true
    if let recorded { outcome.saves.append(recorded) }
    outcome.updated += changes.updated.map(\.identifier)
    outcome.deleted += changes.deleted.map(\.identifier)
    var seen: Set<PersistentIdentifier> = []
    for state in changes.inserted {
      // Two models with the same unique values have become one.
      guard let identifier = result.remappedIdentifiers[state.identifier] else { continue }
      if seen.insert(identifier).inserted { outcome.inserted.append(identifier) }
    }
    if let token = result.historyToken {
      outcome.tokens[store.identifier] = token
      saved(token, to: store)
    }

    for state in changes.inserted { settle(state, result.remappedIdentifiers) }
    for state in changes.updated { settle(state, result.remappedIdentifiers) }
    for state in changes.deleted {
      deleted.remove(state)
      leave(state)
    }
    for (identifier, snapshot) in result.snapshotsToReregister {
      undoRecorder?.isPresent(identifier)
      guard let layout = container.schema.layouts[identifier.entityName] else { continue }
      _ = register(
        identifier, values: try SnapshotReader.values(of: snapshot, layout: layout),
        as: layout.type)
    }
  }

  /// The snapshots for a store of our own, taken of the states themselves; nil for any other store.
  private static func defaultSnapshots(_ states: [ModelState], for store: any DataStore) -> Any? {
    store is DefaultStore ? states.map { DefaultSnapshot($0) } : nil
  }

  /// Reads what is not known of a model yet.
  func readAll(_ state: ModelState) {
    for index in state.values.indices {
      if case .fault = state.values[index] { fulfill(state) }
      if case .toManyFault = state.values[index] { _ = state.toManyReferences(at: index) }
    }
  }

  /// Makes a saved model one of the store's.
  private func settle(
    _ state: ModelState, _ remapped: [PersistentIdentifier: PersistentIdentifier]
  ) {
    let model = state.model
    inserted.remove(state)
    updated.remove(state)
    for index in state.layout.relationshipPlaces {
      if case .toManyFault = state.values[index] {
        // What was to be added and taken out is in the store by now.
        state.values[index] = .toManyFault(added: [], removed: [])
      } else {
        state.values[index] = state.values[index].remapped(remapped)
      }
    }
    state.original = nil
    state.changed = []
    state.phase = .registered
    state.keepContext()
    guard let model, let identifier = remapped[state.identifier] else { return }
    forget(state.identifier)
    undoRecorder?.replaced(state.identifier, by: identifier)
    if let other = knownModel(for: identifier)?.state, other !== state {
      // The store had the model already: both objects are that one from now on.
      if other.original == nil {
        for (index, value) in other.layout.faultValues.enumerated() {
          if case .fault = value { other.change(value, at: index) }
        }
      }
      model.share(other)
      state.context = nil
      state.phase = .standalone
      return
    }
    state.identifier = identifier
    remember(model, as: identifier)
  }
}

extension ModelState {
  /// The values as backing data of the model's class.
  fileprivate var backingData: any BackingData {
    func make<Model: PersistentModel>(_ type: Model.Type) -> any BackingData {
      ModelBackingData<Model>(self)
    }
    return make(layout.type)
  }
}

extension PersistentModel {
  /// Takes the values of another object of the same model.
  fileprivate func share(_ state: ModelState) {
    persistentBackingData = ModelBackingData<Self>(state)
  }
}
