import Foundation
import StoreFormat

extension DefaultStore {
  /// How often a save is tried again that another program's save has made a duplicate of.
  private static let mostAttempts = 5

  /// Saves what a context has changed as one transaction.
  ///
  /// - Throws: ``SwiftDataError``; the store is then as it was.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let editor = try writable()
    var attempt = 1
    while true {
      do {
        return try save(request, with: editor)
      } catch StoreWriteError.notUnique where attempt < Self.mostAttempts {
        // Between the look and the save another program has saved the same unique value.
        attempt += 1
      } catch let error as StoreWriteError where error.isMissingObject {
        try Self.checkMissing([(self, request)], error, isLast: attempt == Self.mostAttempts)
        attempt += 1
      } catch let error where error is StoreWriteError || error is StoreError {
        return try translating { throw error }
      }
    }
  }

  private func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, with editor: StoreEditor
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let draft = try SaveDraft(request, store: self)
    return result(of: draft, try editor.append(draft.save))
  }

  private func result(
    of draft: SaveDraft, _ appended: AppendedTransaction?
  ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (temporary, object) in draft.inserted {
      if let key = appended?.primaryKey(of: object) ?? object.primaryKey {
        remapped[temporary] = PersistentIdentifier(
          entityName: object.entityName, storeIdentifier: identifier, key: .number(key))
      }
    }
    // What was there is read again. It was saved by now, whether or not that succeeds.
    let present = draft.inserted.values.filter { $0.primaryKey != nil }
    let snapshots = try? snapshots(of: present)
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: snapshots ?? [:],
      unreadIdentifiers: snapshots == nil ? Set(present.map(persistentIdentifier)) : [],
      historyToken: appended.map { DefaultHistoryToken([identifier: $0.position.number]) })
  }

  /// What one of several stores is to save.
  typealias StoreRequest = (
    store: DefaultStore, request: DataStoreSaveChangesRequest<DefaultSnapshot>
  )

  /// Saves to several stores what a context has changed, in all of them or in none.
  ///
  /// - Parameters:
  ///   - parts: The stores, each once, and what they are to save.
  ///   - whenReady: Is run when nothing but a failing disk can keep them from saving; where it throws,
  ///     nothing is saved.
  /// - Returns: The results in the order of the parts.
  /// - Throws: What `whenReady` throws; ``SwiftDataError``, and all stores are then as they were;
  ///   ``PartlySaved`` where the save is in some of them.
  static func save(
    _ parts: [StoreRequest], whenReady: () throws -> Void
  ) throws -> [DataStoreSaveChangesResult<DefaultSnapshot>] {
    let editors = try parts.map { try $0.store.writable() }
    var attempt = 1
    // From then on others may have saved, and nothing is tried again.
    var hasAsked = false
    var refusal: (any Error)?
    while true {
      do {
        let drafts = try parts.map { try SaveDraft($0.request, store: $0.store) }
        var save = JointSave()
        for (draft, editor) in zip(drafts, editors) { save.add(draft.save, to: editor) }
        let appended = try save.append {
          hasAsked = true
          do {
            try whenReady()
          } catch {
            refusal = error
            throw error
          }
        }
        return parts.indices.map { index in
          parts[index].store.result(of: drafts[index], appended[index])
        }
      } catch let error where refusal != nil {
        throw error
      } catch let error as StoreWriteError where hasAsked {
        if case .unfinishedJointSave = error { throw PartlySaved(reason: error) }
        return try parts[0].store.translating { throw error }
      } catch StoreWriteError.notUnique where attempt < mostAttempts {
        attempt += 1
      } catch let error as StoreWriteError where error.isMissingObject {
        try checkMissing(parts, error, isLast: attempt == mostAttempts)
        attempt += 1
      } catch let error where error is StoreWriteError || error is StoreError {
        return try parts[0].store.translating { throw error }
      }
    }
  }
}

/// A save to several stores is in some of them, and not in all.
struct PartlySaved: Error {
  let reason: StoreWriteError
}

extension DefaultStore {
  /// The values of objects that a save has updated instead of inserting them.
  fileprivate func snapshots(
    of objects: [StoreObject]
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (name, group) in Dictionary(grouping: objects, by: \.entityName) {
      let keys = group.compactMap(\.primaryKey).map(StoredValue.integer)
      let found = try fetcher.objects(
        ObjectFetch(name, where: .contained(.primaryKey(ObjectPath(variable: 0)), keys)))
      for snapshot in try self.snapshots(of: found) {
        snapshots[snapshot.persistentIdentifier] = snapshot
      }
    }
    return snapshots
  }
}

