import Foundation

/// The identity of a context, and the author that it names in its saves.
public struct EditingState: Identifiable, Sendable {
  /// The identity of the context.
  public let id: UUID
  /// The author that the app set, or `nil`.
  public var author: String?

  /// Creates a state.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}

/// A working copy of an app's models, which fetches them, tracks their changes, and saves these as
/// one transaction.
///
/// ```swift
/// let context = ModelContext(container)
/// context.author = "widget"
/// context.insert(Trip(name: "Rome"))
/// try context.save()
/// ```
///
/// A context and its models belong to one thread or actor. The context keeps models with changes;
/// other models exist as long as they are used. A model belongs to one context: inserting, deleting
/// or relating it in another one, or after its own context is gone, changes nothing and is an error
/// of the next save.
public class ModelContext: Equatable {
  /// The container whose stores the context reads and writes.
  public let container: ModelContainer
  /// Whether the main context saves by itself, in the next turn of the main queue after a change.
  ///
  /// The initial value is `true`, as in SwiftData. Other contexts save only when told to, whatever
  /// the value.
  public var autosaveEnabled = true
  /// The identity and the author of the context.
  public private(set) var editingState = EditingState()
  /// The latest error that could not be thrown, or `nil` after a successful ``save()`` or a
  /// ``rollback()`` (not in SwiftData).
  ///
  /// It is set when a property, a list or a value in a file cannot be read, which then appears
  /// blank, and when an automatic save fails, which leaves the changes unsaved.
  public internal(set) var lastError: (any Error)?

  private var registry = ModelRegistry()
  var inserted = ModelSet()
  var updated = ModelSet()
  var deleted = ModelSet()
  /// Models that left without being saved, to which relationships may still lead.
  var withdrawn: Set<PersistentIdentifier> = []
  private var awaitsAutosave = false
  var undoRecorder: UndoRecorder?
  /// The state of each store when its news were last taken over.
  var states: [String: StoreState] = [:]
  /// The context's own transactions since then that follow some of others, by store.
  var ownTransactions: [String: Set<Int64>] = [:]
  /// Models that left since the last save because others deleted them; if there are many, the last
  /// ones.
  var invalidated: [PersistentIdentifier] = []
  var resultsSignals: [Weak<ResultsSignal>] = []
  /// The models that the last fetch prefetched, kept until the next one does.
  var prefetched: HeldModels?
  /// The models that were read to find others, by entity, kept until the next fetch.
  var readInFull: [String: HeldModels] = [:]
  /// The error of the next save because a model of another context was used here.
  var foreignModelError: SwiftDataError?
  /// The delete rules that could not be applied because their models could not be read.
  var unappliedRules: [(state: ModelState, index: Int)] = []
  var isMainContext = false
  /// What the models of the context know of it.
  private(set) lazy var link = ContextLink(self)

  /// Creates a context.
  public init(_ container: ModelContainer) {
    self.container = container
    for store in container.stores { store.initializeState(for: editingState) }
  }

  deinit {
    for store in container.stores { store.invalidateState(for: editingState) }
  }

  /// The author that each transaction of the context names, or `nil`.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  /// Whether the context has unsaved changes.
  public var hasChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }
  /// The models that the next save inserts.
  public var insertedModelsArray: [any PersistentModel] { inserted.models }
  /// The models that the next save updates.
  public var changedModelsArray: [any PersistentModel] { updated.models }
  /// The models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { deleted.models }

  /// Returns whether two values are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  // MARK: - Known models

  /// Returns the model with an identifier if the context already has it, or `nil`.
  public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T?
  where T: PersistentModel {
    knownModel(for: persistentModelID) as? T
  }

  /// Returns the model with an identifier, whether or not it exists.
  ///
  /// Its values are read when they are first used, and are blank if it is not in the store. To find
  /// out whether a model exists, fetch it. Asking for a model of an entity that the container does
  /// not have is a programming error and ends the program, as in SwiftData.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    guard let model = existingModel(for: persistentModelID) else {
      preconditionFailure("the container has no model \(persistentModelID.entityName)")
    }
    return model
  }

  func knownModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    registry[identifier]
  }

  /// Returns the model with an identifier, unread if it is not known, or `nil` if no schema has its
  /// entity.
  func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    if let known = knownModel(for: identifier) { return known }
    guard let layout = container.schema.layouts[identifier.entityName] else { return nil }
    return register(identifier, values: layout.faultValues, as: layout.type)
  }

  /// - Parameter layout: The layout of the class, if it is at hand; looking it up takes time.
  func register<T: PersistentModel>(
    _ identifier: PersistentIdentifier, values: consuming [PropertyValue], as type: T.Type,
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
    registry[identifier] = model
  }

  func forget(_ identifier: PersistentIdentifier) { registry[identifier] = nil }

  func knownModels(ofStore identifier: String) -> [any PersistentModel] {
    registry.models(ofStore: identifier)
  }

  // MARK: - Changes

  /// Releases a model that is not, or no longer, in the store.
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

  /// Discards all unsaved changes and everything that the undo manager has registered.
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
    unappliedRules = []
    undoRecorder?.forgetAll()
    changesHaveBegun()
  }

  /// Runs a block and saves its changes together with all earlier ones.
  ///
  /// If the block throws, nothing is saved and its changes stay.
  ///
  /// - Throws: The error of the block, and the errors of ``save()``.
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }

  /// Notes that models are about to change, or have changed.
  func changesHaveBegun() {
    for signal in resultsSignals { signal.object?.mark() }
    guard autosaveEnabled, !awaitsAutosave, isMainContext else { return }
    awaitsAutosave = true
    let context = Weak(self)
    DispatchQueue.main.async { context.object?.autosave() }
  }

  private func autosave() {
    awaitsAutosave = false
    guard autosaveEnabled else { return }
    do {
      // It stays for the next save that can throw it.
      if let error = foreignModelError { throw error }
      try save()
    } catch {
      lastError = error
    }
  }
}

/// A reference that does not keep its object, and carries it to the queue or thread to which it
/// belongs.
struct Weak<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?

  init(_ object: Object) { self.object = object }
}

/// Models in the order in which they were added, each once.
struct ModelSet {
  private var entries: [(model: any PersistentModel, state: ModelState)?] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { places.isEmpty }
  var models: [any PersistentModel] { entries.compactMap { $0?.model } }
  var states: [ModelState] { entries.compactMap { $0?.state } }

  mutating func insert(_ model: any PersistentModel, _ state: ModelState) {
    let identity = ObjectIdentifier(state)
    guard places[identity] == nil else { return }
    places[identity] = entries.count
    entries.append((model, state))
  }

  mutating func remove(_ state: ModelState) {
    guard let place = places.removeValue(forKey: ObjectIdentifier(state)) else { return }
    entries[place] = nil
    if places.isEmpty {
      entries = []
    } else if entries.count > 64, entries.count > 4 * places.count {
      // Most entries are gaps.
      entries.removeAll { $0 == nil }
      for (place, entry) in entries.enumerated() {
        if let entry { places[ObjectIdentifier(entry.state)] = place }
      }
    }
  }
}

extension ModelContext: CustomDebugStringConvertible {
  /// The author, the numbers of unsaved models and the stores.
  public var debugDescription: String {
    let stores = container.stores.map { $0.configuration.name }.sorted().joined(separator: ", ")
    return
      "ModelContext\(author.map { " of \($0)" } ?? ""): \(insertedModelsArray.count) inserted, "
      + "\(changedModelsArray.count) changed, \(deletedModelsArray.count) deleted; stores: \(stores)"
  }
}
