import DurableFiles
import Libc
import SystemPackage

/// A lock on the folder of an archive, held until this object is released. It creates no file.
package final class ArchiveLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks an archive for reading: other programs may read, but not seal.
  ///
  /// - Parameter wait: Seconds to wait for a program that is sealing.
  /// - Throws: ``ArchiveError/busy(path:seconds:)``, ``ArchiveError/unreadable(path:reason:)``.
  package init(reading path: String, wait: Double = 0) throws(ArchiveError) {
    do {
      descriptor = try Self.open(path)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
    // A file system without locks can still be read.
    _ = try lock(path, LOCK_SH, wait)
  }

  init(writing path: String, wait: Double) throws(ArchiveError) {
    do {
      descriptor = try Self.open(path)
    } catch {
      throw .unwritable(path: path, reason: ArchiveFile.reason(error))
    }
    if let problem = try lock(path, LOCK_EX, wait) {
      throw .unwritable(path: path, reason: "cannot lock it: \(problem)")
    }
  }

  // Closing only ends the lock, so errors do not matter.
  deinit { try? descriptor.close() }

  /// Ends the lock before this object is released.
  func end() { flock(descriptor.rawValue, LOCK_UN) }

  private static func open(_ path: String) throws -> FileDescriptor {
    try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
  }

  /// Takes the lock, or returns why the file system cannot lock.
  private func lock(_ path: String, _ kind: CInt, _ wait: Double) throws(ArchiveError) -> Errno? {
    let end = ContinuousClock.now + .seconds(min(max(wait, 0), 1e9))
    while flock(descriptor.rawValue, kind | LOCK_NB) != 0 {
      let error = Errno(rawValue: errno)
      guard error == .wouldBlock || error == .interrupted else { return error }
      guard ContinuousClock.now < end else { throw .busy(path: path, seconds: wait) }
      Pause.take(seconds: 0.05)
    }
    return nil
  }
}
