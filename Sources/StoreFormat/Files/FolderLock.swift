import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
    let path = StoreLocation.resolvedPlace(folder)
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
