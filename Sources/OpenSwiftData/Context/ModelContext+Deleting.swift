import StoreFormat

extension ModelContext {
  /// Deletes a model at the next save, and applies the delete rules of its relationships at once.
  ///
  /// Deleting a model that was never inserted, or is deleted already, has no effect. A model of
  /// another context is not deleted, and the next ``save()`` throws an error.
  public func delete<T>(_ model: T) where T: PersistentModel {
    guard isOwn(model, verb: "deleted"), let first = begin(deleting: model) else { return }
    // Models that a rule deletes come before the model, without recursion, since chains can be
    // long.
    var pending = [first]
    while var deletion = pending.popLast() {
      if let identifier = deletion.taken.popLast() {
        pending.append(deletion)
        if let model = existingModel(for: identifier), let next = begin(deleting: model) {
          pending.append(next)
        }
      } else if deletion.next < deletion.state.layout.properties.count {
        deletion.taken = applyNextRule(of: &deletion).reversed()
        pending.append(deletion)
      } else {
        finish(deletion)
      }
    }
    changesHaveBegun()
  }

  /// Deletes all models that match a predicate at the next save; a custom store that is
  /// ``DataStoreBatching`` deletes the stored ones at once.
  ///
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - predicate: The condition that models must meet, or `nil` for all.
  ///   - includeSubclasses: Whether to delete models of subclasses too.
  /// - Throws: The errors of ``fetch(_:)``.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    let layout = EntityLayout.of(T.self)
    let request = DataStoreBatchDeleteRequest<T>(
      editingState: editingState, predicate: predicate, includeSubclasses: includeSubclasses)
    for store in container.stores(ofEntity: layout.name) where !(store is DefaultStore) {
      try deleteAtOnce(request, in: store)
    }
    for model in try fetch(FetchDescriptor<T>(predicate: predicate))
    where includeSubclasses || model.state?.layout === layout {
      delete(model)
    }
  }

  private func deleteAtOnce<T, Store: DataStore>(
    _ batch: DataStoreBatchDeleteRequest<T>, in store: Store
  ) throws {
    guard let batching = store as? any DataStoreBatching else { return }
    do {
      try batching.delete(batch)
    } catch is DataStoreError {
      // The models are found and deleted one by one.
      return
    }
    let known = knownModels(ofStore: store.identifier).filter { $0 is T }
    guard !known.isEmpty else { return }
    let rest = Set(try store.fetchIdentifiers(request(FetchDescriptor<T>())))
    for state in known.compactMap(\.state) where !rest.contains(state.identifier) { isGone(state) }
  }

  /// A model that counts as deleted, and the delete rules that are still to be applied.
  private struct Deletion {
    let model: any PersistentModel
    let state: ModelState
    let wasInserted: Bool
    /// The index of the next property.
    var next = 0
    /// The models that the last rule deletes, last first.
    var taken: [PersistentIdentifier] = []
    /// The same models, as far as they were read ahead.
    var held: [any PersistentModel] = []
  }

  /// - Returns: `nil` for a model that is deleted already or does not belong to this context.
  private func begin(deleting model: any PersistentModel) -> Deletion? {
    guard let state = model.state, state.context === self else { return nil }
    let wasInserted = state.phase == .inserted
    guard wasInserted || state.phase == .registered else { return nil }
    // After the save, only values known by then can be brought back.
    if undoRecorder != nil { readWhatIsReadable(of: state) }
    undoRecorder?.record(.deleted, of: state)
    if !wasInserted && state.original == nil { state.original = state.values }
    inserted.remove(state)
    updated.remove(state)
    state.phase = .deleted
    state.releaseContext()
    return Deletion(model: model, state: state, wasInserted: wasInserted)
  }

  private func finish(_ deletion: Deletion) {
    // Deleting what others have deleted already needs no save.
    if deletion.wasInserted || deletion.state.isGone {
      withdrawn.insert(deletion.state.identifier)
      leave(deletion.state)
    } else {
      deleted.insert(deletion.model, deletion.state)
    }
  }

  /// Applies the delete rule of the model's next property, and returns the models to delete with
  /// it.
  private func applyNextRule(of deletion: inout Deletion) -> [PersistentIdentifier] {
    let (state, index) = (deletion.state, deletion.next)
    deletion.next += 1
    guard let relationship = state.layout.properties[index].relationship else { return [] }
    do {
      let taken = try applyRule(relationship, of: state, at: index)
      // Models without rules of their own need not be read.
      deletion.held = relationship.destinationLayout.hasToOneRules ? readAhead(taken) : []
      return taken
    } catch {
      couldNotRead(error)
      unappliedRules.append((state, index))
      return []
    }
  }

  private func applyRule(
    _ relationship: RelationshipLayout, of state: ModelState, at index: Int
  ) throws -> [PersistentIdentifier] {
    switch relationship.deleteRule {
    case .noAction, .deny: return []
    case .cascade: return try reading { related(to: state, at: index) }
    case .nullify:
      guard let inverse = state.layout.inverse(of: index) else { return [] }
      let related = try reading { self.related(to: state, at: index) }
      // A model is removed from a list without reading the list.
      let isToMany = inverse.layout.properties[inverse.index].isToMany
      withExtendedLifetime(isToMany ? [] : readAhead(related)) {
        for identifier in related { unlink(state, from: identifier, at: inverse.index) }
      }
      return []
    }
  }

  /// Applies the delete rules whose models could not be read when their owner was deleted.
  ///
  /// - Throws: The error of reading them, without which the save would leave models behind.
  func applyUnappliedRules() throws {
    while let (state, index) = unappliedRules.last {
      if state.phase == .deleted, let relationship = state.layout.properties[index].relationship {
        for identifier in try applyRule(relationship, of: state, at: index) {
          if let model = existingModel(for: identifier) { delete(model) }
        }
      }
      unappliedRules.removeLast()
    }
  }

  /// Reads models that are about to be used one by one.
  private func readAhead(_ identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    guard identifiers.count > 1 else { return [] }
    return identifiers.chunks(of: 500).flatMap { existingModels(for: $0) }
  }

  // MARK: - Relationships that lead to deleted models

  /// Removes deleted models from the relationships that are about to be saved.
  ///
  /// Delete rules do that only for relationships with an inverse, and only for models related at
  /// the time.
  func unlinkDeleted() {
    guard !deleted.isEmpty || !withdrawn.isEmpty else { return }
    for state in inserted.states { unlinkDeleted(from: state, at: state.layout.relationshipPlaces) }
    for state in updated.states { unlinkDeleted(from: state, at: state.changed.sorted()) }
    withdrawn = []
  }

  private func unlinkDeleted(from state: ModelState, at indices: [Int]) {
    for index in indices where state.layout.detachesDeleted(at: index) {
      switch state.values[index] {
      case .toOne(let reference?):
        guard isDeleted(reference.identifier) else { continue }
        willChange(state, at: index)
        state.change(.toOne(nil), at: index)
      case .toMany, .toManyFault:
        for identifier in state.values[index].knownMembers where isDeleted(identifier) {
          remove(identifier, from: state, at: index)
        }
      default: continue
      }
    }
  }

  private func isDeleted(_ identifier: PersistentIdentifier) -> Bool {
    switch knownModel(for: identifier)?.state?.phase {
    case .deleted: true
    case .inserted: false
    // A model that was never saved left at once.
    case .registered, .standalone, nil: withdrawn.contains(identifier)
    }
  }

  /// Throws an error if a relationship denies a deletion.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``.
  func checkDenials() throws {
    for state in deleted.states {
      for (index, property) in state.layout.properties.enumerated()
      where property.relationship?.deleteRule == .deny {
        let left = try reading { related(to: state, at: index) }.filter { identifier in
          knownModel(for: identifier)?.state?.phase != .deleted
        }
        guard left.isEmpty else {
          throw SwiftDataError(
            .modelValidationFailure,
            "\(state.layout.name) cannot be deleted: its \(property.name) is not empty, and the "
              + "delete rule denies that; delete or detach the related models first")
        }
      }
    }
  }
}

extension EntityLayout {
  /// Whether applying a delete rule needs the values of the model.
  fileprivate var hasToOneRules: Bool {
    properties.contains { $0.isToOne && $0.relationship?.changesTargets ?? false }
  }

  /// Whether a relationship is to drop deleted models.
  fileprivate func detachesDeleted(at index: Int) -> Bool {
    guard properties[index].relationship != nil else { return false }
    return inverseProperty(of: index)?.relationship?.changesTargets ?? true
  }
}
