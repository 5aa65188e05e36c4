import Foundation
import PersistentHistory
import StoreFormat

/// Takes over what others have saved, before each fetch.
extension ModelContext {
  /// Takes over what other contexts and programs saved since this was last done.
  ///
  /// Models without changes get the stored values, and those that are gone leave the context. A model
  /// with changes keeps them and gets the stored values of all other properties: the last save of a
  /// property wins. The save drops changes of models that others deleted.
  func catchUp() throws {
    readInFull = [:]
    for store in defaultStores {
      let state = states[store.identifier]
      let own = ownTransactions[store.identifier] ?? []
      guard let (next, news) = try store.news(since: state, without: own) else { continue }
      switch news {
      case .nothing: break
      case .anything:
        let states = knownModels(ofStore: store.identifier).compactMap(\.state)
        if state != nil { forgetLists(of: states, leadingTo: Set(store.schema.layouts.keys)) }
        try refresh(states)
      case .models(let changed, let deleted, let entityNames):
        let states = knownModels(ofStore: store.identifier).compactMap(\.state)
        for state in states where deleted.contains(state.identifier) { isGone(state) }
        forgetLists(of: states, leadingTo: entityNames)
        try refresh(states.filter { changed.contains($0.identifier) })
      }
      // Only now, because after an error the same news must be returned again.
      states[store.identifier] = next
      ownTransactions[store.identifier] = nil
      if case .nothing = news { continue }
      changesHaveBegun()
    }
  }

  /// The maximum number of own transactions to remember, for a context that saves and never
  /// fetches.
  static let mostOwnTransactions = 1_000

  /// Notes a transaction whose changes this context knows.
  func saved(_ token: any HistoryToken, to store: any DataStore) {
    guard let token = token as? DefaultHistoryToken, let state = states[store.identifier],
      let number = token.number(of: store.identifier)
    else { return }
    if number == state.number.following {
      // Nobody else has saved in between.
      states[store.identifier] = StoreState(stamp: state.stamp, number: number)
    } else if ownTransactions[store.identifier]?.count ?? 0 < Self.mostOwnTransactions {
      ownTransactions[store.identifier, default: []].insert(number)
    }
  }

  /// The position up to which the context knows all saves, or `nil` before it has looked.
  var knownPlace: DefaultHistoryToken? {
    states.isEmpty ? nil : DefaultHistoryToken(states.mapValues(\.number))
  }

  private func refresh(_ states: [ModelState]) throws {
    for (_, group) in Dictionary(grouping: states, by: { ObjectIdentifier($0.layout) }) {
      for part in group.chunks(of: 500) {
        // An unreadable value becomes unread: fetching the model throws the problem.
        let stored = try storedValues(of: part.map(\.identifier), as: part[0].layout.type) { _ in }
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

  /// Releases a model that others deleted; its values stay readable.
  func isGone(_ state: ModelState) {
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

  /// The maximum number of invalidated models to remember, for a context that never saves.
  static let mostInvalidated = 10_000

  /// Notes that a model left the context because others deleted it.
  func noteInvalidated(_ identifier: PersistentIdentifier) {
    if invalidated.count >= Self.mostInvalidated {
      invalidated.removeFirst(Self.mostInvalidated / 2)
    }
    invalidated.append(identifier)
  }

  /// Lets lists that may have changed be read again.
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
  /// Takes over the stored values; unsaved changes stay.
  fileprivate func refresh(_ stored: [PropertyValue]) {
    for index in stored.indices where !layout.properties[index].isTransient {
      if !changed.contains(index) { takeOver(stored[index], at: index) }
      original?[index] = stored[index]
    }
  }
}

/// The state of a store when it was looked at.
struct StoreState {
  let stamp: StoreStamp
  /// The newest transaction.
  let number: Int64
}

/// What others have done to a store's models.
enum StoreNews {
  case nothing
  /// These models were updated or deleted, and models of these entities were saved.
  case models(
    changed: Set<PersistentIdentifier>, deleted: Set<PersistentIdentifier>,
    entityNames: Set<String>)
  /// More than is worth listing, or more than the history still has.
  case anything
}

extension DefaultStore {
  /// The maximum number of changes to list, and of transactions to search for them.
  static let mostNews = 10_000

  /// Returns what was done since a state, except by the given transactions, or `nil` if there were
  /// no saves.
  fileprivate func news(
    since last: StoreState?, without own: Set<Int64>
  ) throws -> (state: StoreState, news: StoreNews)? {
    try translating {
      let stamp = try file.stamp()
      if let last, last.stamp == stamp { return nil }
      return try file.read { snapshot in
        let newest = try snapshot.highestTransaction()
        let state = StoreState(stamp: stamp, number: newest)
        guard let last else { return (state, .anything) }
        guard newest > last.number else { return (state, .nothing) }
        guard try snapshot.isComplete(after: last.number) else { return (state, .anything) }
        return (state, try news(in: snapshot, after: last.number, until: newest, without: own))
      }
    }
  }

  private func news(
    in snapshot: StoreSnapshot, after number: Int64, until newest: Int64, without own: Set<Int64>
  ) throws -> StoreNews {
    guard newest - number <= Self.mostNews else { return .anything }
    if (number + 1...newest).allSatisfy(own.contains) { return .nothing }
    let reader = try snapshot.reader(after: number, until: newest)
    var changed: Set<PersistentIdentifier> = []
    var deleted: Set<PersistentIdentifier> = []
    var names: Set<String> = []
    while let transaction = try reader.nextTransaction() {
      guard !own.contains(transaction.number) else { continue }
      while let row = try reader.nextRow() {
        guard let name = row.entityNumber.flatMap({ reader.entity($0).name }),
          let key = row.primaryKey, let kind = row.kind
        else { return .anything }
        names.insert(name)
        let identifier = PersistentIdentifier(origin(name), .number(key))
        switch kind {
        case .insert: break
        case .update: changed.insert(identifier)
        case .delete: deleted.insert(identifier)
        }
        guard changed.count + deleted.count <= Self.mostNews else { return .anything }
      }
    }
    return .models(
      changed: changed.subtracting(deleted), deleted: deleted, entityNames: names)
  }
}
