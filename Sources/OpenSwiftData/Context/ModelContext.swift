import Foundation

/// A working copy of an app's models: it fetches them, tracks their changes, and saves these as one
/// transaction.
///
/// ```swift
/// let context = ModelContext(container)
/// context.author = "widget"
/// context.insert(Trip(name: "Rome"))
/// try context.save()
/// ```
///
/// A context and its models belong to one thread or actor. A model that has no changes is kept only
/// as long as somebody uses it.
public class ModelContext: Equatable {
  /// The stores.
  public let container: ModelContainer
  /// Whether the context of the main actor saves by itself, in the next turn of the main queue.
  ///
  /// It is true at first, as it is in SwiftData. Other contexts save only when they are told to,
  /// whatever they have here.
  public var autosaveEnabled = true
  /// Who changes models here.
  public private(set) var editingState = EditingState()

  private var registry: [PersistentIdentifier: WeakModel] = [:]
  private var registryLimit = 1024
  var inserted = ModelSet()
  var updated = ModelSet()
  var deleted = ModelSet()
  /// Models that have left without ever having been saved, and to which others may still lead.
  var withdrawn: Set<PersistentIdentifier> = []
  private var awaitsAutosave = false
  /// Notes changes for the undo manager; nil where there is none.
  var undoRecorder: UndoRecorder?
  /// Where each store stood when its news were last taken over, by store.
  var standings: [String: StoreStanding] = [:]
  /// The transactions that this context has made since then, behind some of others, by store.
  var ownTransactions: [String: Set<Int64>] = [:]
  /// Models that have left the context since it last saved, because others have deleted them; the last
  /// ones where they are many.
  var invalidated: [PersistentIdentifier] = []
  /// The latest error that could not be thrown, or `nil` after a successful ``save()`` or a
  /// ``rollback()``.
  ///
  /// A property that cannot be read gives a blank value, since reading it cannot throw. An automatic
  /// save that fails leaves the changes unsaved. SwiftData has no such property.
  public internal(set) var lastError: (any Error)?
  /// Who wants to know that fetches may have other results now.
  var resultsSignals: [WeakResultsSignal] = []

  private struct WeakModel { weak var model: (any PersistentModel)? }

  /// A context without models.
  public init(_ container: ModelContainer) {
    self.container = container
    for store in container.stores { store.initializeState(for: editingState) }
  }

  deinit {
    for store in container.stores { store.invalidateState(for: editingState) }
  }

