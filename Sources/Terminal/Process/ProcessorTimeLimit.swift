#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An end for what must not take long, whatever a store holds.
///
/// Processor time and not the clock, so that a busy machine changes no answer.
package enum ProcessorTimeLimit {
  /// Ends the program with status 0 once it has computed for so long; nothing that was gathered for
  /// standard output is written then.
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
