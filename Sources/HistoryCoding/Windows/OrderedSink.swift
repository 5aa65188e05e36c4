import Dispatch
import Synchronization

/// Takes what is made of windows in any order and gives it out in theirs.
///
/// Whichever thread brings the piece that is due writes it, with all that follow and are there
/// already. A thread that is far ahead waits, so that few pieces are kept.
final class OrderedSink<Piece: Sendable>: Sendable {
  typealias Output = @Sendable (Piece, ExportSummary) throws -> Void

  private struct Finished {
    let piece: Piece
    let summary: ExportSummary
    /// Why nothing comes behind it.
    let failure: (any Error)?
  }

  private struct State {
    /// The window whose piece is due.
    var due = 0
    var finished: [Int: Finished] = [:]
    var isWriting = false
    /// Threads that have a piece of a window that is not due yet.
    var waiting: [Int: DispatchSemaphore] = [:]
    var summary = ExportSummary()
    var failure: (any Error)?
  }

  private let output: Output
  private let room = DispatchSemaphore(value: 0)
  private let state: Mutex<State>

  /// - Parameters:
  ///   - begun: What has been written before.
  ///   - output: Takes the bytes.
  init(_ begun: ExportSummary, output: @escaping Output) {
    self.output = output
    state = Mutex(State(summary: begun))
  }

  /// What has been written.
  var summary: ExportSummary { state.withLock { $0.summary } }

  /// Lets so many windows be under way.
  func allow(windows: Int) { for _ in 0..<windows { room.signal() } }

  /// Waits until a window may be begun; false where there is no more to do because of a failure.
  func waitForRoom() throws -> Bool {
    room.wait()
    guard state.withLock({ $0.failure == nil }) else {
      room.signal()
      return false
    }
    return true
  }

  /// Gives back the room for a window that there was not.
  func giveUpRoom() { room.signal() }

  /// Writes a part of a window, when its time has come.
  func writePiece(_ index: Int, _ piece: Piece) throws {
    let turn = state.withLock { state -> DispatchSemaphore? in
      guard state.due != index || state.isWriting, state.failure == nil else { return nil }
      let turn = DispatchSemaphore(value: 0)
      state.waiting[index] = turn
      return turn
    }
    turn?.wait()
    try throwFailure()
    // The window is due and its thread is here, so nobody else writes.
    try output(piece, summary)
  }

  /// Takes the last piece of a window.
  ///
  /// - Parameter failure: What ends everything behind this piece; nil where the window is whole.
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

  /// Ends everything with an error; the first one counts.
  func fail(_ error: any Error) {
    let waiting = state.withLock { state in
      if state.failure == nil { state.failure = error }
      state.isWriting = false
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for turn in waiting { turn.signal() }
    // Every thread that waits for room is to see the failure.
    room.signal()
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
    room.signal()
    turn?.signal()
  }
}
