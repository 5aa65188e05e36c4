import Foundation
import StoreFormat

extension ModelContext {
  /// Is posted before a context saves, with what it is about to save: the identifiers of new models
  /// are temporary yet. Whoever is told may change more, and that is saved as well.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Is posted after a context has saved; ``NotificationKey`` names what it tells.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// What a notification of ``didSave`` tells, in its `userInfo` under the raw value.
  public enum NotificationKey: String {
    /// The place in the histories of the stores up to which the context has taken over what was saved, a
    /// ``DefaultHistoryToken``; none where it has no store in SwiftData's own layout.
    case queryGeneration
    /// The identifiers of models that have left the context since it last saved, because others have
    /// deleted them, an array; of very many the last ones.
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
  /// Where a store refuses, no store has changed, and the changes are still there to be corrected or
  /// rolled back. Stores of one's own are saved when all others are ready, one after the other: where
  /// the second one refuses, the first one stays saved.
  ///
  /// - Throws: ``SwiftDataError``, and what a store of one's own throws.
  public func save() throws {
    if let error = foreignModelError {
      foreignModelError = nil
      throw error
    }
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
    try readUnreadLists()
    try checkChangedBlanks()
    let parts = try saveParts()
    var outcome = SaveOutcome()
    // What was saved is told even where a later store refuses.
    defer { tell(outcome) }
    do {
      try container.saves.noting {
        try save(parts)
      } recorded: {
        parts.compactMap { $0.recorded(by: editingState) }
      }
    } catch let error as PartlySaved {
      letGo(parts)
      throw SwiftDataError(
        .storeFailure,
        "\(error.reason); the models of this save have left the context, fetch them again")
    } catch {
      // Of stores of one's own some may have saved.
      for part in parts { part.settle(in: self, &outcome) }
      throw error
    }
    for part in parts { part.settle(in: self, &outcome) }
    lastError = nil
  }

  /// What is to be saved, by store.
  ///
  /// - Throws: What a store throws of which more must be read before.
  private func saveParts() throws -> [any SavePart] {
    try container.stores.compactMap { store in
      let isAlone = container.stores.count == 1
      func isOurs(_ state: ModelState) -> Bool {
        isAlone || container.store(ofEntity: state.layout.name) === store
      }
      let changes = PendingChanges(
        inserted: inserted.states.filter(isOurs), updated: updated.states.filter(isOurs),
        deleted: deleted.states.filter(isOurs))
      func part<S: DataStore>(_ store: S) throws -> any SavePart {
        try StoreSavePart(changes, to: store, by: self)
      }
      return try changes.isEmpty ? nil : part(store)
    }
  }

  /// Saves all parts, or none as far as the stores can.
  private func save(_ parts: [any SavePart]) throws {
    let own = parts.compactMap { $0 as? StoreSavePart<DefaultStore> }
    func saveOthers() throws {
      for part in parts where !(part is StoreSavePart<DefaultStore>) { try part.save() }
    }
    if own.count == parts.count, own.count == 1 { return try own[0].save() }
    guard !own.isEmpty else { return try saveOthers() }
    let results = try DefaultStore.save(
      own.map { ($0.store, $0.request) }, whenReady: saveOthers)
    for (part, result) in zip(own, results) { part.result = result }
  }

  /// Lets the models of a save go of which it is not known in which stores it is.
  private func letGo(_ parts: [any SavePart]) {
    for part in parts {
      for state in part.changes.inserted + part.changes.updated + part.changes.deleted {
        inserted.remove(state)
        updated.remove(state)
        deleted.remove(state)
        noteInvalidated(state.identifier)
        leave(state)
      }
    }
    undoRecorder?.forgetAll()
    changesHaveBegun()
  }

  private func tell(_ outcome: SaveOutcome) {
    guard outcome.hasSaved else { return }
    var userInfo = outcome.userInfo
    userInfo[NotificationKey.queryGeneration.rawValue] = knownPlace
    userInfo[NotificationKey.invalidatedAllIdentifiers.rawValue] = invalidated
    invalidated = []
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: userInfo)
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

  /// Reads what is not known of a model yet.
  ///
  /// - Throws: What the store throws.
  func readAll(_ state: ModelState) throws {
    for index in state.values.indices {
      if case .fault = state.values[index] { try fulfill(state) }
      if case .toManyFault = state.values[index] { _ = try state.readList(at: index) }
    }
    state.readFiles()
  }

  /// Makes a saved model one of the store's.
  func settle(
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
    if let known = knownModel(for: identifier), let other = known.state, other !== state {
      // The store had the model already: both objects are that one from now on.
      if other.original == nil { other.forgetValues() }
      model.share(other, with: known)
      state.context = nil
      state.phase = .standalone
      return
    }
    state.identifier = identifier
    remember(model, as: identifier)
  }
}

extension ModelState {
  /// Lets all values be read when they are next asked for.
  func forgetValues() {
    for (index, value) in layout.faultValues.enumerated()
    where !layout.properties[index].isTransient {
      change(value, at: index)
    }
  }
}

extension PersistentModel {
  /// Takes the values of another object of the same model.
  fileprivate func share(_ state: ModelState, with known: any PersistentModel) {
    let backingData = ModelBackingData<Self>(state)
    backingData.known = known
    persistentBackingData = backingData
  }
}
