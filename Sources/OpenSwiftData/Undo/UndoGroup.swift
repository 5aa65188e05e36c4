#if !canImport(ObjectiveC)
/// Actions that are undone together.
final class UndoGroup {
  enum Entry {
    case action(target: ObjectIdentifier, () -> Void)
    case group(UndoGroup)
  }

  var entries: [Entry] = []
  var actionName = ""
  var isDiscardable = false

  init() {}

  /// An empty group with the name of another one.
  init(describedAs other: UndoGroup) {
    actionName = other.actionName
    isDiscardable = other.isDiscardable
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Runs the actions, the last first.
  func run() {
    for entry in entries.reversed() {
      switch entry {
      case .action(_, let action): action()
      case .group(let group): group.run()
      }
    }
  }

  /// Leaves out all actions that are done to an object.
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
