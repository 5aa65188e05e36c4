import Observation
import Synchronization

/// Whether results have to be fetched again, for those who observe them.
final class ResultsSignal: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let isMarked = Mutex(true)

  /// What is observed in place of the results.
  private var results: Void { () }

  /// Lets whoever is observing know that the results were looked at.
  func isRead() { registrar.access(self, keyPath: \.results) }

  /// Says that there may be other results now; whoever was told already is told again only after
  /// having looked.
  func mark() {
    guard !isStale else { return }
    registrar.withMutation(of: self, keyPath: \.results) { isMarked.withLock { $0 = true } }
  }

  /// Whether there may be other results than those that were fetched last.
  var isStale: Bool { isMarked.withLock { $0 } }

  /// Says that results are about to be fetched.
  func clear() { isMarked.withLock { $0 = false } }
}

struct WeakResultsSignal { weak var signal: ResultsSignal? }
