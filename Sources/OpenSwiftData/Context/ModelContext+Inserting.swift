extension ModelContext {
  /// Inserts a model and everything it is related to, which the next save puts into the store.
  ///
  /// Inserting a model of this context has no effect. A model of another context is not inserted,
  /// and the next ``save()`` throws an error.
  public func insert<T>(_ model: T) where T: PersistentModel {
    guard isOwn(model, verb: "inserted"), let first = begin(inserting: model) else { return }
    // Related models are inserted before they are linked, without recursion, since chains can be
    // long.
    var pending = [first]
    while var insertion = pending.popLast() {
      guard let link = insertion.links.popLast() else { continue }
      if let target = begin(inserting: link.target) {
        insertion.links.append(link)
        pending.append(insertion)
        pending.append(target)
        continue
      }
      let state = insertion.state
      pending.append(insertion)
      if link.isToMany {
        addToMany(link.target, of: state, at: link.index)
      } else {
        setToOne(link.target, of: state, at: link.index)
      }
    }
    changesHaveBegun()
  }

  /// Returns whether a model belongs to this context or to none; otherwise the next save throws.
  func isOwn(_ model: any PersistentModel, verb: String) -> Bool {
    guard let state = model.state, state.context !== self, state.phase != .standalone else {
      return true
    }
    let owner = state.context == nil ? "a context that no longer exists" : "another context"
    foreignModelError =
      foreignModelError
      ?? SwiftDataError(
        .modelValidationFailure,
        "a model of \(state.layout.name) that belongs to \(owner) was \(verb) in this one; fetch "
          + "it here by its persistentModelID, or create a new "
          + "one", identifiers: [state.identifier])
    return false
  }

  private typealias Link = (target: any PersistentModel, index: Int, isToMany: Bool)

  /// - Returns: The links of the model that are still to be made, last first, or `nil` if it belongs to a
  ///   context.
  private func begin(
    inserting model: any PersistentModel
  ) -> (state: ModelState, links: [Link])? {
    guard let state = model.state, state.phase == .standalone else { return nil }
    state.context = self
    state.model = model
    state.phase = .inserted
    remember(model, as: state.identifier)
    inserted.insert(model, state)
    undoRecorder?.record(.inserted, of: state)
    // From here on relationships name identifiers, and both ends know each other.
    var links: [Link] = []
    for index in state.layout.relationshipPlaces {
      switch state.values[index] {
      case .toOne(.model(let target)?): links.append((target, index, false))
      case .toMany(let references):
        for case .model(let target) in references { links.append((target, index, true)) }
      default: break
      }
      state.values[index] = state.layout.emptyValue(at: index)
    }
    return (state, links.reversed())
  }
}
