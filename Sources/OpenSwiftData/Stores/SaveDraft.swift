import StoreFormat
import StoreWriting

/// Translates the changes of a context into a save of the store.
struct SaveDraft {
  private let store: DefaultStore
  private(set) var save: StoreSave
  /// The object that each new model becomes: a new one, or one with its unique values.
  private(set) var inserted: [PersistentIdentifier: StoreObject] = [:]

  /// - Parameter gone: Models that others deleted, whose changes are omitted.
  init(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, store: DefaultStore,
    without gone: Set<PersistentIdentifier> = []
  ) throws {
    self.store = store
    save = StoreSave(header: request.editingState)
    let updated =
      gone.isEmpty
      ? request.updated : request.updated.filter { !gone.contains($0.persistentIdentifier) }
    try add(inserted: request.inserted, updated: updated, deleted: request.deleted)
    try add(updated: updated)
  }

  private mutating func add(
    inserted snapshots: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot]
  ) throws {
    let deletedObjects = Set(try deleted.map { try store.object($0.persistentIdentifier) })
    let contents = try snapshots.map { try $0.storedAttributes(at: $0.values.indices) }
    let identities = try UniqueIdentities(
      snapshots, contents, updated: updated, deleted: deletedObjects, store: store)
    inserted.reserveCapacity(snapshots.count)
    var objects: [StoreObject?] = Array(repeating: nil, count: identities.count)
    // The first of the models that become an existing object.
    var known: [PersistentIdentifier: PresentValues.Present] = [:]
    // The objects that several new models become.
    var shared: Set<StoreObject> = []
    for (place, snapshot) in snapshots.enumerated() {
      let number = identities.numbers[place]
      let object: StoreObject
      if let earlier = objects[number] {
        save.update(earlier, values: contents[place])
        shared.insert(earlier)
        object = earlier
      } else if let present = identities.present(number) {
        save.update(present.object, values: contents[place].filter { !present.has($1, in: $0) })
        known[snapshot.persistentIdentifier] = present
        object = present.object
      } else {
        object = save.insert(snapshot.layout.name, values: contents[place])
      }
      objects[number] = object
      inserted[snapshot.persistentIdentifier] = object
    }
    // Related models may come later in the list.
    for snapshot in snapshots {
      guard let object = inserted[snapshot.persistentIdentifier] else { continue }
      let (toOne, toMany) = try relationships(
        of: snapshot, at: snapshot.layout.relationshipPlaces)
      let present = known[snapshot.persistentIdentifier]
      // A relationship without target is empty in a new object anyway, and stays in an existing
      // one.
      let links = toOne.filter { name, target in
        target.map { !(present?.leads(to: $0, by: name) ?? false) } ?? false
      }
      guard !links.isEmpty || !toMany.isEmpty else { continue }
      // An object that is several models is related to what any of them is, and one that was there
      // keeps what it is related to.
      if object.primaryKey != nil || shared.contains(object) {
        save.update(object, toOne: links, added: toMany)
      } else {
        save.update(object, toOne: links, toMany: toMany)
      }
    }
    for object in deletedObjects.sorted(by: { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }) {
      save.delete(object)
    }
  }

  private mutating func add(updated snapshots: [DefaultSnapshot]) throws {
    for snapshot in snapshots {
      let indices = snapshot.changedPlaces
      let (toOne, toMany) = try relationships(of: snapshot, at: indices)
      let values = try snapshot.storedAttributes(at: indices)
      guard !values.isEmpty || !toOne.isEmpty || !toMany.isEmpty else { continue }
      save.update(
        try store.object(snapshot.persistentIdentifier), values: values, toOne: toOne,
        toMany: toMany)
    }
  }

  private func relationships(
    of snapshot: DefaultSnapshot, at indices: [Int]
  ) throws -> (toOne: [String: StoreObject?], toMany: [String: [StoreObject]]) {
    var toOne: [String: StoreObject?] = [:]
    var toMany: [String: [StoreObject]] = [:]
    for index in indices {
      let name = snapshot.layout.properties[index].name
      switch snapshot.values[index] {
      case .toOne(let reference):
        toOne[name] = .some(try reference.map { try object($0.identifier) })
      case .toMany(let references):
        let isKeptThere = snapshot.layout.inverseProperty(of: index)?.isToOne ?? false
        let isNew = snapshot.persistentIdentifier.isTemporary
        if !isKeptThere, !(isNew && references.isEmpty) {
          toMany[name] = try references.map { try object($0.identifier) }
        }
      default: break
      }
    }
    return (toOne, toMany)
  }

  private func object(_ identifier: PersistentIdentifier) throws -> StoreObject {
    try inserted[identifier] ?? store.object(identifier)
  }
}
