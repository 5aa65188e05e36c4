extension ModelContext {
  /// Deletes a model when it is next saved; the delete rules of its relationships say what becomes of
  /// others, and they are followed at once.
  public func delete<T>(_ model: T) where T: PersistentModel {
    guard isOwn(model, verb: "deleted"), let first = begin(deleting: model) else { return }
    // What rules take along is deleted before it, however long the chain is.
    var pending = [first]
    while var deletion = pending.popLast() {
      if let identifier = deletion.taken.popLast() {
        pending.append(deletion)
        if let model = existingModel(for: identifier), let next = begin(deleting: model) {
          pending.append(next)
        }
      } else if deletion.hasMoreRules {
        deletion.taken = followNextRule(of: &deletion).reversed()
        pending.append(deletion)
      } else {
        finish(deletion)
      }
    }
    changesHaveBegun()
  }

  /// Deletes all models that meet a predicate when they are next saved.
  ///
  /// - Parameters:
  ///   - model: The class.
  ///   - predicate: What the models must meet; nil for nothing.
  ///   - includeSubclasses: Whether models of classes that inherit from it are deleted as well.
  /// - Throws: What ``fetch(_:)`` throws.
  public func delete<T>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws where T: PersistentModel {
    let layout = EntityLayout.of(T.self)
    for model in try fetch(FetchDescriptor<T>(predicate: predicate))
    where includeSubclasses || model.state?.layout === layout {
      delete(model)
    }
  }

  /// A model that counts as deleted already, and the delete rules that are still to be followed.
  private struct Deletion {
    let model: any PersistentModel
    let state: ModelState
    let wasInserted: Bool
    /// The number of the next property.
    var next = 0
    /// What the last rule takes along, the last one first.
    var taken: [PersistentIdentifier] = []
    /// The same models, as far as they were read ahead.
    var held: [any PersistentModel] = []

    var hasMoreRules: Bool { next < state.layout.properties.count }
  }

  /// Lets a model count as deleted.
  ///
  /// - Returns: What is to be done about it; nil for one that is deleted, or none of this context.
  private func begin(deleting model: any PersistentModel) -> Deletion? {
    guard let state = model.state, state.context === self else { return nil }
    let wasInserted = state.phase == .inserted
    guard wasInserted || state.phase == .registered else { return nil }
    // What was deleted and saved can come back only with what is known by then.
    if undoRecorder != nil { readWhatIsReadable(of: state) }
    undoRecorder?.deleted(model, state)
    if !wasInserted && state.original == nil { state.original = state.values }
    inserted.remove(state)
    updated.remove(state)
    state.phase = .deleted
    state.releaseContext()
    return Deletion(model: model, state: state, wasInserted: wasInserted)
  }

  private func finish(_ deletion: Deletion) {
    // What others have deleted already needs no save.
    if deletion.wasInserted || deletion.state.isGone {
      withdrawn.insert(deletion.state.identifier)
      leave(deletion.state)
    } else {
      deleted.insert(deletion.model, deletion.state)
    }
  }

  /// Does to related models what the delete rule of a deleted model's next relationship says.
  ///
  /// - Returns: What is to be deleted with it.
  private func followNextRule(of deletion: inout Deletion) -> [PersistentIdentifier] {
    let (state, index) = (deletion.state, deletion.next)
    deletion.next += 1
    guard let relationship = state.layout.properties[index].relationship else { return [] }
    switch relationship.deleteRule {
    case .noAction, .deny: return []
    case .cascade:
      let related = related(to: state, at: index)
      // Where their own rules need not be followed, nothing of them need be known.
      deletion.held = relationship.destinationLayout.hasToOneRules ? readAhead(related) : []
      return related
    case .nullify:
      guard let inverse = state.layout.inverse(of: index) else { return [] }
      let related = related(to: state, at: index)
      // From a list one is taken out without reading it.
      let isToMany = inverse.layout.properties[inverse.index].relationship?.isToMany ?? false
      withExtendedLifetime(isToMany ? [] : readAhead(related)) {
        for identifier in related { unlink(state, from: identifier, at: inverse.index) }
      }
      return []
    }
  }

  /// So many models are read with one question.
  private static let readAtOnce = 500

  /// Reads models that are about to be looked at one by one.
  private func readAhead(_ identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    guard identifiers.count > 1 else { return [] }
    return stride(from: 0, to: identifiers.count, by: Self.readAtOnce).flatMap { start in
      existingModels(
        for: Array(identifiers[start..<min(start + Self.readAtOnce, identifiers.count)]))
    }
  }
}

extension EntityLayout {
  /// Whether a delete rule of a model can be followed only when its values are known.
  fileprivate var hasToOneRules: Bool {
    relationshipPlaces.contains { index in
      guard let relationship = properties[index].relationship, !relationship.isToMany else {
        return false
      }
      return relationship.deleteRule == .cascade || relationship.deleteRule == .nullify
    }
  }
}
