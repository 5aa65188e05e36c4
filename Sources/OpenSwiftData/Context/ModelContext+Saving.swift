import Foundation
import StoreFormat

extension ModelContext {
  /// The notification posted before a context saves, with the changes that it is about to save.
  ///
  /// The identifiers of new models are temporary. Changes made by observers are saved too.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// The notification posted after a context saved, with the entries of ``NotificationKey``.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The entries of ``didSave``, by raw value in its `userInfo`.
  public enum NotificationKey: String {
    /// The position up to which the context knows all saves, a ``DefaultHistoryToken``; missing
    /// without a ``DefaultStore``.
    case queryGeneration
    /// The identifiers of models that left the context since its last save because others deleted
    /// them, an array; if there are many, the last ones.
    case invalidatedAllIdentifiers
    /// The identifiers of new models, an array.
    case insertedIdentifiers
    /// The identifiers of updated models, an array.
    case updatedIdentifiers
    /// The identifiers of deleted models, an array.
    case deletedIdentifiers
    /// The positions of the save in the stores' histories, a dictionary by store identifier.
    case historyTokens
  }

  /// Saves all changes, those of each store as one transaction.
  ///
  /// If a store refuses, no store is changed, and the changes stay to be corrected or rolled back.
  /// Custom stores are saved when all others are ready, one after the other: if the second one
  /// refuses, the first one stays saved.
  ///
  /// - Throws: ``SwiftDataError``, also for a model of another context that was used in this one,
  ///   and for changes of values and lists that could not be read; the errors of a custom store.
  public func save() throws {
    if let error = foreignModelError {
      foreignModelError = nil
      throw error
    }
    try applyUnappliedRules()
    processPendingChanges()
    guard hasChanges else { return }
    NotificationCenter.default.post(
      name: Self.willSave, object: self, userInfo: SaveOutcome(self).announcement)
    // Observers may have changed something.
    processPendingChanges()
    // The stores' positions must be known first, so that these saves are not news.
    if states.isEmpty { try catchUp() }
    try checkModels()
    try checkDenials()
    try readUnreadLists()
    try checkChangedBlanks()
    let parts = try saveParts()
    var outcome = SaveOutcome()
    // Saves are reported even if a later store refuses.
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
      // Some custom stores may have saved.
      for part in parts { part.settle(in: self, &outcome) }
      throw error
    }
    lastError = nil
    for part in parts { part.settle(in: self, &outcome) }
  }

  private func saveParts() throws -> [any SavePart] {
    try container.stores.compactMap { store in
      func isOurs(_ state: ModelState) -> Bool { container.store(of: state.identifier) === store }
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

  /// Releases the models of a save if it is unknown which stores have it.
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
    var userInfo = outcome.announcement
    userInfo[NotificationKey.historyTokens.rawValue] = outcome.tokens
    userInfo[NotificationKey.queryGeneration.rawValue] = knownPlace
    userInfo[NotificationKey.invalidatedAllIdentifiers.rawValue] = invalidated
    invalidated = []
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: userInfo)
    container.saves.tell(outcome.saves)
  }

  /// Throws an error unless there is a store for every new model.
  private func checkModels() throws {
    for state in inserted.states {
      if let model = state.model, type(of: model) != state.layout.type {
        throw SwiftDataError.unmarkedModel(String(describing: type(of: model)))
      }
      try container.check(state.layout)
    }
  }

  /// Turns a saved model into one of the store.
  ///
  /// - Parameter merged: The identifiers of objects that models of the save became together with others,
  ///   so that not all of their relationships were known.
  fileprivate func settle(
    _ state: ModelState, _ remapped: [PersistentIdentifier: PersistentIdentifier],
    _ merged: Set<PersistentIdentifier>
  ) {
    let model = state.model
    inserted.remove(state)
    updated.remove(state)
    for index in state.layout.relationshipPlaces {
      if case .toManyFault = state.values[index] {
        // Additions and removals are in the store now.
        state.values[index] = .toManyFault(added: [], removed: [])
      } else {
        state.values[index] = state.values[index].remapped(remapped)
        if !merged.isEmpty, state.values[index].leads(toAnyOf: merged) {
          state.change(state.layout.faultValues[index], at: index)
        }
      }
    }
    state.original = nil
    state.changed = []
    state.phase = .registered
    state.keepContext()
    guard let model, let identifier = remapped[state.identifier] else { return }
    forget(state.identifier)
    undoRecorder?.aliases.replaced(state.identifier, by: identifier)
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

extension ModelContext {
  /// Releases a model whose changes were not saved because others deleted it.
  fileprivate func drop(_ state: ModelState) {
    updated.remove(state)
    noteInvalidated(state.identifier)
    leave(state)
  }
}

extension DataStoreSaveChangesResult {
  /// The identifiers of objects that were there before, or that several new models have become.
  fileprivate var mergedIdentifiers: Set<PersistentIdentifier> {
    var merged = unreadIdentifiers.union(snapshotsToReregister.keys)
    var seen: Set<PersistentIdentifier> = []
    for identifier in remappedIdentifiers.values where !seen.insert(identifier).inserted {
      merged.insert(identifier)
    }
    return merged
  }
}

extension PropertyValue {
  fileprivate func leads(toAnyOf identifiers: Set<PersistentIdentifier>) -> Bool {
    switch self {
    case .toOne(let reference?): identifiers.contains(reference.identifier)
    case .toMany(let references): references.contains { identifiers.contains($0.identifier) }
    default: false
    }
  }
}

extension Array {
  /// Returns the elements that meet a condition, and the others.
  fileprivate func divided(by condition: (Element) -> Bool) -> ([Element], [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}

extension PersistentModel {
  /// Takes the values of another object of the same model.
  fileprivate func share(_ state: ModelState, with known: any PersistentModel) {
    persistentBackingData = ModelBackingData<Self>(state, sharedWith: known)
  }
}

extension ModelState {
  /// Lets all values be read again.
  fileprivate func forgetValues() {
    for (index, value) in layout.faultValues.enumerated()
    where !layout.properties[index].isTransient {
      change(value, at: index)
    }
  }

  fileprivate var backingData: any BackingData {
    func make<Model: PersistentModel>(_ type: Model.Type) -> any BackingData {
      ModelBackingData<Model>(self)
    }
    return make(layout.type)
  }
}

// MARK: - Parts of a save

/// The unsaved changes of a context in one store.
private struct PendingChanges {
  let inserted: [ModelState]
  let updated: [ModelState]
  let deleted: [ModelState]

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  var entityNames: Set<String> { Set((inserted + updated + deleted).map(\.layout.name)) }
}

/// The changes of a save, or their results in the stores.
private struct SaveOutcome {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  var tokens: [String: any HistoryToken] = [:]
  var saves: [RecordedSave] = []
  var hasSaved = false

  init(_ context: ModelContext) {
    inserted = context.inserted.states.map(\.identifier)
    updated = context.updated.states.map(\.identifier)
    deleted = context.deleted.states.map(\.identifier)
  }

  init() {}

  var announcement: [AnyHashable: Any] {
    typealias Key = ModelContext.NotificationKey
    return [
      Key.insertedIdentifiers.rawValue: inserted, Key.updatedIdentifiers.rawValue: updated,
      Key.deletedIdentifiers.rawValue: deleted,
    ]
  }
}

/// The part of a save that belongs to one store.
private protocol SavePart: AnyObject {
  var changes: PendingChanges { get }
  func save() throws
  /// Returns the save for observers, or `nil` if there was none, or one without changes.
  func recorded(by editingState: EditingState) -> RecordedSave?
  /// Updates the context after the save, if it succeeded.
  func settle(in context: ModelContext, _ outcome: inout SaveOutcome)
}

private final class StoreSavePart<Store: DataStore>: SavePart {
  let changes: PendingChanges
  let store: Store
  let request: DataStoreSaveChangesRequest<Store.Snapshot>
  /// The result of the store, or `nil` before it saved.
  var result: DataStoreSaveChangesResult<Store.Snapshot>?

  init(_ changes: PendingChanges, to store: Store, by context: ModelContext) throws {
    self.changes = changes
    self.store = store
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshots(_ states: [ModelState]) throws -> [Store.Snapshot] {
      if store is DefaultStore,
        let snapshots = states.map({ DefaultSnapshot($0) }) as? [Store.Snapshot]
      {
        return snapshots
      }
      return try states.map { state in
        // A custom store does not know unread values.
        try context.readAll(state)
        return Store.Snapshot(from: state.backingData, relatedBackingDatas: &related)
      }
    }
    request = DataStoreSaveChangesRequest(
      editingState: context.editingState, inserted: try snapshots(changes.inserted),
      updated: try snapshots(changes.updated), deleted: try snapshots(changes.deleted))
  }

  func save() throws { result = try store.save(request) }

  func recorded(by editingState: EditingState) -> RecordedSave? {
    // A save without changes is no transaction; a custom store may keep no history.
    guard let result, result.historyToken != nil || !(store is DefaultStore) else { return nil }
    return RecordedSave(
      storeIdentifier: store.identifier,
      number: (result.historyToken as? DefaultHistoryToken)?.number(of: store.identifier),
      token: result.historyToken, author: editingState.author, entityNames: changes.entityNames,
      contextIdentifier: editingState.id, origin: .container)
  }

  func settle(in context: ModelContext, _ outcome: inout SaveOutcome) {
    guard let result else { return }
    outcome.hasSaved = true
    if let recorded = recorded(by: context.editingState) { outcome.saves.append(recorded) }
    let (gone, kept) = changes.updated.divided(by: {
      result.goneIdentifiers.contains($0.identifier)
    })
    outcome.updated += kept.map(\.identifier)
    outcome.deleted += changes.deleted.map(\.identifier)
    var seen: Set<PersistentIdentifier> = []
    for state in changes.inserted {
      // Two models with the same unique values have become one.
      guard let identifier = result.remappedIdentifiers[state.identifier] else { continue }
      if seen.insert(identifier).inserted { outcome.inserted.append(identifier) }
    }
    if let token = result.historyToken {
      outcome.tokens[store.identifier] = token
      context.saved(token, to: store)
    }
    let merged = result.mergedIdentifiers
    for state in changes.inserted + kept {
      context.settle(state, result.remappedIdentifiers, merged)
    }
    for state in gone { context.drop(state) }
    for state in changes.deleted {
      context.deleted.remove(state)
      context.leave(state)
    }
    for (identifier, snapshot) in result.snapshotsToReregister {
      context.undoRecorder?.aliases.isPresent(identifier)
      // The save succeeded, so the problem of a snapshot cannot be thrown.
      do {
        _ = try context.register(snapshot)
      } catch {
        context.couldNotRead(error)
        context.knownModel(for: identifier)?.state?.forgetValues()
      }
    }
    for identifier in result.unreadIdentifiers {
      context.undoRecorder?.aliases.isPresent(identifier)
      context.knownModel(for: identifier)?.state?.forgetValues()
    }
  }
}
