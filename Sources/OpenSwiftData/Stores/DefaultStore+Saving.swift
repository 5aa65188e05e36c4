import Foundation
import StoreEditing
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