  /// Who saves, as the app sets it; every transaction names it.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// Whether there are changes that were not saved yet.
  public var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }
  /// The models that are to be put into the store.
  public var insertedModelsArray: [any PersistentModel] { inserted.models }
  /// The models that have changed.
  public var changedModelsArray: [any PersistentModel] { updated.models }
  /// The models that are to be deleted.
  public var deletedModelsArray: [any PersistentModel] { deleted.models }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  // MARK: - Models that are known

  /// The model with an identifier that this context already has; nil where it has none.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    knownModel(for: persistentModelID) as? T
  }

  /// The model with an identifier, whether or not it is there.
  ///
  /// Its values are read when they are first asked for; of one that is not in the store they are
  /// blank. To learn whether there is such a model, fetch it. To ask for a model of an entity that
  /// the container does not have is a mistake in the program and ends it, as in SwiftData.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    guard let model = existingModel(for: persistentModelID) else {
      preconditionFailure("the container has no model \(persistentModelID.entityName)")
    }
    return model
  }

  func knownModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    registry[identifier]?.model
  }

  /// The model with an identifier, without its values where they are not known; nil where no schema
  /// has its entity.
  func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if let known = knownModel(for: identifier) { return known }
    guard let layout = container.schema.layouts[identifier.entityName] else { return nil }
    return register(identifier, values: layout.faultValues, as: layout.type)
  }

  /// Makes a model of a store known.
  ///
  /// - Parameter layout: That of the class, where it is at hand; to look it up takes time.
  func register<T: PersistentModel>(
    _ identifier: PersistentIdentifier, values: [PropertyValue], as type: T.Type,
    layout: EntityLayout? = nil
  ) -> T {
    if let known = knownModel(for: identifier) as? T, let state = known.state {
      if state.phase == .registered, state.original == nil { state.replace(values) }
      return known
    }
    let state = ModelState(
      layout: layout ?? EntityLayout.of(type), identifier: identifier, values: values,
      context: self)
    let model = T(backingData: ModelBackingData<T>(state))
    state.model = model
    remember(model, as: identifier)
    return model
  }

  func remember(_ model: any PersistentModel, as identifier: PersistentIdentifier) {
    registry[identifier] = WeakModel(model: model)
    makeRoom(for: 0)
  }

  /// Makes room for models that are about to be known, all at once.
  func makeRoom(for count: Int) {
    guard registry.count + count > registryLimit else { return }
    // Models that nobody uses any more have left their entries behind.
    registry = registry.filter { $0.value.model != nil }
    registryLimit = max(1024, (registry.count + count) * 2)
    registry.reserveCapacity(registry.count + count)
  }

  func forget(_ identifier: PersistentIdentifier) { registry[identifier] = nil }

  /// The models of a store that are known and in use.
  func knownModels(ofStore identifier: String) -> [any PersistentModel] {
    registry.compactMap { $0.key.storeIdentifier == identifier ? $0.value.model : nil }
  }

  // MARK: - Changes

  /// Lets a model go that is not, or not any more, in the store.
  func leave(_ state: ModelState) {
    forget(state.identifier)
    state.context = nil
    state.phase = .standalone
    state.original = nil
    state.changed = []
    state.forgetUnread()
    state.isGone = false
  }

  /// Notes that a property is about to change.
  func willChange(_ state: ModelState, at index: Int) {
    undoRecorder?.willSet(state, at: index)
    guard state.phase == .registered, !state.layout.properties[index].isTransient,
      let model = state.model
    else {
      if state.phase == .inserted { changesHaveBegun() }
      return
    }
    if state.original == nil {
      state.original = state.values
      updated.insert(model, state)
      state.releaseContext()
    }
    state.changed.insert(index)
    if state.seenBlank.contains(index) { state.changedBlanks.insert(index) }
    changesHaveBegun()
  }

  /// Undoes all changes that were not saved, and lets the undo manager forget everything.
  public func rollback() {
    foreignModelError = nil
    lastError = nil
    for state in inserted.states { leave(state) }
    for state in updated.states + deleted.states {
      if let original = state.original { state.restore(original) }
      state.original = nil
      state.changed = []
      state.forgetUnread()
      state.phase = .registered
      state.keepContext()
      if state.isGone { leave(state) }
    }
    inserted = ModelSet()
    updated = ModelSet()
    deleted = ModelSet()
    withdrawn = []
    undoRecorder?.forgetAll()
    changesHaveBegun()
  }

  /// Runs a block and saves what it has changed, together with what was changed before.
  ///
  /// Where the block throws, nothing is saved, and its changes are still there.
  ///
  /// - Throws: What the block throws, and what ``save()`` throws.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Notes that models are about to change, or have changed.
  func changesHaveBegun() {
    for signal in resultsSignals { signal.signal?.mark() }
    guard autosaveEnabled, !awaitsAutosave, isMainContext else { return }
    awaitsAutosave = true
    let later = LaterSave(context: self)
    DispatchQueue.main.async { later.run() }
  }

  /// Carries the main context to the main queue, which is of the same thread.
  private struct LaterSave: @unchecked Sendable {
    weak var context: ModelContext?

    func run() {
      guard let context else { return }
      context.awaitsAutosave = false
      guard context.autosaveEnabled else { return }
      do {
        // It stays for the next save that can throw it.
        if let error = context.foreignModelError { throw error }
        try context.save()
      } catch {
        context.lastError = error
      }
    }
  }

  /// The models that the last fetch was asked to read ahead, kept until the next one is.
  var prefetched: HeldModels?
  /// The models that had to be read to find others, by entity, kept until the next fetch.
  var readInFull: [String: HeldModels] = [:]

  /// What the next save throws, because a model of another context was deleted or inserted here.
  var foreignModelError: SwiftDataError?

  /// Whether this is the context that the container made for the main actor.
  var isMainContext = false
}
