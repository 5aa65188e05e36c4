import Libc

/// Handling of signals.
package enum Signals {
  /// How a signal was handled before it was suspended.
  package struct Disposition {
    fileprivate let handler: (@convention(c) (Int32) -> Void)?

    /// Whether the signal was ignored when the program started.
    fileprivate var isIgnored: Bool {
      unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  }

  /// Ignores SIGPIPE and SIGXFSZ, so that failing writes are reported as errors.
  package static func ignoreFailedWrites() {
    for number in ignoredSignals { _ = signal(number, SIG_IGN) }
  }

  /// Removes registered temporary files on SIGINT, SIGTERM, SIGHUP and SIGQUIT, and then ends the program
  /// by the same signal, so that a shell sees 128 + N and a script stops where it should.
  ///
  /// A signal that was ignored from the start, as under `nohup`, stays ignored.
  ///
  /// - Parameter report: Called in the handler before the program ends; must be async-signal-safe.
  package static func cleanUpWhenTerminated(report: @escaping @convention(c) () -> Void = {}) {
    reportBeforeEnd = report
    // Initializes lazy values, which must not happen in a handler.
    TemporaryFileRegistry.removeAll()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      let before = Disposition(handler: signal(number, endBySignal))
      if before.isIgnored { _ = signal(number, SIG_IGN) }
    }
  }

  /// Defers the first signal while `isHeld` is true, so that a batch is finished and reported. A second signal
  /// ends the program at once.
  package static func holdBack(_ isHeld: Bool) {
    holdsBack = isHeld
    if !isHeld, heldBack != 0 { raise(heldBack) }
  }

  /// Installs a handler for a signal, unless the signal was ignored when the program started.
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

  /// Ignores SIGINT while a pager is running, which handles it.
  static func suspendInterrupts() -> Disposition {
    Disposition(handler: signal(SIGINT, SIG_IGN))
  }

  /// The signals that this program ignores, and its children must not.
  static let ignoredSignals = [SIGPIPE, SIGXFSZ]
}

/// Cleans up, and raises the signal with its default action. Calls only async-signal-safe functions.
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

nonisolated(unsafe) private var reportBeforeEnd: @convention(c) () -> Void = {}
nonisolated(unsafe) private var holdsBack = false
/// The deferred signal, or 0. A handler may write only a `sig_atomic_t`.
nonisolated(unsafe) private var heldBack: Int32 = 0

/// Defers signals during work that a signal handler cannot clean up, such as a folder of files.
///
/// A signal that would end the program is noted. The work checks for it, cleans up, and then the program ends by
/// that signal.
package enum DeferredSignals {
  /// A signal has come.
  package struct Interruption: Error {}

  /// Runs a body that calls ``check()`` regularly.
  package static func run<Result>(_ body: () throws -> Result) throws -> Result {
    pendingSignal = 0
    // Separate calls: Swift 6.3 corrupts C functions in tuples in an array.
    let (interrupt, terminate, hangUp) = (note(SIGINT), note(SIGTERM), note(SIGHUP))
    defer {
      Signals.restore(SIGINT, interrupt)
      Signals.restore(SIGTERM, terminate)
      Signals.restore(SIGHUP, hangUp)
      // The former handler ends the program.
      if pendingSignal != 0 { raise(pendingSignal) }
    }
    return try body()
  }

  private static func note(_ number: Int32) -> Signals.Disposition {
    Signals.handle(number) { pendingSignal = $0 }
  }

  /// Throws if a signal is pending.
  package static func check() throws(Interruption) {
    if isPending { throw Interruption() }
  }

  /// Whether a signal has come that waits for the end of the work.
  package static var isPending: Bool { pendingSignal != 0 }
}

/// The pending signal, or 0. A handler may write only a `sig_atomic_t`.
nonisolated(unsafe) private var pendingSignal: Int32 = 0

