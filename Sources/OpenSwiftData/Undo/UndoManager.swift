#if !canImport(ObjectiveC)
import Dispatch
import Foundation

/// Remembers what was done, so that it can be undone and done again; Foundation has one on Apple's
/// systems only.
///
/// ```swift
/// let undoManager = UndoManager()
/// context.undoManager = undoManager
/// context.insert(Trip(name: "Rome"))
/// undoManager.undo()
/// ```
///
/// Actions stand in groups, and a group is undone as a whole. While ``groupsByEvent`` is true, what is
/// registered in one turn of the main queue becomes one group; away from the main thread, where there
/// are no turns, the group goes on until ``undo()`` or ``redo()``, or until groups are begun and ended
/// by hand.
///
/// Where Foundation raises an exception, because groups were not begun and ended in pairs, nothing
/// happens here. A manager belongs to one thread or actor.
open class UndoManager {
  private var undoStack: [UndoGroup] = []
  private var redoStack: [UndoGroup] = []
  /// The groups that were begun and not ended yet, the outermost first.
  private var openGroups: [UndoGroup] = []
  private var disablings = 0
  /// Whether the outermost open group began by itself.
  private var isEventGroup = false

  /// A manager that remembers nothing.
  public init() {}

  // MARK: - Registering

  /// Remembers how something is undone.
  ///
  /// - Parameters:
  ///   - target: What the action is done to; it is not kept, and without it the action does nothing.
  ///   - handler: Undoes it. What it registers in turn is how to do it again.
  public func registerUndo<TargetType>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) where TargetType: AnyObject {
    guard isUndoRegistrationEnabled else { return }
    // Whoever has changed something before registers it before.
    if openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
    let isOnItsOwn = openGroups.isEmpty && !groupsByEvent
    if openGroups.isEmpty {
      open()
      isEventGroup = !isOnItsOwn
      if isEventGroup { scheduleEventEnd() }
    }
    let identity = ObjectIdentifier(target)
    let run = { [weak target] in
      if let target { handler(target) }
    }
    openGroups.last?.entries.append(.action(target: identity, run))
    if !isUndoing && !isRedoing { redoStack = [] }
    if isOnItsOwn { endUndoGrouping() }
  }

  /// Whether actions are remembered at all.
  public var isUndoRegistrationEnabled: Bool { disablings == 0 }

  /// Remembers nothing until ``enableUndoRegistration()`` was called as often.
  public func disableUndoRegistration() {
    post(.NSUndoManagerCheckpoint)
    disablings += 1
  }

  /// Takes back one ``disableUndoRegistration()``.
  public func enableUndoRegistration() {
    post(.NSUndoManagerCheckpoint)
    disablings = max(0, disablings - 1)
  }

  // MARK: - Groups

  /// Whether what is registered in one turn of the main queue becomes a group by itself.
  open var groupsByEvent = true

  /// How many groups were begun and not ended yet.
  public var groupingLevel: Int { openGroups.count }

  /// Begins a group, inside the one that is open.
  open func beginUndoGrouping() {
    post(.NSUndoManagerCheckpoint)
    open()
  }

  private func open() {
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the group that was begun last; one in which nothing was registered is forgotten.
  open func endUndoGrouping() {
    post(.NSUndoManagerCheckpoint)
    guard let group = openGroups.last else { return }
    post(.NSUndoManagerWillCloseUndoGroup)
    openGroups.removeLast()
    if let outer = openGroups.last {
      if !group.isEmpty { outer.entries.append(.group(group)) }
      if openGroups.count == 1, isEventGroup { scheduleEventEnd() }
    } else {
      isEventGroup = false
      if !group.isEmpty { push(group) }
    }
    post(.NSUndoManagerDidCloseUndoGroup)
  }

  private func push(_ group: UndoGroup) {
    if isUndoing { redoStack.append(group) } else { undoStack.append(group) }
    trim()
  }

  /// How many groups can be undone at most; 0 for any number.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
    redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
  }

  /// Ends the group of this turn of the main queue.
  func endEvent() {
    if isEventGroup, openGroups.count == 1 { endUndoGrouping() }
  }

  private func scheduleEventEnd() {
    guard MainQueue.isCurrent else { return }
    let end = EventEnd(manager: self)
    DispatchQueue.main.async { end.run() }
  }

  /// Carries the manager to the main queue, which is of the same thread.
  private struct EventEnd: @unchecked Sendable {
    weak var manager: UndoManager?

    func run() { manager?.endEvent() }
  }

  // MARK: - Undoing

  /// Whether there is something to undo, after everybody was given the chance to register what
  /// they have not registered yet.
  open var canUndo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
  }

  /// Whether there is something to do again.
  open var canRedo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !redoStack.isEmpty
  }

  /// How many groups can be undone, without open ones.
  public var undoCount: Int { undoStack.count }
  /// How many groups can be done again.
  public var redoCount: Int { redoStack.count }
  /// Whether something is being undone.
  public private(set) var isUndoing = false
  /// Whether something is being done again.
  public private(set) var isRedoing = false

  /// Ends all groups and undoes the last one.
  open func undo() {
    post(.NSUndoManagerCheckpoint)
    while !openGroups.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group, which may stand inside one that is open.
  open func undoNestedGroup() {
    post(.NSUndoManagerCheckpoint)
    guard !isUndoing, !isRedoing, let group = takeLastGroup() else { return }
    isUndoing = true
    post(.NSUndoManagerWillUndoChange)
    run(group)
    isUndoing = false
    post(.NSUndoManagerDidUndoChange)
  }

  /// Does again what was undone last.
  open func redo() {
    post(.NSUndoManagerCheckpoint)
    guard !isUndoing, !isRedoing else { return }
    while !openGroups.isEmpty { endUndoGrouping() }
    guard let group = redoStack.popLast() else { return }
    isRedoing = true
    post(.NSUndoManagerWillRedoChange)
    run(group)
    isRedoing = false
    post(.NSUndoManagerDidRedoChange)
  }

  private func takeLastGroup() -> UndoGroup? {
    guard let open = openGroups.last else { return undoStack.popLast() }
    guard case .group(let group)? = open.entries.last else { return nil }
    open.entries.removeLast()
    return group
  }

  /// Runs the actions of a group, the last first; what they register becomes one group.
  private func run(_ group: UndoGroup) {
    let outer = (openGroups, isEventGroup)
    (openGroups, isEventGroup) = ([UndoGroup(describedAs: group)], false)
    group.run()
    while !openGroups.isEmpty { endUndoGrouping() }
    (openGroups, isEventGroup) = outer
  }

  // MARK: - Forgetting

  /// Forgets everything, and registers again where that was disabled.
  open func removeAllActions() {
    undoStack = []
    redoStack = []
    openGroups = []
    isEventGroup = false
    disablings = 0
  }

  /// Forgets all actions that are done to an object.
  open func removeAllActions(withTarget target: Any) {
    let identity = ObjectIdentifier(target as AnyObject)
    for group in undoStack + redoStack + openGroups { group.forget(identity) }
    undoStack.removeAll(where: \.isEmpty)
    redoStack.removeAll(where: \.isEmpty)
  }

  // MARK: - Names

  /// What the last thing that can be undone is called; empty where it has no name.
  open var undoActionName: String {
    (openGroups.first ?? undoStack.last)?.actionName ?? ""
  }

  /// What the thing that can be done again is called; empty where it has no name.
  open var redoActionName: String { redoStack.last?.actionName ?? "" }

  /// Names what is being registered, or what was registered last.
  open func setActionName(_ actionName: String) {
    (openGroups.first ?? undoStack.last)?.actionName = actionName
  }

  /// Whether what can be undone next may be lost without harm.
  public var undoActionIsDiscardable: Bool {
    (openGroups.first ?? undoStack.last)?.isDiscardable ?? false
  }

  /// Whether what can be done again next may be lost without harm.
  public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

  /// Says whether what is being registered, or what was registered last, may be lost without harm.
  public func setActionIsDiscardable(_ discardable: Bool) {
    (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
  }

  /// What a command that undoes is called, such as `Undo Typing`.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// What a command that does again is called, such as `Redo Typing`.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// What a command that undoes something is called.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// What a command that does something again is called.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  private func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

extension Notification.Name {
  /// Is posted when whoever changes things is to register what was not registered yet.
  public static let NSUndoManagerCheckpoint = Notification.Name(
    "NSUndoManagerCheckpointNotification")
  /// Is posted when a group was begun.
  public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification")
  /// Is posted before a group is ended.
  public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification")
  /// Is posted when a group was ended.
  public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification")
  /// Is posted before something is undone.
  public static let NSUndoManagerWillUndoChange = Notification.Name(
    "NSUndoManagerWillUndoChangeNotification")
  /// Is posted when something was undone.
  public static let NSUndoManagerDidUndoChange = Notification.Name(
    "NSUndoManagerDidUndoChangeNotification")
  /// Is posted before something is done again.
  public static let NSUndoManagerWillRedoChange = Notification.Name(
    "NSUndoManagerWillRedoChangeNotification")
  /// Is posted when something was done again.
  public static let NSUndoManagerDidRedoChange = Notification.Name(
    "NSUndoManagerDidRedoChangeNotification")
}
#endif
