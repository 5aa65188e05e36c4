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

/// Keeps two programs from looking at the files of a folder at once and then giving files their names
/// there that do not go together.
///
/// It is held for that moment only, however long it takes to write a file. It is on the folder itself, so
/// that nothing is left behind.
package enum FolderLock {
  /// How long others take, in seconds, who do nothing but give files their names.
  package static let patience = 5.0

  /// Takes the lock, which ends with the descriptor.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - patience: How long to wait for another program that is in that moment, in seconds.
  /// - Returns: The open folder; nil where the file system knows no locks, or the folder may not be looked
  ///   into: that one has looked again must do there.
  /// - Throws: `Errno.resourceTemporarilyUnavailable` where another program holds it for longer.
  package static func take(
    _ folder: String, patience: Double
  ) throws(Errno) -> FileDescriptor? {
    let path = FileStatus.resolvedPlace(folder)
    let start = ContinuousClock.now
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
      guard start.secondsAgo < patience else { throw .resourceTemporarilyUnavailable }
      Pause.take(seconds: 0.02)
    }
  }
}
