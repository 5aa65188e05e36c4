/// An actor with a context of its own; `@ModelActor` makes an actor one.
public protocol ModelActor: Actor {
  /// The stores.
  nonisolated var modelContainer: ModelContainer { get }
  /// Runs the actor's work, and has its context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// Where the actor's work runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The model with an identifier; nil where it is neither of a class nor of one that inherits from
  /// it.
  public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
    modelContext.existingModel(for: id) as? T
  }
}

/// Runs the work of an actor that has a context.
public protocol ModelExecutor: SerialExecutor {
  /// The context, which only the actor's work may use.
  var modelContext: ModelContext { get }
}

/// Runs the work of an actor that has a context, one piece after the other.
public protocol SerialModelExecutor: ModelExecutor {}
