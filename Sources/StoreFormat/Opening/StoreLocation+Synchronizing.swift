import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension StoreLocation {
  /// Makes safe on the disk what a snapshot of the store shows: an app may save without waiting for that,
  /// so that a loss of power takes its last saves, and their numbers are given once more.
  ///
  /// To be called before anything made of a snapshot takes its place. SQLite takes no lock on the log, so
  /// that to open and close it drops none.
  ///
  /// - Throws: What the system says where the disk fails.
  package func synchronizeLog() throws(Errno) {
    // What cannot be opened is not this program's to put on the disk.
    guard
      let file = try? FileDescriptor.open(
        FilePath(logPath), .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    else { return }
    defer { try? file.close() }
    guard fsync(file.rawValue) != 0 else { return }
    switch Errno(rawValue: errno) {
    // A pipe, or a file system on which nothing can be written.
    case .invalidArgument, .readOnlyFileSystem, .notSupported: return
    case let error: throw error
    }
  }
}
