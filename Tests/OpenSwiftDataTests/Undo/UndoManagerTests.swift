#if !canImport(ObjectiveC)
import OpenSwiftData
import TestSupport
import Testing

/// The undo manager by itself; a number stands for a document.
@Suite(.bounded) struct UndoManagerTests {
  private final class Counter {
    private(set) var value = 0
    let manager = UndoManager()

    func set(_ new: Int) {
      let old = value
      manager.registerUndo(withTarget: self) { $0.set(old) }
      value = new
    }
  }

  @Test func `undone changes can be redone`() {
    let counter = Counter()
    counter.manager.groupsByEvent = false
    counter.set(1)
    counter.set(2)
    #expect(counter.manager.canUndo)
    #expect(!counter.manager.canRedo)
    counter.manager.undo()
    #expect(counter.value == 1)
    counter.manager.undo()
    #expect(counter.value == 0)
    #expect(!counter.manager.canUndo)
    counter.manager.undo()
    #expect(counter.value == 0)
    counter.manager.redo()
    counter.manager.redo()
    #expect(counter.value == 2)
    #expect(!counter.manager.canRedo)
    // Something new takes the place of what was undone.
    counter.manager.undo()
    counter.set(7)
    #expect(!counter.manager.canRedo)
    counter.manager.undo()
    #expect(counter.value == 1)
  }

  @Test func `a group is undone as a whole`() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    counter.set(1)
    manager.beginUndoGrouping()
    counter.set(2)
    manager.beginUndoGrouping()
    counter.set(3)
    #expect(manager.groupingLevel == 2)
    manager.endUndoGrouping()
    counter.set(4)
    manager.endUndoGrouping()
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(counter.value == 1)
    manager.redo()
    #expect(counter.value == 4)
    // A group without actions is none.
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(manager.undoCount == 2)
    // What was not begun cannot be ended.
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 0)
  }

  @Test func `the last group inside an open one is undone by itself`() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    counter.set(1)
    manager.beginUndoGrouping()
    counter.set(2)
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    #expect(manager.groupingLevel == 1)
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func `a group off the main queue is open until it is undone`() async {
    await Task.detached {
      let counter = Counter()
      counter.set(1)
      counter.set(2)
      #expect(counter.manager.groupingLevel == 1)
      counter.manager.undo()
      #expect(counter.value == 0)
    }.value
  }

  @MainActor @Test func `a turn of the main queue is a group`() async throws {
    let counter = Counter()
    for turn in [1, 3] {
      counter.set(turn)
      counter.set(turn + 1)
      try await wait(until: "the group of the turn is closed") {
        counter.manager.groupingLevel == 0
      }
    }
    #expect(counter.manager.undoCount == 2)
    counter.manager.undo()
    #expect(counter.value == 2)
  }

  @Test func `registration can be disabled`() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    counter.set(1)
    manager.enableUndoRegistration()
    counter.set(2)
    #expect(!manager.isUndoRegistrationEnabled)
    manager.enableUndoRegistration()
    counter.set(3)
    manager.undo()
    #expect(counter.value == 2)
    #expect(!manager.canUndo)
  }

  @Test func `levels are limited`() {
    let counter = Counter()
    counter.manager.groupsByEvent = false
    for value in 1...5 { counter.set(value) }
    counter.manager.levelsOfUndo = 2
    #expect(counter.manager.undoCount == 2)
    counter.set(6)
    while counter.manager.canUndo { counter.manager.undo() }
    #expect(counter.value == 4)
  }

  @Test func `actions of a target can be removed`() {
    let (counter, manager) = (Counter(), UndoManager())
    manager.groupsByEvent = false
    final class Other { var isTouched = false }
    let other = Other()
    manager.beginUndoGrouping()
    manager.registerUndo(withTarget: counter) { $0.set(9) }
    manager.registerUndo(withTarget: other) { $0.isTouched = true }
    manager.endUndoGrouping()
    manager.registerUndo(withTarget: other) { $0.isTouched = true }
    manager.removeAllActions(withTarget: other)
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(counter.value == 9)
    #expect(!other.isTouched)
    manager.registerUndo(withTarget: other) { $0.isTouched = true }
    manager.removeAllActions()
    #expect(!manager.canUndo)
  }

  @Test func `the action of a released target does nothing`() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    manager.registerUndo(withTarget: Counter()) { $0.set(1) }
    manager.undo()
    #expect(!manager.canUndo && !manager.canRedo)
  }

  @Test func `names follow their groups`() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    #expect(manager.undoMenuItemTitle == "Undo")
    counter.set(1)
    manager.setActionName("Count")
    #expect(manager.undoActionName == "Count")
    #expect(manager.undoMenuItemTitle == "Undo Count")
    manager.undo()
    #expect(manager.undoActionName == "")
    #expect(manager.redoMenuItemTitle == "Redo Count")
    manager.redo()
    #expect(manager.undoActionName == "Count")
  }

  @Test func `undo managers post notifications`() {
    let counter = Counter()
    counter.manager.groupsByEvent = false
    let names: [Notification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    nonisolated(unsafe) var heard: Set<Notification.Name> = []
    let observers = names.map { name in
      NotificationCenter.default.addObserver(
        forName: name, object: counter.manager, queue: nil
      ) { _ in heard.insert(name) }
    }
    counter.set(1)
    #expect(heard == Set(names.prefix(3)))
    counter.manager.undo()
    #expect(heard == Set(names.prefix(5)))
    counter.manager.redo()
    #expect(heard == Set(names))
    observers.forEach(NotificationCenter.default.removeObserver)
  }
}
#endif
