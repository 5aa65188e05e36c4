import Foundation

extension ModelContext {
  /// The undo manager that changes are registered with; `nil` by default.
  ///
  /// ``processPendingChanges()`` registers all insertions, deletions and changes since its last
  /// call, with their effects on relationships, as one group. It is called before a save, when the
  /// manager begins or ends a group, undoes or redoes, and at the end of each turn of the main
  /// queue in which a model changed.
  ///
  /// A save keeps the registered groups: undoing what was saved is a change that the next save
  /// records. A model whose deletion was saved comes back as a new one with another identifier.
  /// ``rollback()`` removes all groups.
  public var undoManager: UndoManager? {
    get { undoRecorder?.manager }
    set {
      guard newValue !== undoManager else { return }
      undoRecorder?.removeActions(of: self)
      undoRecorder = newValue.map { UndoRecorder($0, of: self) }
    }
  }

  /// Registers all changes since the last call with the undo manager, as one group.
  ///
  /// First, relationships without an inverse that are to be saved drop deleted models.
  public func processPendingChanges() {
    unlinkDeleted()
    undoRecorder?.register()
  }

  /// Restores the state before a record, which is a change like any other.
  func revert(_ record: UndoRecord) {
    guard let undoRecorder else { return }
    // Models first, so that relationships have targets.
    var returned: [ModelState] = []
    for change in record.changes.reversed() {
      switch change.event {
      case .inserted: withdraw(change)
      case .deleted: if bringBack(change) { returned.append(change.state) }
      case .set, .replaced, .added, .removed: break
      }
    }
    for state in returned {
      for index in state.values.indices {
        state.values[index] = state.values[index].mapped(undoRecorder.aliases.current)
      }
    }
    var touched: [ObjectIdentifier: ModelState] = [:]
    for change in record.changes.reversed() {
      if let state = revertValue(of: change, undoRecorder) {
        touched[ObjectIdentifier(state)] = state
      }
    }
    touched.values.forEach(forgetUnchanged)
    processPendingChanges()
  }

  private func revertValue(
    of change: UndoRecord.Change, _ recorder: UndoRecorder
  ) -> ModelState? {
    let state = change.state
    guard change.isWhole else { return nil }
    switch change.event {
    case .inserted, .deleted: return nil
    case .set(let index, let before):
      willChange(state, at: index)
      state.change(before.mapped(recorder.aliases.current), at: index)
    case .replaced(let index, let before, let after):
      let (old, new) = (before.map(recorder.aliases.current), after.map(recorder.aliases.current))
      // Only a list that was read is saved as a whole.
      let present: [PersistentIdentifier]
      do {
        present = try state.readList(at: index).map(\.identifier)
      } catch {
        couldNotRead(error)
        return nil
      }
      let wanted =
        present == new
        ? old
        : present.filter { !new.contains($0) || old.contains($0) }
          + old.filter { !present.contains($0) }
      willChange(state, at: index)
      recorder.record(.replaced(index: index, before: present, after: wanted), of: state)
      state.change(.toMany(wanted.map(ModelReference.identifier)), at: index)
    case .added(let index, let identifier):
      remove(recorder.aliases.current(identifier), from: state, at: index)
    case .removed(let index, let identifier):
      _ = add(recorder.aliases.current(identifier), to: state, at: index)
    }
    return state
  }

  /// Removes a model from the context; the effects on others are in the same record.
  private func withdraw(_ change: UndoRecord.Change) {
    let (model, state) = (change.model, change.state)
    guard change.isWhole, state.context === self else { return }
    switch state.phase {
    case .inserted:
      inserted.remove(state)
      leave(state)
    case .registered:
      guard !(undoRecorder?.aliases.wasPresent(state.identifier) ?? false) else { return }
      readWhatIsReadable(of: state)
      if state.original == nil { state.original = state.values }
      updated.remove(state)
      state.phase = .deleted
      state.releaseContext()
      deleted.insert(model, state)
    case .deleted, .standalone: return
    }
    undoRecorder?.record(.deleted, of: state)
    changesHaveBegun()
  }

  /// Brings a model back into the context, and returns whether it is there again.
  private func bringBack(_ change: UndoRecord.Change) -> Bool {
    let (model, state) = (change.model, change.state)
    guard change.isWhole else { return false }
    switch state.phase {
    case .deleted where state.context === self:
      deleted.remove(state)
      state.phase = .registered
      if state.changed.isEmpty {
        state.original = nil
        state.keepContext()
      } else {
        updated.insert(model, state)
      }
    case .standalone where state.context == nil:
      if !state.identifier.isTemporary {
        let former = state.identifier
        state.identifier = .temporary(state.layout.temporaryOrigin)
        undoRecorder?.aliases.replaced(former, by: state.identifier)
      }
      state.context = self
      state.model = model
      state.phase = .inserted
      remember(model, as: state.identifier)
      inserted.insert(model, state)
    default: return false
    }
    undoRecorder?.record(.inserted, of: state)
    changesHaveBegun()
    return true
  }

  /// Ends the changes of a model that has the stored values again.
  private func forgetUnchanged(_ state: ModelState) {
    guard state.phase == .registered, let original = state.original else { return }
    state.changed = state.changed.filter { index in
      // A store does not keep the order of a list.
      if case (.toMany(let now), .toMany(let before)) = (state.values[index], original[index]) {
        return Set(now.map(\.identifier)) != Set(before.map(\.identifier))
      }
      return !state.layout.properties[index].isSame(state.values[index], original[index])
    }
    guard state.changed.isEmpty else { return }
    state.original = nil
    // This set may be the last owner of the model.
    let model = state.model
    updated.remove(state)
    withExtendedLifetime(model) { state.keepContext() }
  }
}
