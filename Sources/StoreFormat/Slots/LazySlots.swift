import Synchronization

/// The slots of a model's entities, each worked out when it is first asked for.
///
/// A large model has a hundred entities, of which the last few transactions touch three.
package final class LazySlots: Sendable {
  private struct State {
    var order: SlotOrder
    var known: [String: EntitySlots?] = [:]
  }

  private let state: Mutex<State>

  /// The slots of a model.
  package init(_ model: ManagedModel) {
    state = Mutex(State(order: SlotOrder(model)))
  }

  /// The slots of an entity; nil where the model does not tell.
  package func slots(of entityName: String) -> EntitySlots? {
    state.withLock { state in
      if let slots = state.known[entityName] { return slots }
      let slots = state.order.slots(of: entityName)
      state.known[entityName] = .some(slots)
      return slots
    }
  }
}
