extension ModelContext {
  /// Adds a model, and all that it is related to; saving puts them into the store.
  public func insert<T>(_ model: T) where T: PersistentModel {
    guard isOwn(model, verb: "inserted"), let first = begin(inserting: model) else { return }
    // Related models are inserted before they are linked, however long the chain is.
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

  /// Whether a model belongs to this context or to none; of one that belongs to another context, the next
  /// save says so.
  func isOwn(_ model: any PersistentModel, verb: String) -> Bool {
    guard let state = model.state, let other = state.context, other !== self else { return true }
    foreignModelError =
      foreignModelError
      ?? SwiftDataError(
        .modelValidationFailure,
        "a model of \(state.layout.name) that belongs to another context was \(verb) in this one; fetch "
          + "it here by its persistentModelID", identifiers: [state.identifier])
    return false
  }

  /// A model that belongs to the context already, and what it is still to be linked with.
  private struct Insertion {
    let state: ModelState
    /// The links, the last one first.
    var links: [(target: any PersistentModel, index: Int, isToMany: Bool)] = []
  }

  /// Takes a model that belongs to no context.
  ///
  /// - Returns: What it is related to; nil for a model that belongs to a context.
  private func begin(inserting model: any PersistentModel) -> Insertion? {
    guard let state = model.state, state.phase == .standalone else { return nil }
    state.context = self
    state.model = model
    state.phase = .inserted
    remember(model, as: state.identifier)
    inserted.insert(model, state)
    undoRecorder?.inserted(model, state)
    // From here on relationships name identifiers, and both ends know of each other.
    var insertion = Insertion(state: state)
    for index in state.layout.relationshipPlaces {
      switch state.values[index] {
      case .toOne(.model(let target)?): insertion.links.append((target, index, false))
      case .toMany(let references):
        for case .model(let target) in references { insertion.links.append((target, index, true)) }
      default: break
      }
      state.values[index] = state.layout.emptyValue(at: index)
    }
    insertion.links.reverse()
    return insertion
  }
}
