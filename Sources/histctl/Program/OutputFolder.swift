#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Folders that commands are given.
enum OutputFolder {
  /// Makes a folder, and those that it stands in, where they are missing.
  static func make(_ path: String) throws(Failure) {
    guard !path.isEmpty else {
      throw Failure(
        status: .usage, kind: "usage", message: "no folder is named: the path is empty",
        hint: "name a folder, such as demo; it is made where it is missing")
    }
    var end = path.startIndex
    while end < path.endIndex {
      // A leading slash stays with what follows it.
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      try makeOne(String(path[..<end]))
    }
  }

  /// A path in a folder.
  static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  private static func makeOne(_ path: String) throws(Failure) {
    if isFolder(path) { return }
    guard mkdir(path, 0o777) != 0 else { return }
    let number = errno
    // Somebody else may have been faster.
    if number == EEXIST, isFolder(path) { return }
    let reason =
      number == EEXIST || number == ENOTDIR
      ? "there is something of that name that is no folder" : String(cString: strerror(number))
    throw Failure(
      status: .cannotReadOrWrite, kind: "unwritable",
      message: "cannot make the folder \(path): \(reason)",
      hint: "name a folder in which files can be made")
  }

  /// Whether a path leads to a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
