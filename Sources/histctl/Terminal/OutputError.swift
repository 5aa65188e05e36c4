#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Why standard output could not take what was written.
enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The reader has gone: `| head` has seen enough, or the pager was quit.
  ///
  /// The program then ends quietly and with success.
  case closedPipe

  /// Anything else, with the system's error number. The program ends with exit status 9.
  case failed(Int32)

  /// One line that says what could not be done, and why.
  var description: String {
    switch self {
    case .closedPipe:
      "the reader of standard output has gone"
    case .failed(let number):
      "cannot write to standard output: \(String(cString: strerror(number)))"
    }
  }

  /// What to do about it, or nil where there is no good advice.
  var hint: String? {
    guard case .failed(let number) = self else { return nil }
    switch number {
    case ENOSPC, EDQUOT: return "free some space, or write to another file system"
    case EFBIG: return "raise the limit on file sizes (ulimit -f), or write several files"
    case EBADF: return "give histctl a standard output that can be written"
    default: return nil
    }
  }
}
