#if !canImport(ObjectiveC)
import Dispatch
import Foundation

/// A recorder of actions that can be undone and redone, which Foundation has on Apple's systems
/// only.
///
/// ```swift
/// let undoManager = UndoManager()
/// context.undoManager = undoManager
/// context.insert(Trip(name: "Rome"))
/// undoManager.undo()
/// ```
///
/// Actions form groups, which are undone as a whole. While ``groupsByEvent`` is `true`, the actions
/// registered in one turn of the main queue form a group; on other threads, which have no turns,
/// the group continues until ``undo()`` or ``redo()``, or until groups are begun and ended
/// explicitly. Unbalanced groups, for which Foundation raises an exception, have no effect here. A
/// manager belongs to one thread or actor.
open class UndoManager {
  private var undoStack: [UndoGroup] = []
  private var redoStack: [UndoGroup] = []
  /// The groups that are not ended, outermost first.
  private var openGroups: [UndoGroup] = []
  private var disablings = 0
  /// Whether the outermost open group was begun automatically.
  private var isEventGroup = false

  /// Creates a manager without actions.
  public init() {}

  // MARK: - Registering

  /// Registers an undo action.
  ///
  /// - Parameters:
  ///   - target: The target of the action, which is not retained; without it the action has no
  ///     effect.
  ///   - handler: Undoes the change. The actions that it registers redo it.
  public func registerUndo<TargetType>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) where TargetType: AnyObject {
    guard isUndoRegistrationEnabled else { return }
    // Earlier changes are registered first.
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

  /// Whether actions are registered.
  public var isUndoRegistrationEnabled: Bool { disablings == 0 }

  /// Ignores actions until a matching ``enableUndoRegistration()``.
  public func disableUndoRegistration() {
    post(.NSUndoManagerCheckpoint)
    disablings += 1
  }

  /// Ends the effect of one ``disableUndoRegistration()``.
  public func enableUndoRegistration() {
    post(.NSUndoManagerCheckpoint)
    disablings = max(0, disablings - 1)
  }

  // MARK: - Groups

  /// Whether the actions of one turn of the main queue form a group.
  open var groupsByEvent = true

  /// The number of groups that are not ended.
  public var groupingLevel: Int { openGroups.count }

  /// Begins a group inside the open one.
  open func beginUndoGrouping() {
    post(.NSUndoManagerCheckpoint)
    open()
  }

  private func open() {
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the group that was begun last; an empty group is dropped.
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

  /// The maximum number of groups that can be undone; 0 for no limit.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
    redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
  }

  func endEvent() {
    if isEventGroup, openGroups.count == 1 { endUndoGrouping() }
  }

  private func scheduleEventEnd() {
    guard DispatchQueue.isMainCurrent else { return }
    let manager = Weak(self)
    DispatchQueue.main.async { manager.object?.endEvent() }
  }

  // MARK: - Undoing

  /// Whether there is something to undo, including changes that observers register only now.
  open var canUndo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
  }

  /// Whether there is something to redo.
  open var canRedo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !redoStack.isEmpty
  }

  /// The number of ended groups that can be undone.
  public var undoCount: Int { undoStack.count }
  /// The number of groups that can be redone.
  public var redoCount: Int { redoStack.count }
  /// Whether an undo is in progress.
  public private(set) var isUndoing = false
  /// Whether a redo is in progress.
  public private(set) var isRedoing = false

  /// Ends all groups and undoes the last one.
  open func undo() {
    post(.NSUndoManagerCheckpoint)
    while !openGroups.isEmpty { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group, which may be inside an open one.
  open func undoNestedGroup() {
    post(.NSUndoManagerCheckpoint)
    guard !isUndoing, !isRedoing, let group = takeLastGroup() else { return }
    isUndoing = true
    post(.NSUndoManagerWillUndoChange)
    run(group)
    isUndoing = false
    post(.NSUndoManagerDidUndoChange)
  }

  /// Redoes the last undone group.
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

  private func run(_ group: UndoGroup) {
    let outer = (openGroups, isEventGroup)
    (openGroups, isEventGroup) = ([UndoGroup(describedAs: group)], false)
    group.run()
    while !openGroups.isEmpty { endUndoGrouping() }
    (openGroups, isEventGroup) = outer
  }

  // MARK: - Forgetting

  /// Removes all actions, and enables registration.
  open func removeAllActions() {
    undoStack = []
    redoStack = []
    openGroups = []
    isEventGroup = false
    disablings = 0
  }

  /// Removes all actions of a target.
  open func removeAllActions(withTarget target: Any) {
    let identity = ObjectIdentifier(target as AnyObject)
    for group in undoStack + redoStack + openGroups { group.forget(identity) }
    undoStack.removeAll(where: \.isEmpty)
    redoStack.removeAll(where: \.isEmpty)
  }

  // MARK: - Names

  /// The name of the action that ``undo()`` undoes; empty if it has none.
  open var undoActionName: String {
    (openGroups.first ?? undoStack.last)?.actionName ?? ""
  }

  /// The name of the action that ``redo()`` redoes; empty if it has none.
  open var redoActionName: String { redoStack.last?.actionName ?? "" }

  /// Names the open or else the last group.
  open func setActionName(_ actionName: String) {
    (openGroups.first ?? undoStack.last)?.actionName = actionName
  }

  /// Whether the action that ``undo()`` undoes is discardable.
  public var undoActionIsDiscardable: Bool {
    (openGroups.first ?? undoStack.last)?.isDiscardable ?? false
  }

  /// Whether the action that ``redo()`` redoes is discardable.
  public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

  /// Sets whether the open or else the last group is discardable.
  public func setActionIsDiscardable(_ discardable: Bool) {
    (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
  }

  /// The title of an undo command, such as `Undo Typing`.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// The title of a redo command, such as `Redo Typing`.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// Returns the title of an undo command for an action.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// Returns the title of a redo command for an action.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  private func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

extension Notification.Name {
  /// Posted when observers are to register outstanding changes.
  public static let NSUndoManagerCheckpoint = Notification.Name(
    "NSUndoManagerCheckpointNotification")
  /// Posted after a group began.
  public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification")
  /// Posted before a group ends.
  public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification")
  /// Posted after a group ended.
  public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification")
  /// Posted before an undo.
  public static let NSUndoManagerWillUndoChange = Notification.Name(
    "NSUndoManagerWillUndoChangeNotification")
  /// Posted after an undo.
  public static let NSUndoManagerDidUndoChange = Notification.Name(
    "NSUndoManagerDidUndoChangeNotification")
  /// Posted before a redo.
  public static let NSUndoManagerWillRedoChange = Notification.Name(
    "NSUndoManagerWillRedoChangeNotification")
  /// Posted after a redo.
  public static let NSUndoManagerDidRedoChange = Notification.Name(
    "NSUndoManagerDidRedoChangeNotification")
}

/// Actions that are undone together.
private final class UndoGroup {
  enum Entry {
    case action(target: ObjectIdentifier, () -> Void)
    case group(UndoGroup)
  }

  var entries: [Entry] = []
  var actionName = ""
  var isDiscardable = false

  init() {}

  init(describedAs other: UndoGroup) {
    actionName = other.actionName
    isDiscardable = other.isDiscardable
  }

  var isEmpty: Bool { entries.isEmpty }

  func run() {
    for entry in entries.reversed() {
      switch entry {
      case .action(_, let action): action()
      case .group(let group): group.run()
      }
    }
  }

  func forget(_ target: ObjectIdentifier) {
    entries.removeAll { entry in
      switch entry {
      case .action(let other, _): return other == target
      case .group(let group):
        group.forget(target)
        return group.isEmpty
      }
    }
  }
}
#endif
