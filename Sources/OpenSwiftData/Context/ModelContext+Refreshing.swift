import Foundation

/// What others have saved is taken over before each fetch.
extension ModelContext {
  /// So many models are read again with one question.
  private static let refreshedAtOnce = 500

  /// Takes over what other contexts and other programs have saved since this was last done.
  ///
  /// Models without changes get the values of the store, and those that are not there any more leave
  /// the context. A model with changes keeps them, and gets the store's values in all other
  /// properties: the last save of a property is what counts. What others have deleted meanwhile cannot
  /// be saved, which the save says.
  ///
  /// - Throws: ``SwiftDataError``.
  func catchUp() throws {
    readInFull = [:]
    for case let store as DefaultStore in container.stores {
      let standing = standings[store.identifier]
      let own = ownTransactions[store.identifier] ?? []
      guard let (next, news) = try store.news(since: standing, without: own) else { continue }
      switch news {
      case .nothing: break
      case .anything:
        let states = knownModels(ofStore: store.identifier).compactMap(\.state)
        if standing != nil { forgetLists(of: states, leadingTo: Set(store.schema.layouts.keys)) }
        try refresh(states)
      case .models(let changed, let deleted, let entityNames):
        let states = knownModels(ofStore: store.identifier).compactMap(\.state)
        for state in states where deleted.contains(state.identifier) { isGone(state) }
        forgetLists(of: states, leadingTo: entityNames)
        try refresh(states.filter { changed.contains($0.identifier) })
      }
      // Not before: what could not be read is news once more.
      standings[store.identifier] = next
      ownTransactions[store.identifier] = nil
      if case .nothing = news { continue }
      changesHaveBegun()
    }
  }

  /// So many transactions are remembered; those of a context that saves on and never fetches are read
  /// like those of others.
  static let mostOwnTransactions = 1_000

  /// Notes a transaction that this context knows all about.
  func saved(_ token: any HistoryToken, to store: any DataStore) {
    guard let token = token as? DefaultHistoryToken, let standing = standings[store.identifier],
      let number = token.number(of: store.identifier)
    else { return }
    if number == standing.number.following {
      // Nobody else has saved in between.
      standings[store.identifier] = StoreStanding(stamp: standing.stamp, number: number)
    } else if ownTransactions[store.identifier]?.count ?? 0 < Self.mostOwnTransactions {
      ownTransactions[store.identifier, default: []].insert(number)
    }
  }

  /// The place in the histories of the stores up to which the context knows all that was saved; nil
  /// before it has looked.
  var knownPlace: DefaultHistoryToken? {
    standings.isEmpty ? nil : DefaultHistoryToken(standings.mapValues(\.number))
  }

  /// Reads the values of models again.
  private func refresh(_ states: [ModelState]) throws {
    for (_, group) in Dictionary(grouping: states, by: { ObjectIdentifier($0.layout) }) {
      for start in stride(from: 0, to: group.count, by: Self.refreshedAtOnce) {
        let part = group[start..<min(start + Self.refreshedAtOnce, group.count)]
        guard let layout = part.first?.layout else { continue }
        // What cannot be read any more is not known any more; whoever fetches the model is told.
        let stored = try storedValues(of: part.map(\.identifier), as: layout.type) { _ in }
        for state in part {
          if let values = stored[state.identifier] {
            state.refresh(values)
          } else {
            isGone(state)
          }
        }
      }
    }
  }

  /// Lets a model go that others have deleted; what it held can still be looked at.
  private func isGone(_ state: ModelState) {
    noteInvalidated(state.identifier)
    switch state.phase {
    case .registered where state.original == nil: leave(state)
    case .registered: state.isGone = true
    case .deleted:
      deleted.remove(state)
      leave(state)
    case .inserted, .standalone: break
    }
  }

  /// So many models that have left are told of: a context that never saves tells nobody.
  static let mostInvalidated = 10_000

  /// Notes that a model has left the context because others have deleted it.
  func noteInvalidated(_ identifier: PersistentIdentifier) {
    if invalidated.count >= Self.mostInvalidated {
      invalidated.removeFirst(Self.mostInvalidated / 2)
    }
    invalidated.append(identifier)
  }

  /// Lists that may have become others are read again when they are next asked for.
  private func forgetLists(of states: [ModelState], leadingTo entityNames: Set<String>) {
    let layouts = entityNames.compactMap { container.schema.layouts[$0] }
    for state in states where state.phase == .registered {
      for (index, property) in state.layout.properties.enumerated() {
        guard let relationship = property.relationship, relationship.isToMany,
          case .toMany = state.values[index], !state.changed.contains(index),
          layouts.contains(where: { $0.isKind(of: relationship.destinationLayout) })
        else { continue }
        state.change(.toManyFault(added: [], removed: []), at: index)
      }
    }
  }
}

extension ModelState {
  /// Takes over what the store holds by now; changes that were not saved stay.
  fileprivate func refresh(_ stored: [PropertyValue]) {
    for index in stored.indices where !layout.properties[index].isTransient {
      if !changed.contains(index) { takeOver(stored[index], at: index) }
      original?[index] = stored[index]
    }
  }
}
