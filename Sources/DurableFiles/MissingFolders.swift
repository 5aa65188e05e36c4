import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Makes folders where they are missing.
package enum MissingFolders {
  /// Why a folder cannot be made.
  package struct Problem: Error, Hashable {
    /// Which one.
    package let path: String
    /// Why.
    package let reason: String
  }

  /// Who may look into a folder of files with these permissions: those who may read the files.
  package static func permissions(forFiles permissions: FilePermissions) -> FilePermissions {
    let readable = permissions.rawValue & 0o444
    return FilePermissions(rawValue: permissions.rawValue | readable >> 2 | 0o700)
  }

  /// Makes a folder, and those that it stands in, where they are missing.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - permissions: Who may look into it; those that it stands in are made for everybody whom the
  ///     process's mask allows.
  package static func make(
    _ path: String, permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(Problem) {
    var whole = path[...]
    while whole.count > 1, whole.last == "/" { whole.removeLast() }
    var end = whole.startIndex
    while end < whole.endIndex {
      // A leading slash stays with what follows it.
      end = whole[end...].dropFirst().firstIndex(of: "/") ?? whole.endIndex
      let mode = end == whole.endIndex ? mode_t(permissions.rawValue) : 0o777
      try makeOne(String(whole[..<end]), mode)
    }
  }

  private static func makeOne(_ path: String, _ mode: mode_t) throws(Problem) {
    if isFolder(path) { return }
    guard mkdir(path, mode) != 0 else {
      do {
        try DraftFile.synchronizeFolder(of: path)
      } catch {
        // In a folder that may be written to and not read, the name is as safe as others are there.
        guard error == .permissionDenied else {
          throw Problem(path: path, reason: "its name cannot be made safe on the disk: \(error)")
        }
      }
      return
    }
    let number = errno
    // Somebody else may have been faster.
    if number == EEXIST, isFolder(path) { return }
    throw Problem(
      path: path,
      reason: number == EEXIST || number == ENOTDIR
        ? "there is something of that name that is no folder" : Errno(rawValue: number).description)
  }

  /// Whether a path leads to a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
