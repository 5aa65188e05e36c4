/// What is to be saved does not lead to what is deleted.
extension ModelContext {
  /// Takes deleted models out of the relationships that are to be saved.
  ///
  /// Delete rules do that only where a relationship leads back, and only for what was related at the
  /// time.
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
    // One that was never saved has left at once.
    case .registered, .standalone, nil: withdrawn.contains(identifier)
    }
  }
}

extension EntityLayout {
  /// Whether a relationship is to let go of what is deleted at its other end.
  fileprivate func detachesDeleted(at index: Int) -> Bool {
    guard properties[index].relationship != nil else { return false }
    guard let inverse = inverse(of: index) else { return true }
    switch inverse.layout.properties[inverse.index].relationship?.deleteRule {
    case .nullify, .cascade: return true
    // The one leaves what was related as it is, the other keeps it from being deleted.
    case .noAction, .deny, nil: return false
    }
  }
}
