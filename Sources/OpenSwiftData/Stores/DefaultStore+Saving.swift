import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting

extension DefaultStore {
  private static let mostAttempts = 5

  /// Saves the changes of a context as one transaction.
  ///
  /// - Throws: ``SwiftDataError``; the store is then unchanged.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let editor = try writable()
    return try Self.retrying([(self, request)]) { gone in
      let draft = try SaveDraft(request, store: self, without: gone)
      return result(of: draft, try editor.append(draft.save), without: gone)
    }
  }

  /// Runs a save, again if others saved or deleted objects with the same unique values meanwhile, and
  /// without the changes of objects that others deleted.
  private static func retrying<Result>(
    _ parts: [StoreRequest], while mayRetry: () -> Bool = { true },
    _ save: (_ gone: Set<PersistentIdentifier>) throws -> Result
  ) throws -> Result {
    var attempt = 1
    var gone: Set<PersistentIdentifier> = []
    while true {
      do {
        return try save(gone)
      } catch StoreWriteError.notUnique where attempt < mostAttempts && mayRetry() {
        attempt += 1
      } catch let error as StoreWriteError where error.isMissingObject && mayRetry() {
        let found = try goneModels(parts, error, isLast: attempt == mostAttempts)
        // Nothing that was deleted comes back.
        if !found.isSubset(of: gone) { gone.formUnion(found) } else { attempt += 1 }
      } catch let error where error is StoreWriteError || error is StoreError {
        return try parts[0].store.translating { throw error }
      }
    }
  }

  private static func refusingSaves(
    to parts: ArraySlice<StoreRequest>, _ body: () throws -> Void
  ) throws {
    guard let first = parts.first else { return try body() }
    try first.store.refusingSaves { try refusingSaves(to: parts.dropFirst(), body) }
  }

  private func result(
    of draft: SaveDraft, _ appended: AppendedTransaction?, without gone: Set<PersistentIdentifier>
  ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let remapped = draft.inserted.compactMapValues { object in
      (appended?.primaryKey(of: object) ?? object.primaryKey).map {
        PersistentIdentifier(origin(object.entityName), .number($0))
      }
    }
    // Existing objects are read again; the save has succeeded even if that fails.
    let present = draft.inserted.values.filter { $0.primaryKey != nil }.map(persistentIdentifier)
    let snapshots = try? Dictionary(grouping: present, by: \.entityName).flatMap {
      name, group -> [DefaultSnapshot] in
      try schema.layouts[name].map { try self.snapshots(of: group, as: $0) } ?? []
    }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped,
      snapshotsToReregister: Dictionary(
        keepingFirst: (snapshots ?? []).map { ($0.persistentIdentifier, $0) }),
      unreadIdentifiers: snapshots == nil ? Set(present) : [], goneIdentifiers: gone,
      historyToken: appended.map { DefaultHistoryToken([identifier: $0.position.number]) })
  }

  typealias StoreRequest = (
    store: DefaultStore, request: DataStoreSaveChangesRequest<DefaultSnapshot>
  )

  /// Saves the changes of a context to several stores, in all of them or in none.
  ///
  /// - Parameter whenReady: Runs when only a failing disk can prevent the save; if it throws, nothing is
  ///   saved.
  /// - Throws: The error of `whenReady`; ``SwiftDataError``, with all stores unchanged;
  ///   ``PartlySaved`` if only some stores have the save.
  static func save(
    _ parts: [StoreRequest], whenReady: () throws -> Void
  ) throws -> [DataStoreSaveChangesResult<DefaultSnapshot>] {
    let editors = try parts.map { try $0.store.writable() }
    var hasAsked = false
    var refusal: (any Error)?
    do {
      // After asking, others may have saved, so there is no retry.
      return try retrying(parts, while: { !hasAsked }) { gone in
        let drafts = try parts.map { try SaveDraft($0.request, store: $0.store, without: gone) }
        var save = JointSave()
        for (index, draft) in drafts.enumerated() {
          save.add(draft.save, to: editors[index], isTemporary: parts[index].store.isTemporary)
        }
        do {
          let appended = try save.append {
            hasAsked = true
            do {
              try refusingSaves(to: parts[...], whenReady)
            } catch {
              refusal = error
              throw error
            }
          }
          return parts.indices.map { index in
            parts[index].store.result(of: drafts[index], appended[index], without: gone)
          }
        } catch let error as StoreWriteError where hasAsked {
          if case .unfinishedJointSave = error { throw PartlySaved(reason: error) }
          throw error
        }
      }
    } catch {
      throw refusal ?? error
    }
  }
}

/// A save to several stores that only some of them have.
struct PartlySaved: Error {
  let reason: StoreWriteError
}

extension DefaultStore {
  /// Returns the models with changes that others deleted, after a save that misses an object: an object
  /// with the unique values of a new model may have been deleted instead.
  ///
  /// - Throws: ``SwiftDataError`` if a relationship leads to a missing model, or after the last
  ///   attempt.
  static func goneModels(
    _ parts: [StoreRequest], _ error: StoreWriteError, isLast: Bool
  ) throws -> Set<PersistentIdentifier> {
    var gone: Set<PersistentIdentifier> = []
    for (store, request) in parts {
      gone.formUnion(try store.missing(request.updated.map(\.persistentIdentifier)))
    }
    var targets: [PersistentIdentifier] = []
    for (store, request) in parts {
      let kept = request.updated.filter { !gone.contains($0.persistentIdentifier) }
      targets += try store.missing((request.inserted + kept).flatMap(\.newTargets))
    }
    guard targets.isEmpty, !isLast else { throw SwiftDataError.missingTargets(targets, error) }
    return gone
  }

  /// Returns those of some models that the store does not have, each once.
  private func missing(_ identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier] {
    let named = identifiers.filter { !$0.isTemporary }.uniqued { $0 }
    var present: Set<StoreObject> = []
    for (name, group) in Dictionary(grouping: named, by: \.entityName) {
      let keys = try group.compactMap { try object($0).primaryKey }
      for part in keys.chunks(of: 500) {
        let fetch = ObjectFetch(name, keys: part)
        present.formUnion(try translating { try fetcher.identifiers(fetch) })
      }
    }
    return try named.filter { !present.contains(try object($0)) }
  }
}

extension DefaultSnapshot {
  /// The targets of to-one relationships that a save sets.
  fileprivate var newTargets: [PersistentIdentifier] {
    changedPlaces.compactMap { index in
      if case .toOne(let reference?) = values[index] { reference.identifier } else { nil }
    }
  }
}

extension StoreWriteError {
  var isMissingObject: Bool {
    if case .missingObject = self { true } else { false }
  }
}

extension SwiftDataError {
  fileprivate static func missingTargets(
    _ identifiers: [PersistentIdentifier], _ error: StoreWriteError
  ) -> SwiftDataError {
    guard !identifiers.isEmpty else { return SwiftDataError(.modelValidationFailure, "\(error)") }
    let names = identifiers.prefix(5).map { "\($0.entityName)/p\($0.number ?? 0)" }
    let rest = identifiers.count > names.count ? " and \(identifiers.count - names.count) more" : ""
    return SwiftDataError(
      .modelValidationFailure,
      "\(names.joined(separator: ", "))\(rest) are deleted, but are the target of a relationship that "
        + "changed: another context or process deleted them, or this context did while a relationship "
        + "without an inverse led to them; delete these models in this context too, remove them from "
        + "relationships, or roll the context back",
      identifiers: identifiers)
  }
}
