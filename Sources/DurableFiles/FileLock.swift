import Libc
import SystemPackage

/// The result of locking an open file or folder that others may remove or replace.
package enum FileLock: Hashable, Sendable {
  case taken
  /// Another program holds the lock, or the name belongs to another file, which must be opened again.
  case lost
  /// The file system does not support locks, or failed.
  case impossible(Errno)

  /// Locks a file or folder for as long as it is open, without waiting.
  ///
  /// - Parameters:
  ///   - file: The open file.
  ///   - path: Its path, which must not be a symbolic link.
  package static func take(_ file: FileDescriptor, at path: String) -> FileLock {
    take(file, at: FilePlace(path))
  }

  static func take(_ file: FileDescriptor, at place: FilePlace) -> FileLock {
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      return error == .wouldBlock || error == .interrupted ? .lost : .impossible(error)
    }
    // The former holder may have removed the file before it released the lock.
    var mine = stat()
    guard fstat(file.rawValue, &mine) == 0, let named = try? place.status(),
      mine.st_ino == named.st_ino, mine.st_dev == named.st_dev
    else { return .lost }
    return .taken
  }
}

/// A lock on a folder that keeps two programs from examining it at once and then moving conflicting files
/// there.
///
/// It is held only for that moment, not while a file is written. It is on the folder itself, so that no
/// lock file remains.
package enum FolderLock {
  /// Seconds to wait for other programs, which only move files.
  package static let timeout = 5.0

  /// The longest pause between two attempts, in seconds. The first ones are shorter: threads that export many
  /// stores of one folder hold its lock for less than a millisecond each.
  private static let longestPause = 0.02

  /// Takes the lock and holds it until the descriptor is closed.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - timeout: Seconds to wait for another program.
  /// - Returns: The open folder, or `nil` if the file system does not support locks, or the folder is not
  ///   readable; the caller must then rely on examining it again.
  /// - Throws: `Errno.resourceTemporarilyUnavailable` if another program holds it for longer.
  package static func take(
    _ folder: String, timeout: Double
  ) throws(Errno) -> FileDescriptor? {
    // The last component is not a link, even if the folder's path is one.
    let path = folder + "/."
    let start = ContinuousClock.now
    var pause = 0.0005
    while true {
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let error = Errno(rawValue: errno)
        if error == .permissionDenied { return nil }
        throw error
      }
      let file = FileDescriptor(rawValue: descriptor)
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .impossible:
        try? file.close()
        return nil
      case .lost: try? file.close()
      }
      guard start.secondsAgo < timeout else { throw .resourceTemporarilyUnavailable }
      Pause.take(seconds: pause)
      pause = min(pause * 2, longestPause)
    }
  }
}

/// A wait of the calling thread.
package enum Pause {
  package static func take(seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }
}

extension ContinuousClock.Instant {
  package var secondsAgo: Double {
    let parts = duration(to: .now).components
    return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
  }
}
