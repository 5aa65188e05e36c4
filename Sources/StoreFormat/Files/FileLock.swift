import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What becomes of an attempt to lock an open file or folder that others may remove or replace.
package enum FileLock: Hashable, Sendable {
  case taken
  /// Somebody else has the lock, or the name is no longer that of the file: where it is there at all, it
  /// is to be opened anew.
  case lost
  /// The file system knows no locks, or failed.
  case impossible(Errno)

  /// Locks a file or folder for as long as it is open, without waiting.
  ///
  /// - Parameters:
  ///   - file: The open file.
  ///   - path: Its name, which is no symbolic link.
  package static func take(_ file: FileDescriptor, at path: String) -> FileLock {
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      return error == .wouldBlock || error == .interrupted ? .lost : .impossible(error)
    }
    // Whoever had the lock until now may have removed the file before it gave it up.
    var mine = stat()
    var named = stat()
    guard fstat(file.rawValue, &mine) == 0, lstat(path, &named) == 0,
      mine.st_ino == named.st_ino, mine.st_dev == named.st_dev
    else { return .lost }
    return .taken
  }
}
