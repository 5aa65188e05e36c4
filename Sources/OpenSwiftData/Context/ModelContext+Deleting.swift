extension ModelContext {
  /// Deletes a model when it is next saved; the delete rules of its relationships say what becomes of
  /// others, and they are followed at once.
  public func delete<T>(_ model: T) where T: PersistentModel {
    guard let first = begin(deleting: model) else { return }
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
    if undoRecorder != nil { try? readAll(state) }
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
    case .cascade: return related(to: state, at: index)
    case .nullify:
      guard let inverse = state.layout.inverse(of: index) else { return [] }
      for identifier in related(to: state, at: index) {
        unlink(state, from: identifier, at: inverse.index)
      }
      return []
    }
  }
}
