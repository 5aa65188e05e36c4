import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Keeps other programs from writing in an archive for as long as this lives.
///
/// The lock is on the folder itself, so that nothing is left behind.
package final class ArchiveLock: Sendable {
  private static let pause: UInt32 = 50_000

  private let descriptor: FileDescriptor

  /// Locks an archive for reading: several may read, and nobody seals.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - wait: How long to wait for a program that is sealing there, in seconds.
  /// - Throws: ``ArchiveError/busy(path:seconds:)``, ``ArchiveError/unreadable(path:reason:)``.
  package convenience init(reading path: String, wait: Double = 0) throws(ArchiveError) {
    let descriptor: FileDescriptor
    do {
      descriptor = try Self.open(path)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
    self.init(descriptor)
    // What cannot be locked, as on some file systems, can be read all the same.
    _ = try lock(path, LOCK_SH, wait)
  }

  /// Locks a folder for writing.
  convenience init(writing path: String, wait: Double) throws(ArchiveError) {
    let descriptor: FileDescriptor
    do {
      descriptor = try Self.open(path)
    } catch {
      throw .unwritable(path: path, reason: ArchiveFile.reason(error))
    }
    self.init(descriptor)
    if let problem = try lock(path, LOCK_EX, wait) {
      throw .unwritable(path: path, reason: "it cannot be locked: \(problem)")
    }
  }

  private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }

  /// Lets others write, before this is gone.
  func end() { flock(descriptor.rawValue, LOCK_UN) }

  private static func open(_ path: String) throws -> FileDescriptor {
    try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
  }

  /// Takes the lock; gives why there can be none.
  private func lock(_ path: String, _ kind: CInt, _ wait: Double) throws(ArchiveError) -> Errno? {
    let end = ContinuousClock.now + .seconds(min(max(wait, 0), 1e9))
    while flock(descriptor.rawValue, kind | LOCK_NB) != 0 {
      let number = errno
      guard number == EWOULDBLOCK || number == EINTR else { return Errno(rawValue: number) }
      guard ContinuousClock.now < end else { throw .busy(path: path, seconds: wait) }
      usleep(Self.pause)
    }
    return nil
  }
}
