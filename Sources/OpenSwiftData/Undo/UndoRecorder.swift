import Dispatch
import Foundation

/// Notes what happens to a context's models until its undo manager is told.
final class UndoRecorder {
  let link: UndoLink
  private weak var context: ModelContext?
  private var changes: [UndoRecord.Change] = []
  /// The properties whose value before the first change was noted already.
  private var notedPlaces: Set<Place> = []
  /// What records may name and has become something else.
  private var aliases = UndoAliases()
  private var checkpoint: (any NSObjectProtocol)?
  private var awaitsEventEnd = false

  private struct Place: Hashable {
    let state: ObjectIdentifier
    let index: Int
  }

  init(_ manager: UndoManager, of context: ModelContext) {
    link = UndoLink(manager: manager)
    self.context = context
    let processing = Processing(context: context)
    checkpoint = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
    ) { _ in processing.run() }
  }

  deinit {
    if let checkpoint { NotificationCenter.default.removeObserver(checkpoint) }
  }

  /// Carries the context to where it is told to register what has happened; that is on its own thread,
  /// which is also the manager's.
  private struct Processing: @unchecked Sendable {
    weak var context: ModelContext?

    func run() { context?.processPendingChanges() }

    func endEvent() {
      guard let context else { return }
      context.processPendingChanges()
      context.undoRecorder?.eventHasEnded()
    }
  }

  // MARK: - Noting

  func inserted(_ model: any PersistentModel, _ state: ModelState) {
    note(.inserted(UndoRecord.Subject(model: model, state: state)))
  }

  func deleted(_ model: any PersistentModel, _ state: ModelState) {
    note(.deleted(UndoRecord.Subject(model: model, state: state)))
  }

  /// Notes the value that a property has before it changes; of a to-many relationship nothing, for
  /// there it is noted what changes.
  func willSet(_ state: ModelState, at index: Int) {
    guard !(state.layout.properties[index].relationship?.isToMany ?? false),
      let subject = subject(state), link.isRegistering,
      notedPlaces.insert(Place(state: ObjectIdentifier(state), index: index)).inserted
    else { return }
    // Behind a save the store has another value.
    if state.isFault(at: index) {
      do { try context?.fulfill(state) } catch { context?.couldNotRead(error) }
    }
    // The file of a value that is replaced is gone with the next save.
    state.readFile(at: index)
    note(.set(subject, index: index, before: state.values[index]))
  }

  func willReplace(
    _ before: [PersistentIdentifier], with after: [PersistentIdentifier], of state: ModelState,
    at index: Int
  ) {
    if let subject = subject(state) {
      note(.replaced(subject, index: index, before: before, after: after))
    }
  }

  func willAdd(_ identifier: PersistentIdentifier, to state: ModelState, at index: Int) {
    if let subject = subject(state) { note(.added(subject, index: index, identifier)) }
  }

  func willRemove(_ identifier: PersistentIdentifier, from state: ModelState, at index: Int) {
    if let subject = subject(state) { note(.removed(subject, index: index, identifier)) }
  }

  private func subject(_ state: ModelState) -> UndoRecord.Subject? {
    state.model.map { UndoRecord.Subject(model: $0, state: state) }
  }

  private func note(_ change: UndoRecord.Change) {
    guard link.isRegistering else { return }
    if changes.isEmpty { aliases.beginRecord() }
    changes.append(change)
    scheduleEventEnd()
  }

  /// What was noted since the last time; nil for nothing.
  func takeRecord() -> UndoRecord? {
    guard !changes.isEmpty else { return nil }
    defer {
      changes = []
      notedPlaces = []
    }
    return UndoRecord(changes, since: aliases.recordBegins, of: self)
  }

  /// Forgets what was noted, and all that the undo manager knows.
  func forgetAll() {
    if !changes.isEmpty { aliases.endRecord(since: aliases.recordBegins) }
    changes = []
    notedPlaces = []
    link.forgetAll()
  }

  /// Notes that the undo manager has let a record go.
  func forgot(recordSince time: Int) { aliases.endRecord(since: time) }

  // MARK: - Identifiers

  /// Notes that a model has got another identifier.
  func replaced(_ identifier: PersistentIdentifier, by other: PersistentIdentifier) {
    aliases.replaced(identifier, by: other)
  }

  /// Notes that a model which was inserted was in the store already, so that undoing it must not
  /// delete it.
  func isPresent(_ identifier: PersistentIdentifier) { aliases.isPresent(identifier) }

  /// Whether a model that was inserted was in the store already.
  func wasPresent(_ identifier: PersistentIdentifier) -> Bool { aliases.wasPresent(identifier) }

  /// The identifier that a model has now.
  func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    aliases.current(identifier)
  }

  // MARK: - Turns of the main queue

  private func scheduleEventEnd() {
    guard !awaitsEventEnd, MainQueue.isCurrent, let context else { return }
    awaitsEventEnd = true
    let processing = Processing(context: context)
    DispatchQueue.main.async { processing.endEvent() }
  }

  private func eventHasEnded() {
    awaitsEventEnd = false
    link.endEvent()
  }
}
