import Dispatch
import Foundation

/// Records what happens to a context's models until it is registered with the undo manager.
final class UndoRecorder {
  let manager: UndoManager
  private weak var context: ModelContext?
  private var changes: [UndoRecord.Change] = []
  /// The properties whose value before the first change is recorded.
  private var recordedPlaces: Set<Place> = []
  var aliases = UndoAliases()
  private var checkpoint: (any NSObjectProtocol)?
  private var awaitsEventEnd = false

  private struct Place: Hashable {
    let state: ObjectIdentifier
    let index: Int
  }

  init(_ manager: UndoManager, of context: ModelContext) {
    self.manager = manager
    self.context = context
    let weakContext = Weak(context)
    checkpoint = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in weakContext.object?.processPendingChanges() }
  }

  deinit {
    if let checkpoint { NotificationCenter.default.removeObserver(checkpoint) }
  }

  // MARK: - Recording

  /// Records the value of a property before it changes, except for lists, whose changes are
  /// recorded.
  func willSet(_ state: ModelState, at index: Int) {
    guard !state.layout.properties[index].isToMany, state.model != nil, isRegistering,
      recordedPlaces.insert(Place(state: ObjectIdentifier(state), index: index)).inserted
    else { return }
    // After a save the store has another value.
    if state.isFault(at: index) {
      do { try context?.fulfill(state) } catch { context?.couldNotRead(error) }
    }
    // The next save removes the file of a replaced value.
    state.readFile(at: index)
    record(.set(index: index, before: state.values[index]), of: state)
  }

  func record(_ event: UndoRecord.Event, of state: ModelState) {
    guard let model = state.model, isRegistering else { return }
    if changes.isEmpty { aliases.beginRecord() }
    changes.append(UndoRecord.Change(model: model, state: state, event: event))
    scheduleEventEnd()
  }

  /// Registers everything recorded since the last call.
  func register() {
    guard !changes.isEmpty, let context else { return }
    let record = UndoRecord(changes, since: aliases.recordBegins, of: self)
    changes = []
    recordedPlaces = []
    nonisolated(unsafe) let target = context
    withManager { $0.registerUndo(withTarget: target) { $0.revert(record) } }
  }

  /// Drops everything recorded, and all actions of the undo manager.
  func forgetAll() {
    if !changes.isEmpty { aliases.endRecord(since: aliases.recordBegins) }
    changes = []
    recordedPlaces = []
    withManager { $0.removeAllActions() }
  }

  // MARK: - The manager

  #if canImport(ObjectiveC)
  private typealias ManagerUse<Result> = @MainActor (UndoManager) -> Result
  #else
  private typealias ManagerUse<Result> = (UndoManager) -> Result
  #endif

  /// Uses the manager. Foundation's, on Apple's systems, belongs to the main thread: changes on
  /// other threads are not registered there.
  @discardableResult
  private func withManager<Result: Sendable>(_ use: ManagerUse<Result>) -> Result? {
    #if canImport(ObjectiveC)
    guard Thread.isMainThread else { return nil }
    nonisolated(unsafe) let manager = manager
    return MainActor.assumeIsolated { use(manager) }
    #else
    return use(manager)
    #endif
  }

  private var isRegistering: Bool { withManager { $0.isUndoRegistrationEnabled } ?? false }

  func removeActions(of context: ModelContext) {
    nonisolated(unsafe) let target = context
    withManager { $0.removeAllActions(withTarget: target) }
  }

  private func scheduleEventEnd() {
    guard !awaitsEventEnd, DispatchQueue.isMainCurrent, let context else { return }
    awaitsEventEnd = true
    let weakContext = Weak(context)
    DispatchQueue.main.async {
      weakContext.object?.processPendingChanges()
      weakContext.object?.undoRecorder?.eventHasEnded()
    }
  }

  private func eventHasEnded() {
    awaitsEventEnd = false
    // Foundation's manager ends the group of an event itself.
    #if !canImport(ObjectiveC)
    manager.endEvent()
    #endif
  }
}

/// What happened to a context's models, in order, between two registrations.
final class UndoRecord: @unchecked Sendable {
  /// What happened to a model, which is retained as long as the record.
  struct Change {
    let model: any PersistentModel
    let state: ModelState
    let event: Event

    /// Whether the object has values of its own; after a save that found its unique values in the
    /// store, it has those of another object.
    var isWhole: Bool { model.state === state }
  }

  enum Event {
    case inserted
    case deleted
    /// The value of an attribute or a to-one relationship before it was set.
    case set(index: Int, before: PropertyValue)
    /// A to-many relationship was set as a whole.
    case replaced(index: Int, before: [PersistentIdentifier], after: [PersistentIdentifier])
    case added(index: Int, PersistentIdentifier)
    case removed(index: Int, PersistentIdentifier)
  }

  let changes: [Change]
  private let held: HeldModels
  private let time: Int
  private weak var recorder: UndoRecorder?

  init(_ changes: [Change], since time: Int, of recorder: UndoRecorder) {
    self.changes = changes
    self.time = time
    self.recorder = recorder
    held = HeldModels(changes.map(\.model), changes.map(\.state))
  }

  deinit { recorder?.aliases.endRecord(since: time) }
}

/// The later identifiers of models that undo records name, kept as long as there are such records.
struct UndoAliases {
  /// Counts the entries.
  private var time = 0
  /// The time at which the present record began.
  private(set) var recordBegins = 0
  /// The number of records by the time at which they began.
  private var records: [Int: Int] = [:]
  private var successors: [PersistentIdentifier: (other: PersistentIdentifier, time: Int)] = [:]
  /// Models that were saved as new ones although the store had their unique values.
  private var present: [PersistentIdentifier: Int] = [:]

  mutating func beginRecord() {
    recordBegins = time
    records[time, default: 0] += 1
  }

  /// Notes that a record is gone, and drops what only that record could ask for.
  mutating func endRecord(since begin: Int) {
    guard let count = records[begin] else { return }
    records[begin] = count > 1 ? count - 1 : nil
    guard count == 1 else { return }
    let oldest = records.keys.min() ?? .max
    guard oldest > begin else { return }
    successors = successors.filter { $0.value.time > oldest }
    present = present.filter { $0.value > oldest }
  }

  mutating func replaced(_ identifier: PersistentIdentifier, by other: PersistentIdentifier) {
    guard !records.isEmpty else { return }
    time += 1
    successors[identifier] = (other, time)
  }

  /// Notes that an inserted model was in the store already, so that undoing must not delete it.
  mutating func isPresent(_ identifier: PersistentIdentifier) {
    guard !records.isEmpty else { return }
    time += 1
    present[identifier] = time
  }

  func wasPresent(_ identifier: PersistentIdentifier) -> Bool { present[identifier] != nil }

  func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    var identifier = identifier
    while let next = successors[identifier]?.other, next != identifier { identifier = next }
    return identifier
  }
}
