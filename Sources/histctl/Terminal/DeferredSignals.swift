#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Work that leaves more behind than a signal's handler can clear away, such as a folder of files.
///
/// A signal that would end the program is noted instead. The work asks now and then, clears up after
/// itself where there was one, and then the program ends by that signal.
enum DeferredSignals {
  /// A signal has come.
  struct Interruption: Error {}

  /// Runs a body that asks now and then whether to go on.
  static func run<Result>(_ body: () throws -> Result) throws -> Result {
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
  static func check() throws(Interruption) {
    if pendingSignal != 0 { throw Interruption() }
  }
}

/// The last signal that was noted, or 0; a handler may write nothing wider.
nonisolated(unsafe) private var pendingSignal: Int32 = 0
