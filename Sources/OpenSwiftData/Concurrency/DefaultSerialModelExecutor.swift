import Dispatch

/// Runs an actor's work on a queue, one piece after the other.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context, which only the actor's work may use.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "OpenSwiftData.ModelActor")

  /// An executor.
  ///
  /// - Parameter modelContext: The context, which nobody else uses from now on.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a piece of work behind those that wait.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// The executor without being kept.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
