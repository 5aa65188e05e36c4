#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The descriptors 0, 1 and 2, which a careless caller may have closed.
package enum StandardDescriptors {
  /// Opens `/dev/null` where standard input, output or error is closed; called first in `main`.
  ///
  /// Otherwise the store itself could be opened as descriptor 1, and output be written into it.
  /// A missing output is opened for reading only, so that writing to it still fails aloud;
  /// missing diagnostics are swallowed.
  package static func openMissing() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is taken, and all lower ones are open by now.
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
