import Foundation

extension ModelContext {
  /// Remembers changes, so that they can be undone; nil at first.
  ///
  /// What was inserted, deleted and set, with what relationships and their delete rules made of it, is
  /// registered by ``processPendingChanges()`` and undone as a whole. That is called before a save,
  /// whenever the manager begins or ends a group, undoes or does again, and at the end of each turn of
  /// the main queue in which a model has changed.
  ///
  /// A save does not make the manager forget: undoing what was saved is a change, and the next save
  /// records it. A model whose deletion was saved comes back as a new one, with another identifier.
  /// ``rollback()`` makes the manager forget everything.
  public var undoManager: UndoManager? {
    get { undoRecorder?.link.manager }
    set {
      guard newValue !== undoManager else { return }
      undoRecorder?.link.forget(self)
      undoRecorder = newValue.map { UndoRecorder($0, of: self) }
    }
  }

  /// Tells the undo manager what has changed since it was last told, as one group.
  ///
  /// Before that, what is to be saved lets go of models that were deleted, where no relationship leads
  /// back. All else that follows from a change is done at once.
  public func processPendingChanges() {
    unlinkDeleted()
    if let undoRecorder, let record = undoRecorder.takeRecord() {
      undoRecorder.link.register(record, of: self)
    }
  }

  /// Brings about what was before a record, which is a change like any other.
  func revert(_ record: UndoRecord) {
    guard let undoRecorder else { return }
    // First who is there, so that relationships have models to lead to.
    var returned: [ModelState] = []
    for change in record.changes.reversed() {
      switch change {
      case .inserted(let subject): withdraw(subject)
      case .deleted(let subject): if bringBack(subject) { returned.append(subject.state) }
      case .set, .replaced, .added, .removed: break
      }
    }
    for state in returned {
      for index in state.values.indices {
        state.values[index] = state.values[index].mapped(undoRecorder.current)
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
    switch change {
    case .inserted, .deleted: return nil
    case .set(let subject, let index, let before):
      guard subject.isWhole else { return nil }
      willChange(subject.state, at: index)
      subject.state.change(before.mapped(recorder.current), at: index)
      return subject.state
    case .replaced(let subject, let index, let before, let after):
      guard subject.isWhole else { return nil }
      let (old, new) = (before.map(recorder.current), after.map(recorder.current))
      // Read where it must be: only a list that is known is saved as one.
      let present: [PersistentIdentifier]
      do {
        present = try subject.state.readList(at: index).map(\.identifier)
      } catch {
        couldNotRead(error)
        return nil
      }
      let wanted =
        present == new
        ? old
        : present.filter { !new.contains($0) || old.contains($0) }
          + old.filter { !present.contains($0) }
      willChange(subject.state, at: index)
      recorder.willReplace(present, with: wanted, of: subject.state, at: index)
      subject.state.change(.toMany(wanted.map(ModelReference.identifier)), at: index)
      return subject.state
    case .added(let subject, let index, let identifier):
      guard subject.isWhole else { return nil }
      remove(recorder.current(identifier), from: subject.state, at: index)
      return subject.state
    case .removed(let subject, let index, let identifier):
      guard subject.isWhole else { return nil }
      _ = add(recorder.current(identifier), to: subject.state, at: index)
      return subject.state
    }
  }

  /// Takes a model out of the context; what became of others is in the same record.
  private func withdraw(_ subject: UndoRecord.Subject) {
    let (model, state) = (subject.model, subject.state)
    guard subject.isWhole, state.context === self else { return }
    switch state.phase {
    case .inserted:
      inserted.remove(state)
      leave(state)
    case .registered:
      guard !(undoRecorder?.wasPresent(state.identifier) ?? false) else { return }
      readWhatIsReadable(of: state)
      if state.original == nil { state.original = state.values }
      updated.remove(state)
      state.phase = .deleted
      state.releaseContext()
      deleted.insert(model, state)
    case .deleted, .standalone: return
    }
    undoRecorder?.deleted(model, state)
    changesHaveBegun()
  }

  /// Brings a model back into the context.
  ///
  /// - Returns: Whether it is there again.
  private func bringBack(_ subject: UndoRecord.Subject) -> Bool {
    let (model, state) = (subject.model, subject.state)
    guard subject.isWhole else { return false }
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
        state.identifier = .temporary(entityName: former.entityName)
        undoRecorder?.replaced(former, by: state.identifier)
      }
      state.context = self
      state.model = model
      state.phase = .inserted
      remember(model, as: state.identifier)
      inserted.insert(model, state)
    default: return false
    }
    undoRecorder?.inserted(model, state)
    changesHaveBegun()
    return true
  }

  /// A model that has the values of the store again has no changes.
  private func forgetUnchanged(_ state: ModelState) {
    guard state.phase == .registered, let original = state.original else { return }
    state.changed = state.changed.filter { index in
      // The order of a list is not kept in a store.
      if case (.toMany(let now), .toMany(let before)) = (state.values[index], original[index]) {
        return Set(now.map(\.identifier)) != Set(before.map(\.identifier))
      }
      return !state.layout.properties[index].isSame(state.values[index], original[index])
    }
    guard state.changed.isEmpty else { return }
    state.original = nil
    // The set keeps the model, and this may be the last one that does.
    let model = state.model
    updated.remove(state)
    withExtendedLifetime(model) { state.keepContext() }
  }
}

extension UndoRecord.Subject {
  /// Whether the object still has the values of its own; one that was saved while the store had the
  /// same unique values already has become another.
  fileprivate var isWhole: Bool { model.state === state }
}