/// A context's changes on their way into the terms of the store.
private struct SaveDraft {
  let store: DefaultStore
  private(set) var save: StoreSave
  /// What became of each new model: an object that is inserted, or one that has its unique values.
  private(set) var inserted: [PersistentIdentifier: StoreObject] = [:]
  private var byUniqueValues: [UniqueKey: StoreObject] = [:]
  private var present: PresentValues
  private var updated: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, store: DefaultStore
  ) throws {
    self.store = store
    present = PresentValues(store)
    save = StoreSave(header: request.editingState)
    try add(inserted: request.inserted, updated: request.updated, deleted: request.deleted)
    try add(updated: request.updated)
  }

  private mutating func add(
    inserted snapshots: [DefaultSnapshot], updated: [DefaultSnapshot], deleted: [DefaultSnapshot]
  ) throws {
    let doomed = Set(try deleted.map { try store.object($0.persistentIdentifier) })
    if !snapshots.isEmpty {
      for snapshot in updated { self.updated[snapshot.persistentIdentifier] = snapshot }
    }
    inserted.reserveCapacity(snapshots.count)
    let contents = try snapshots.map { snapshot in
      let values = try attributes(of: snapshot, at: snapshot.values.indices)
      return (values: values, keys: UniqueKey.keys(of: snapshot.layout, values))
    }
    try present.read(contents.flatMap(\.keys))
    for (snapshot, content) in zip(snapshots, contents) {
      try insert(snapshot, content.values, content.keys, doomed)
    }
    // Related models may come later in the list, so relationships come last.
    for snapshot in snapshots {
      guard let object = inserted[snapshot.persistentIdentifier] else { continue }
      let (toOne, toMany) = try relationships(
        of: snapshot, at: snapshot.layout.relationshipPlaces)
      // Relationships that lead nowhere are so in a new object, and stay in one that was there.
      let links = toOne.filter { $0.value != nil }
      if !links.isEmpty || !toMany.isEmpty { save.update(object, toOne: links, toMany: toMany) }
    }
    for object in doomed.sorted(by: { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }) {
      save.delete(object)
    }
  }

  private mutating func add(updated snapshots: [DefaultSnapshot]) throws {
    for snapshot in snapshots {
      let indices = snapshot.changedPlaces
      let (toOne, toMany) = try relationships(of: snapshot, at: indices)
      let values = try attributes(of: snapshot, at: indices)
      guard !values.isEmpty || !toOne.isEmpty || !toMany.isEmpty else { continue }
      save.update(
        try store.object(snapshot.persistentIdentifier), values: values, toOne: toOne,
        toMany: toMany)
    }
  }

  /// Inserts an object, or updates the one that has its unique values already.
  private mutating func insert(
    _ snapshot: DefaultSnapshot, _ values: [String: StoredValue], _ keys: [UniqueKey],
    _ doomed: Set<StoreObject>
  ) throws {
    for key in keys {
      if let present = byUniqueValues[key] {
        try check(present, against: snapshot, key)
        save.update(present, values: values)
        inserted[snapshot.persistentIdentifier] = present
        return
      }
      if let (present, known) = present.object(key, as: snapshot.layout),
        !doomed.contains(present), try !leaves(present, key)
      {
        try check(present, against: snapshot, key)
        save.update(present, values: values.filter { known[$0.key]?.isSame(as: $0.value) != true })
        inserted[snapshot.persistentIdentifier] = present
        for key in keys { byUniqueValues[key] = present }
        return
      }
    }
    let object = save.insert(snapshot.layout.name, values: values)
    inserted[snapshot.persistentIdentifier] = object
    for key in keys { byUniqueValues[key] = object }
  }

  /// Whether this save gives an object other values than those that it was found by.
  private func leaves(_ present: StoreObject, _ key: UniqueKey) throws -> Bool {
    guard let snapshot = updated[store.persistentIdentifier(present)] else { return false }
    let values = try attributes(of: snapshot, at: snapshot.changedPlaces)
    return zip(key.names, key.values).contains { name, value in
      values[name].map { $0 != value } ?? false
    }
  }

  /// Checks that the object which has the unique values can become what is to be inserted: the class
  /// of an object cannot change.
  private func check(
    _ present: StoreObject, against snapshot: DefaultSnapshot, _ key: UniqueKey
  ) throws {
    guard present.entityName != snapshot.layout.name else { return }
    throw SwiftDataError(
      .modelValidationFailure,
      "a \(snapshot.layout.name) cannot be saved, for a \(present.entityName) has the same "
        + "\(key.names.joined(separator: ", ")), which \(key.entityName) declares unique; change "
        + "the value, or delete the other model first")
  }

  // MARK: - Values

  private func attributes(
    of snapshot: DefaultSnapshot, at indices: some Collection<Int>
  ) throws -> [String: StoredValue] {
    var stored: [String: StoredValue] = [:]
    stored.reserveCapacity(indices.count)
    for index in indices {
      let property = snapshot.layout.properties[index]
      guard let codec = property.codec, !property.isTransient else { continue }
      let paths = property.columnPaths
      switch snapshot.values[index] {
      case .value(let value):
        let values = try codec.stored(value, name: "\(snapshot.layout.name).\(property.name)")
        for (path, value) in zip(paths, values) { stored[path] = value }
      case .stored(let value): stored[property.name] = value
      case .inFile(let file): stored[property.name] = .blob(try file.read())
      case .elements(let values):
        for (path, value) in zip(paths, values) { stored[path] = value }
      case .null:
        for path in paths { stored[path] = .null }
      case .fault, .toOne, .toMany, .toManyFault: break
      }
    }
    return stored
  }

  /// The relationships as a store is told of them: one that is kept at its other end is told there.
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
        let inverse = snapshot.layout.inverse(of: index)
        let isKeptThere =
          inverse.map { !($0.layout.properties[$0.index].relationship?.isToMany ?? true) } ?? false
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
