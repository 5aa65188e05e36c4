/// Both ends of a relationship are kept in agreement, as far as they are in memory.
extension ModelContext {
  func setToOne(_ target: (any PersistentModel)?, of state: ModelState, at index: Int) {
    if let target { take(target) }
    let (old, new) = (
      state.toOneReference(at: index)?.identifier, target?.persistentModelID
    )
    // What could not be read may be anything.
    guard old != new || state.isFault(at: index) else { return }
    willChange(state, at: index)
    state.change(.toOne(new.map(ModelReference.identifier)), at: index)
    guard let inverse = state.layout.inverse(of: index) else { return }
    if let old { unlink(state, from: old, at: inverse.index) }
    if let target = target?.state { link(state, at: index, to: target, at: inverse.index) }
  }

  func setToMany(_ targets: [any PersistentModel], of state: ModelState, at index: Int) {
    for target in targets { take(target) }
    guard let references = try? state.readList(at: index) else {
      changeUnread(targets, of: state, at: index)
      return
    }
    let old = references.map(\.identifier)
    var seen: Set<PersistentIdentifier> = []
    let wanted = targets.filter { seen.insert($0.persistentModelID).inserted }
    let new = wanted.map(\.persistentModelID)
    guard old != new else { return }
    willChange(state, at: index)
    undoRecorder?.willReplace(old, with: new, of: state, at: index)
    state.change(.toMany(new.map(ModelReference.identifier)), at: index)
    guard let inverse = state.layout.inverse(of: index) else { return }
    for identifier in old where !seen.contains(identifier) {
      unlink(state, from: identifier, at: inverse.index)
    }
    let present = Set(old)
    for target in wanted where !present.contains(target.persistentModelID) {
      if let target = target.state { link(state, at: index, to: target, at: inverse.index) }
    }
  }

  /// Changes a list that cannot be read by what was added to the part that is known, and taken out
  /// of it; the rest is not touched.
  private func changeUnread(
    _ targets: [any PersistentModel], of state: ModelState, at index: Int
  ) {
    state.unreadLists.insert(index)
    let wanted = Set(targets.map(\.persistentModelID))
    for identifier in state.values[index].knownMembers where !wanted.contains(identifier) {
      remove(identifier, from: state, at: index)
      if let inverse = state.layout.inverse(of: index) {
        unlink(state, from: identifier, at: inverse.index)
      }
    }
    for target in targets { addToMany(target, of: state, at: index) }
  }

  /// Adds a model to a to-many relationship.
  func addToMany(_ target: any PersistentModel, of state: ModelState, at index: Int) {
    take(target)
    guard let target = target.state else { return }
    guard add(target.identifier, to: state, at: index) else { return }
    if let inverse = state.layout.inverse(of: index) {
      link(state, at: index, to: target, at: inverse.index)
    }
  }

  /// A model that becomes related to one of this context belongs here as well.
  private func take(_ model: any PersistentModel) {
    if model.state?.phase == .standalone { insert(model) }
  }

  /// Lets the other end of a relationship lead back.
  private func link(
    _ owner: ModelState, at index: Int, to other: ModelState, at inverse: Int
  ) {
    if other.layout.properties[inverse].relationship?.isToMany ?? false {
      _ = add(owner.identifier, to: other, at: inverse)
      return
    }
    let former = other.toOneReference(at: inverse)?.identifier
    guard former != owner.identifier else { return }
    if let former { unlink(other, from: former, at: index) }
    willChange(other, at: inverse)
    other.change(.toOne(.identifier(owner.identifier)), at: inverse)
  }

  /// Takes a model out of the other end of a relationship.
  func unlink(
    _ owner: ModelState, from identifier: PersistentIdentifier, at inverse: Int
  ) {
    guard let model = existingModel(for: identifier), let other = model.state,
      other.phase != .deleted
    else { return }
    if other.layout.properties[inverse].relationship?.isToMany ?? false {
      remove(owner.identifier, from: other, at: inverse)
    } else if other.toOneReference(at: inverse)?.identifier == owner.identifier
      || other.isFault(at: inverse)
    {
      willChange(other, at: inverse)
      other.change(.toOne(nil), at: inverse)
    }
  }

  /// Adds an identifier to a to-many relationship, without reading what else is in it.
  ///
  /// - Returns: Whether it was not known to be there.
  func add(
    _ identifier: PersistentIdentifier, to state: ModelState, at index: Int
  ) -> Bool {
    guard !state.isMember(identifier, at: index) else { return false }
    willAdd(identifier, to: state, at: index)
    state.append(identifier, at: index)
    return true
  }

  private func willAdd(
    _ identifier: PersistentIdentifier, to state: ModelState, at index: Int
  ) {
    willChange(state, at: index)
    undoRecorder?.willAdd(identifier, to: state, at: index)
  }

  private func willRemove(
    _ identifier: PersistentIdentifier, from state: ModelState, at index: Int
  ) {
    willChange(state, at: index)
    undoRecorder?.willRemove(identifier, from: state, at: index)
  }

  /// Takes an identifier out of a to-many relationship, without reading what else is in it.
  func remove(
    _ identifier: PersistentIdentifier, from state: ModelState, at index: Int
  ) {
    if case .toMany = state.values[index], !state.isMember(identifier, at: index) { return }
    willRemove(identifier, from: state, at: index)
    state.remove(identifier, at: index)
  }

  // MARK: - Deleting

  func related(to state: ModelState, at index: Int) -> [PersistentIdentifier] {
    state.layout.properties[index].relationship?.isToMany ?? false
      ? state.toManyReferences(at: index).map(\.identifier)
      : state.toOneReference(at: index).map { [$0.identifier] } ?? []
  }

  /// Checks that no relationship denies what is to be deleted.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure``.
  func checkDenials() throws {
    for state in deleted.states {
      for (index, property) in state.layout.properties.enumerated()
      where property.relationship?.deleteRule == .deny {
        let left = related(to: state, at: index).filter { identifier in
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
