import Dispatch
import Synchronization

/// Accepts the pieces of windows in any order, and writes them in the order of the windows.
///
/// The thread with the next piece writes it, and all later pieces that are ready. A thread that is
/// far ahead waits, so that few pieces are kept.
final class OrderedSink<Piece: Sendable>: Sendable {
  typealias Output = @Sendable (Piece, ExportSummary) throws -> Void

  private struct Finished {
    let piece: Piece
    let summary: ExportSummary
    /// The error after this piece; `nil` if the window is complete.
    let failure: (any Error)?
  }

  private struct State {
    /// The window whose piece is next.
    var due = 0
    var finished: [Int: Finished] = [:]
    var isWriting = false
    /// Threads with a piece of a later window.
    var waiting: [Int: DispatchSemaphore] = [:]
    var summary = ExportSummary()
    var failure: (any Error)?
  }

  private let output: Output
  private let slots = DispatchSemaphore(value: 0)
  private let state: Mutex<State>

  /// - Parameters:
  ///   - begun: What was written before.
  ///   - output: Writes a piece.
  init(_ begun: ExportSummary, output: @escaping Output) {
    self.output = output
    state = Mutex(State(summary: begun))
  }

  var summary: ExportSummary { state.withLock { $0.summary } }

  /// Allows a number of windows to be in progress.
  func allow(windows: Int) { for _ in 0..<windows { slots.signal() } }

  /// Waits until a window may begin; returns `false` after a failure.
  func waitForSlot() throws -> Bool {
    slots.wait()
    guard state.withLock({ $0.failure == nil }) else {
      slots.signal()
      return false
    }
    return true
  }

  /// Returns the slot of a window that did not begin.
  func releaseSlot() { slots.signal() }

  /// Writes a part of a window after all windows before it.
  func writePiece(_ index: Int, _ piece: Piece) throws {
    try waitForTurn(index)
    // The window is next and its thread is here, so no other thread writes.
    try output(piece, summary)
  }

  /// Waits until all windows before one are written; it is then the next one until it is finished.
  func waitForTurn(_ index: Int) throws {
    let turn = state.withLock { state -> DispatchSemaphore? in
      guard state.due != index || state.isWriting, state.failure == nil else { return nil }
      let turn = DispatchSemaphore(value: 0)
      state.waiting[index] = turn
      return turn
    }
    turn?.wait()
    try throwFailure()
  }

  /// Accepts the last piece of a window.
  ///
  /// - Parameter failure: The error that ends everything after this piece; `nil` if the window is
  ///   complete.
  func finish(
    _ index: Int, _ piece: Piece, _ summary: ExportSummary, failure: (any Error)? = nil
  ) {
    state.withLock { state in
      state.finished[index] = Finished(piece: piece, summary: summary, failure: failure)
    }
    while let next = takeDue() {
      do {
        try output(next.piece, next.summary)
        if let failure = next.failure { throw failure }
        wrote(next.summary)
      } catch {
        fail(error)
        return
      }
    }
  }

  /// Ends everything with an error; the first one is reported.
  func fail(_ error: any Error) {
    let waiting = state.withLock { state in
      if state.failure == nil { state.failure = error }
      state.isWriting = false
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for turn in waiting { turn.signal() }
    // Wakes the threads that wait for a slot, one after the other.
    slots.signal()
  }

  func throwFailure() throws {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private func takeDue() -> Finished? {
    state.withLock { state in
      guard !state.isWriting, state.failure == nil,
        let next = state.finished.removeValue(forKey: state.due)
      else { return nil }
      state.isWriting = true
      var total = state.summary
      total.add(next.summary)
      return Finished(piece: next.piece, summary: total, failure: next.failure)
    }
  }

  private func wrote(_ summary: ExportSummary) {
    let turn = state.withLock { state -> DispatchSemaphore? in
      state.summary = summary
      state.isWriting = false
      state.due += 1
      return state.waiting.removeValue(forKey: state.due)
    }
    slots.signal()
    turn?.signal()
  }
}
