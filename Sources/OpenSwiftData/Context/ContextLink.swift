import Observation
import Synchronization

/// What the models of a context know of it, as long as it exists.
///
/// They share one weak reference, because each takes time to make.
final class ContextLink {
  private(set) weak var context: ModelContext?
  private var probe = ObservationRegistrar()

  init(_ context: ModelContext) { self.context = context }

  /// Returns a registrar for a model if somebody tracks what is read now. A model which nobody observes
  /// needs none, and it takes more memory than several values.
  func registrarIfTracked(_ state: ModelState) -> ObservationRegistrar? {
    let before = Mark.hashCount.load(ordering: .relaxed)
    probe.access(state, keyPath: Mark.keyPath)
    guard Mark.hashCount.load(ordering: .relaxed) != before else { return nil }
    // What tracks a registrar is released with it, so that this one goes with the model.
    defer { probe = ObservationRegistrar() }
    return probe
  }

  /// Counts how often it is hashed: what is read is collected in a set, but only for somebody who tracks it.
  struct Mark: Hashable {
    fileprivate static let hashCount = Atomic<UInt64>(0)
    fileprivate static let keyPath = \ModelState[mark: Mark()]

    func hash(into hasher: inout Hasher) { Self.hashCount.add(1, ordering: .relaxed) }
  }
}

extension ModelState {
  fileprivate subscript(mark mark: ContextLink.Mark) -> Void { () }
}
