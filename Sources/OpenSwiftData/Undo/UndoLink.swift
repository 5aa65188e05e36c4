import Foundation

/// What a context does with its undo manager.
///
/// Foundation's own, on Apple's systems, belongs to the main thread: what is changed on another one is
/// not remembered there.
struct UndoLink {
  let manager: UndoManager

  /// Whether actions are remembered at the moment.
  var isRegistering: Bool {
    #if canImport(ObjectiveC)
    onMainThread { $0.isUndoRegistrationEnabled } ?? false
    #else
    manager.isUndoRegistrationEnabled
    #endif
  }

  func register(_ record: UndoRecord, of context: ModelContext) {
    #if canImport(ObjectiveC)
    nonisolated(unsafe) let context = context
    onMainThread { $0.registerUndo(withTarget: context) { $0.revert(record) } }
    #else
    manager.registerUndo(withTarget: context) { $0.revert(record) }
    #endif
  }

  func forgetAll() {
    #if canImport(ObjectiveC)
    onMainThread { $0.removeAllActions() }
    #else
    manager.removeAllActions()
    #endif
  }

  func forget(_ context: ModelContext) {
    #if canImport(ObjectiveC)
    nonisolated(unsafe) let context = context
    onMainThread { $0.removeAllActions(withTarget: context) }
    #else
    manager.removeAllActions(withTarget: context)
    #endif
  }

  /// Ends the group of this turn of the main queue; Foundation's manager does so by itself.
  func endEvent() {
    #if !canImport(ObjectiveC)
    manager.endEvent()
    #endif
  }

  #if canImport(ObjectiveC)
  @discardableResult
  private func onMainThread<Result: Sendable>(
    _ body: @MainActor (UndoManager) -> Result
  ) -> Result? {
    guard Thread.isMainThread else { return nil }
    nonisolated(unsafe) let manager = manager
    return MainActor.assumeIsolated { body(manager) }
  }
  #endif
}