/// Temporary files and empty folders that a signal handler removes before the program ends.
///
/// A handler may neither allocate nor lock, so this is a table of fixed size that is never freed. Entries change
/// under a lock that only other code takes.
package enum TemporaryFileRegistry {
  package struct Registration: Sendable, Equatable {
    fileprivate let slot: Int
  }

  /// Files that can be registered at a time.
  package static let capacity = 64

  /// Bytes of a path with its final NUL; a longer path could not be opened either.
  private static let pathCapacity = 4096

  private static let free: UInt8 = 0
  private static let reserved: UInt8 = 1
  private static let active: UInt8 = 2

  /// One byte for each slot: free, reserved while its path is being written, or active.
  nonisolated(unsafe) private static let states: UnsafeMutablePointer<UInt8> = {
    let states = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    states.initialize(repeating: free, count: capacity)
    return states
  }()

  /// The number of each registration. A slot that is free again may get a later one than those after it.
  nonisolated(unsafe) private static let numbers: UnsafeMutablePointer<UInt64> = {
    let numbers = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    numbers.initialize(repeating: 0, count: capacity)
    return numbers
  }()

  nonisolated(unsafe) private static let paths: UnsafeMutablePointer<CChar> = {
    let paths = UnsafeMutablePointer<CChar>.allocate(capacity: capacity * pathCapacity)
    paths.initialize(repeating: 0, count: capacity * pathCapacity)
    return paths
  }()

  nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_mutex_t> = {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
    return lock
  }()

  /// Registers a file that is about to be made; a signal from now on removes it.
  ///
  /// The path must be absolute, or the working directory must not change. Returns `nil` where the table is full
  /// or the path too long; a signal then leaves the file.
  package static func register(_ path: String) -> Registration? {
    let length = path.utf8.count
    guard length > 0, length < pathCapacity, !path.utf8.contains(0) else { return nil }
    pthread_mutex_lock(lock)
    var slot = 0
    while slot < capacity && states[slot] != free { slot += 1 }
    if slot < capacity {
      states[slot] = reserved
      var last: UInt64 = 0
      for other in 0..<capacity { last = max(last, numbers[other]) }
      numbers[slot] = last + 1
    }
    pthread_mutex_unlock(lock)
    guard slot < capacity else { return nil }

    _ = path.withCString { strcpy(paths + slot * pathCapacity, $0) }
    // Taking the lock orders the path's bytes before the state, for a handler on another thread.
    setState(slot, active)
    return Registration(slot: slot)
  }

  /// Forgets a file that was renamed to its final name, or removed.
  package static func unregister(_ registration: Registration) {
    setState(registration.slot, free)
  }

  /// Removes all registered files in the order of their registration, so that a folder comes after its content.
  /// Async-signal-safe.
  package static func removeAll() {
    var removed: UInt64 = 0
    while true {
      var next = -1
      var slot = 0
      while slot < capacity {
        if states[slot] == active, numbers[slot] > removed,
          next < 0 || numbers[slot] < numbers[next]
        {
          next = slot
        }
        slot += 1
      }
      guard next >= 0 else { return }
      removed = numbers[next]
      let path = paths + next * pathCapacity
      if unlink(path) != 0 { rmdir(path) }
    }
  }

  private static func setState(_ slot: Int, _ state: UInt8) {
    pthread_mutex_lock(lock)
    states[slot] = state
    pthread_mutex_unlock(lock)
  }
}

/// A limit for work that must be short, whatever a store holds.
///
/// It counts processor time, so that a busy machine does not change results.
package enum ProcessorTimeLimit {
  /// Ends the program with status 0 after an amount of processor time, and discards buffered output.
  package static func endQuietly(afterMilliseconds milliseconds: Int) {
    _ = signal(SIGPROF) { _ in _exit(0) }
    var timer = itimerval()
    timer.it_value.tv_sec = milliseconds / 1000
    timer.it_value.tv_usec = .init(milliseconds % 1000 * 1000)
    _ = setitimer(processorTimer, &timer, nil)
  }

  /// glibc declares the number as an enumeration that its own function does not take.
  private static var processorTimer: Int32 {
    #if canImport(Darwin) || canImport(Musl)
    ITIMER_PROF
    #else
    Int32(ITIMER_PROF.rawValue)
    #endif
  }
}
