import Foundation

/// What a context has changed and not yet saved in one store.
struct PendingChanges {
  let inserted: [ModelState]
  let updated: [ModelState]
  let deleted: [ModelState]

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
  var entityNames: Set<String> { Set((inserted + updated + deleted).map(\.layout.name)) }
}

/// What the stores made of a save.
struct SaveOutcome {
  private typealias Key = ModelContext.NotificationKey

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
      Key.insertedIdentifiers.rawValue: inserted, Key.updatedIdentifiers.rawValue: updated,
      Key.deletedIdentifiers.rawValue: deleted,
    ]
  }

  /// What is told after a save.
  var userInfo: [AnyHashable: Any] {
    announcement.merging([Key.historyTokens.rawValue: tokens]) { $1 }
  }
}

/// The part of a save that one store gets.
protocol SavePart: AnyObject {
  var changes: PendingChanges { get }

  /// Saves it by itself.
  func save() throws

  /// What is to be told of it; nil where it was not saved, or came to nothing.
  func recorded(by editingState: EditingState) -> RecordedSave?

  /// Makes what was saved the store's in the context as well; nothing happens where it was not saved.
  func settle(in context: ModelContext, _ outcome: inout SaveOutcome)
}

/// The part of a save that a store of some kind gets.
final class StoreSavePart<Store: DataStore>: SavePart {
  let changes: PendingChanges
  let store: Store
  let request: DataStoreSaveChangesRequest<Store.Snapshot>
  /// What the store has made of it; nil before it was saved.
  var result: DataStoreSaveChangesResult<Store.Snapshot>?

  init(_ changes: PendingChanges, to store: Store, by context: ModelContext) throws {
    self.changes = changes
    self.store = store
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshots(_ states: [ModelState]) throws -> [Store.Snapshot] {
      // Of a store of our own taken of the states themselves.
      if store is DefaultStore,
        let snapshots = states.map({ DefaultSnapshot($0) }) as? [Store.Snapshot]
      {
        return snapshots
      }
      return try states.map { state in
        // Only our own store knows what to do with values that were not read.
        if !(store is DefaultStore) { try context.readAll(state) }
        return Store.Snapshot(from: state.backingData, relatedBackingDatas: &related)
      }
    }
    request = DataStoreSaveChangesRequest(
      editingState: context.editingState, inserted: try snapshots(changes.inserted),
      updated: try snapshots(changes.updated), deleted: try snapshots(changes.deleted))
  }

  func save() throws { result = try store.save(request) }

  func recorded(by editingState: EditingState) -> RecordedSave? {
    // A save that came to nothing is no transaction; a store of one's own may keep no history.
    guard let result, result.historyToken != nil || !(store is DefaultStore) else { return nil }
    return RecordedSave(
      storeIdentifier: store.identifier,
      number: (result.historyToken as? DefaultHistoryToken)?.number(of: store.identifier),
      token: result.historyToken, author: editingState.author, entityNames: changes.entityNames,
      contextIdentifier: editingState.id)
  }

  func settle(in context: ModelContext, _ outcome: inout SaveOutcome) {
    guard let result else { return }
    outcome.hasSaved = true
    if let recorded = recorded(by: context.editingState) { outcome.saves.append(recorded) }
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
      context.saved(token, to: store)
    }
    for state in changes.inserted { context.settle(state, result.remappedIdentifiers) }
    for state in changes.updated { context.settle(state, result.remappedIdentifiers) }
    for state in changes.deleted {
      context.deleted.remove(state)
      context.leave(state)
    }
    for (identifier, snapshot) in result.snapshotsToReregister {
      context.undoRecorder?.isPresent(identifier)
      guard let layout = context.container.schema.layouts[identifier.entityName] else { continue }
      // Whoever asks for what cannot be read is told so; it was saved all the same.
      if let values = try? SnapshotReader.values(of: snapshot, layout: layout) {
        _ = context.register(identifier, values: values, as: layout.type)
      } else {
        context.knownModel(for: identifier)?.state?.forgetValues()
      }
    }
    for identifier in result.unreadIdentifiers {
      context.undoRecorder?.isPresent(identifier)
      context.knownModel(for: identifier)?.state?.forgetValues()
    }
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
