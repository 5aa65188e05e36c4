import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the program does when the system or the user sends it a signal.
enum Signals {
  /// How a signal was handled before it was suspended.
  struct Disposition {
    fileprivate let handler: (@convention(c) (Int32) -> Void)?

    /// Whether whoever started this program wanted the signal to be ignored.
    fileprivate var isIgnored: Bool {
      unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  }

  /// Sets up everything that holds for the whole run; called at the start of `main`.
  static func install() {
    ignoreFailedWrites()
    cleanUpWhenTerminated()
    BatchHold.observe(holdBack)
    TemporaryFiles.tell { paths in
      let registrations = paths.compactMap(TemporaryFileRegistry.register)
      return { registrations.forEach(TemporaryFileRegistry.unregister) }
    }
  }

  /// Makes a write that cannot succeed an error to be reported, and not the end of the program:
  /// a reader that has gone (SIGPIPE), a file larger than the user's limit (SIGXFSZ).
  static func ignoreFailedWrites() {
    for number in ignoredSignals { _ = signal(number, SIG_IGN) }
  }

  /// Removes registered temporary files on SIGINT, SIGTERM, SIGHUP and SIGQUIT, says what was done, and
  /// then ends the program by the same signal, so that a shell sees 128 + N and a script stops where it
  /// should.
  ///
  /// A signal that was ignored from the start, as under `nohup`, stays ignored.
  static func cleanUpWhenTerminated() {
    // The first call makes the table and whatever the runtime makes lazily, which must not
    // happen inside a handler.
    TemporaryFileRegistry.removeAll()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      let before = Disposition(handler: signal(number, endBySignal))
      if before.isIgnored { _ = signal(number, SIG_IGN) }
    }
  }

  /// Lets the first signal wait until a batch is done and noted, so that what the program says of its
  /// work is what it did. A second signal ends the program at once.
  private static func holdBack(_ isHeld: Bool) {
    holdsBack = isHeld
    if !isHeld, heldBack != 0 { raise(heldBack) }
  }

  /// Calls a handler on a signal from now on, unless whoever started this program wanted the signal to
  /// be ignored.
  static func handle(
    _ number: Int32, with handler: @escaping @convention(c) (Int32) -> Void
  ) -> Disposition {
    let before = Disposition(handler: signal(number, handler))
    if before.isIgnored { _ = signal(number, SIG_IGN) }
    return before
  }

  /// Handles a signal again as before `handle(_:with:)`.
  static func restore(_ number: Int32, _ disposition: Disposition) {
    _ = signal(number, disposition.handler)
  }

  /// Ignores SIGINT, which belongs to the pager while one is on the screen.
  static func suspendInterrupts() -> Disposition {
    Disposition(handler: signal(SIGINT, SIG_IGN))
  }

  /// Handles SIGINT again as before `suspendInterrupts()`.
  static func restoreInterrupts(_ disposition: Disposition) {
    _ = signal(SIGINT, disposition.handler)
  }

  /// The signals that this program ignores of its own accord; a child must not inherit that.
  static let ignoredSignals = [SIGPIPE, SIGXFSZ]
}

/// Cleans up and lets the signal do what it does by default. Only calls that are safe in a
/// handler: `unlink`, `write`, `signal` and `raise`.
private func endBySignal(_ number: Int32) {
  if holdsBack, heldBack == 0 {
    heldBack = number
    return
  }
  TemporaryFileRegistry.removeAll()
  WorkDone.writeFromHandler()
  _ = signal(number, SIG_DFL)
  // Delivered when this handler returns, since a signal is blocked in its own handler.
  raise(number)
}

/// Whether a batch is being written.
nonisolated(unsafe) private var holdsBack = false
/// The signal that waits for its end, or 0; a handler may write nothing wider.
nonisolated(unsafe) private var heldBack: Int32 = 0
