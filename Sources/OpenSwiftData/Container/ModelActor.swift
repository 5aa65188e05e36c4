import Dispatch
import Foundation

/// An actor with a context of its own; `@ModelActor` makes an actor one.
public protocol ModelActor: Actor {
  /// The container of the context.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's work and owns its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor that runs the actor's work.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The context of the actor.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// Returns the model with an identifier, or `nil` if it is of another class.
  public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
    modelContext.existingModel(for: id) as? T
  }
}

/// An executor for the work of an actor with a context.
public protocol ModelExecutor: SerialExecutor {
  /// The context, which only the actor's work may use.
  var modelContext: ModelContext { get }
}

/// An executor that runs the work of an actor with a context one job at a time.
public protocol SerialModelExecutor: ModelExecutor {}

/// An executor that runs the jobs of an actor one at a time: those with the main context on the main
/// queue, others on a queue of their own.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  /// The context, which only the actor's work may use.
  public let modelContext: ModelContext
  private let queue: DispatchQueue

  /// Creates an executor.
  ///
  /// - Parameter modelContext: The context, which nothing else may use from now on, unless it is the
  ///   main context.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    queue =
      modelContext.isMainContext ? .main : DispatchQueue(label: "OpenSwiftData.ModelActor")
  }

  /// Runs a job after those that wait.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Returns an unowned reference to the executor.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}

extension DispatchQueue {
  private static let mainMark: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the code runs on the queue of the main actor, which on Linux need not be on the main thread: once an
  /// asynchronous program has begun, other threads may serve the queue.
  static var isMainCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainMark) != nil
  }
}
