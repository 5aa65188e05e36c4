import Observation
import Synchronization

/// The observers of a model.
///
/// An object of its own, because only the running program knows the size of a registrar: models
/// would take longer to create and to read.
final class ModelObservers {
  let registrar = ObservationRegistrar()

  /// Tells those who track it that something is read, without a copy of the registrar.
  func access(_ state: ModelState, _ keyPath: KeyPath<ModelState, Void>) {
    registrar.access(state, keyPath: keyPath)
  }
}

/// What the models of a context know of it, as long as it exists.
///
/// They share one weak reference, because each takes time to make.
final class ContextLink {
  private(set) weak var context: ModelContext?
  private var probe = ModelObservers()
  private let probedProperty = \ModelState[mark: Mark()]

  init(_ context: ModelContext) { self.context = context }

  /// Returns observers for a model if somebody tracks what is read now. A model which nobody
  /// observes needs none, and they take more memory than several values.
  func observersIfTracked(_ state: ModelState) -> ModelObservers? {
    let before = Mark.hashCount.load(ordering: .relaxed)
    probe.access(state, probedProperty)
    guard Mark.hashCount.load(ordering: .relaxed) != before else { return nil }
    // What tracks a registrar is released with it, so that this one goes with the model.
    defer { probe = ModelObservers() }
    return probe
  }

  /// Counts how often it is hashed: what is read is collected in a set, but only for somebody who tracks it.
  struct Mark: Hashable {
    fileprivate static let hashCount = Atomic<UInt64>(0)

    func hash(into hasher: inout Hasher) { Self.hashCount.add(1, ordering: .relaxed) }
  }
}

extension ModelState {
  fileprivate subscript(mark mark: ContextLink.Mark) -> Void { () }
}
