#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the program does when the system or the user sends it a signal.
package enum Signals {
  /// How a signal was handled before it was suspended.
  package struct Disposition {
    fileprivate let handler: (@convention(c) (Int32) -> Void)?

    /// Whether whoever started this program wanted the signal to be ignored.
    fileprivate var isIgnored: Bool {
      unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  }

  /// Makes a write that cannot succeed an error to be reported, and not the end of the program:
  /// a reader that has gone (SIGPIPE), a file larger than the user's limit (SIGXFSZ).
  package static func ignoreFailedWrites() {
    for number in ignoredSignals { _ = signal(number, SIG_IGN) }
  }

  /// Removes registered temporary files on SIGINT, SIGTERM, SIGHUP and SIGQUIT, and then ends the program
  /// by the same signal, so that a shell sees 128 + N and a script stops where it should.
  ///
  /// A signal that was ignored from the start, as under `nohup`, stays ignored.
  ///
  /// - Parameter report: Called in the handler before the program ends; may call only what is safe in a
  ///   signal's handler.
  package static func cleanUpWhenTerminated(report: @escaping @convention(c) () -> Void = {}) {
    reportBeforeEnd = report
    // The first call makes the table and whatever the runtime makes lazily, which must not
    // happen inside a handler.
    TemporaryFileRegistry.removeAll()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      let before = Disposition(handler: signal(number, endBySignal))
      if before.isIgnored { _ = signal(number, SIG_IGN) }
    }
  }

  /// Makes the first signal wait while `isHeld` is true, so that a batch is done and noted and what the
  /// program says of its work is what it did. A second signal ends the program at once.
  package static func holdBack(_ isHeld: Bool) {
    holdsBack = isHeld
    if !isHeld, heldBack != 0 { raise(heldBack) }
  }

  /// Calls a handler on a signal from now on, unless whoever started this program wanted the signal to
  /// be ignored.
  package static func handle(
    _ number: Int32, with handler: @escaping @convention(c) (Int32) -> Void
  ) -> Disposition {
    let before = Disposition(handler: signal(number, handler))
    if before.isIgnored { _ = signal(number, SIG_IGN) }
    return before
  }

  /// Handles a signal again as before `handle(_:with:)`.
  package static func restore(_ number: Int32, _ disposition: Disposition) {
    _ = signal(number, disposition.handler)
  }

  /// Ignores SIGINT, which belongs to the pager while one is on the screen.
  package static func suspendInterrupts() -> Disposition {
    Disposition(handler: signal(SIGINT, SIG_IGN))
  }

  /// Handles SIGINT again as before `suspendInterrupts()`.
  package static func restoreInterrupts(_ disposition: Disposition) {
    _ = signal(SIGINT, disposition.handler)
  }

  /// The signals that this program ignores of its own accord; a child must not inherit that.
  package static let ignoredSignals = [SIGPIPE, SIGXFSZ]
}

/// Cleans up and lets the signal do what it does by default. Only calls that are safe in a
/// handler: `unlink`, `write`, `signal` and `raise`.
private func endBySignal(_ number: Int32) {
  if holdsBack, heldBack == 0 {
    heldBack = number
    return
  }
  TemporaryFileRegistry.removeAll()
  reportBeforeEnd()
  _ = signal(number, SIG_DFL)
  // Delivered when this handler returns, since a signal is blocked in its own handler.
  raise(number)
}

/// Says what was done.
nonisolated(unsafe) private var reportBeforeEnd: @convention(c) () -> Void = {}
/// Whether a batch is being written.
nonisolated(unsafe) private var holdsBack = false
/// The signal that waits for its end, or 0; a handler may write nothing wider.
nonisolated(unsafe) private var heldBack: Int32 = 0

/// Work that leaves more behind than a signal's handler can clear away, such as a folder of files.
///
/// A signal that would end the program is noted instead. The work asks now and then, clears up after
/// itself where there was one, and then the program ends by that signal.
package enum DeferredSignals {
  /// A signal has come.
  package struct Interruption: Error {}

  /// Runs a body that asks now and then whether to go on.
  package static func run<Result>(_ body: () throws -> Result) throws -> Result {
    pendingSignal = 0
    // One by one: Swift 6.3 spoils C functions in tuples in an array.
    let (interrupt, terminate, hangUp) = (note(SIGINT), note(SIGTERM), note(SIGHUP))
    defer {
      Signals.restore(SIGINT, interrupt)
      Signals.restore(SIGTERM, terminate)
      Signals.restore(SIGHUP, hangUp)
      // The former handler ends the program, also where nothing was left to interrupt.
      if pendingSignal != 0 { raise(pendingSignal) }
    }
    return try body()
  }

  private static func note(_ number: Int32) -> Signals.Disposition {
    Signals.handle(number) { pendingSignal = $0 }
  }

  /// Asks whether to go on, and throws where a signal says not to.
  package static func check() throws(Interruption) {
    if pendingSignal != 0 { throw Interruption() }
  }
}

/// The last signal that was noted, or 0; a handler may write nothing wider.
nonisolated(unsafe) private var pendingSignal: Int32 = 0
