/// Keeps both ends of a relationship in agreement, as far as they are in memory.
extension ModelContext {
  func setToOne(_ target: (any PersistentModel)?, of state: ModelState, at index: Int) {
    if let target, !take(target) { return }
    let (old, new) = (
      state.toOneReference(at: index)?.identifier, target?.persistentModelID
    )
    // A value that could not be read may be any.
    guard old != new || state.isFault(at: index) else { return }
    willChange(state, at: index)
    state.change(.toOne(new.map(ModelReference.identifier)), at: index)
    guard let inverse = state.layout.inverse(of: index) else { return }
    if let old { unlink(state, from: old, at: inverse.index) }
    if let target = target?.state { link(state, at: index, to: target, at: inverse.index) }
  }

  func setToMany(_ targets: [any PersistentModel], of state: ModelState, at index: Int) {
    guard targets.allSatisfy(take) else { return }
    let references: [ModelReference]
    do {
      references = try state.readList(at: index)
    } catch {
      couldNotRead(error)
      changeUnread(targets, of: state, at: index)
      return
    }
    let old = references.map(\.identifier)
    var seen: Set<PersistentIdentifier> = []
    let wanted = targets.filter { seen.insert($0.persistentModelID).inserted }
    let new = wanted.map(\.persistentModelID)
    guard old != new else { return }
    willChange(state, at: index)
    undoRecorder?.record(.replaced(index: index, before: old, after: new), of: state)
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

  /// Changes the known part of a list that cannot be read; the rest stays.
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

  func addToMany(_ target: any PersistentModel, of state: ModelState, at index: Int) {
    guard take(target), let target = target.state,
      add(target.identifier, to: state, at: index), let inverse = state.layout.inverse(of: index)
    else { return }
    link(state, at: index, to: target, at: inverse.index)
  }

  /// Inserts a model that becomes related to one of this context, and returns whether it belongs
  /// here.
  private func take(_ model: any PersistentModel) -> Bool {
    if model.state?.phase == .standalone { insert(model) }
    return isOwn(model, verb: "related to a model")
  }

  /// Sets the other end of a relationship.
  private func link(
    _ owner: ModelState, at index: Int, to other: ModelState, at inverse: Int
  ) {
    if other.layout.properties[inverse].isToMany {
      _ = add(owner.identifier, to: other, at: inverse)
      return
    }
    let former = other.toOneReference(at: inverse)?.identifier
    guard former != owner.identifier else { return }
    if let former { unlink(other, from: former, at: index) }
    willChange(other, at: inverse)
    other.change(.toOne(.identifier(owner.identifier)), at: inverse)
  }

  /// Removes a model from the other end of a relationship.
  func unlink(
    _ owner: ModelState, from identifier: PersistentIdentifier, at inverse: Int
  ) {
    guard let model = existingModel(for: identifier), let other = model.state,
      other.phase != .deleted
    else { return }
    if other.layout.properties[inverse].isToMany {
      remove(owner.identifier, from: other, at: inverse)
    } else if other.toOneReference(at: inverse)?.identifier == owner.identifier
      || other.isFault(at: inverse)
    {
      willChange(other, at: inverse)
      other.change(.toOne(nil), at: inverse)
    }
  }

  /// Adds an identifier to a list without reading the list, and returns whether it was not known to
  /// be there.
  func add(
    _ identifier: PersistentIdentifier, to state: ModelState, at index: Int
  ) -> Bool {
    guard !state.isMember(identifier, at: index) else { return false }
    willChange(state, at: index)
    undoRecorder?.record(.added(index: index, identifier), of: state)
    state.append(identifier, at: index)
    return true
  }

  /// Removes an identifier from a list without reading the list.
  func remove(
    _ identifier: PersistentIdentifier, from state: ModelState, at index: Int
  ) {
    if case .toMany = state.values[index], !state.isMember(identifier, at: index) { return }
    willChange(state, at: index)
    undoRecorder?.record(.removed(index: index, identifier), of: state)
    state.remove(identifier, at: index)
  }

  func related(to state: ModelState, at index: Int) -> [PersistentIdentifier] {
    state.layout.properties[index].isToMany
      ? state.toManyReferences(at: index).map(\.identifier)
      : state.toOneReference(at: index).map { [$0.identifier] } ?? []
  }
}
