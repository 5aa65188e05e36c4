import DurableFiles
import SystemPackage

/// Output folders that a caller names.
package enum OutputFolder {
  /// Makes a folder, and those that contain it, if they are missing.
  ///
  /// - Parameter permissions: The permissions of the folder; by default, those that the process's umask
  ///   allows.
  /// - Throws: ``OperationError``.
  package static func make(
    _ path: String, permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(OperationError) {
    guard !path.isEmpty else {
      throw OperationError(
        .usage, "no folder is named: the path is empty",
        hint: "name a folder, such as demo; it is made where it is missing")
    }
    do {
      try MissingFolders.make(path, permissions: permissions)
    } catch {
      throw OperationError(
        .unwritable, "cannot make the folder \(error.path): \(error.reason)",
        hint: "name a folder in which files can be made")
    }
  }

  /// Makes a folder in one that a caller named. A link in its place would lead files out of that folder.
  ///
  /// - Parameter permissions: The permissions of the folder.
  /// - Throws: ``OperationError``.
  static func make(part path: String, permissions: FilePermissions) throws(OperationError) {
    guard FileMove.entry(at: path) != .link else {
      throw OperationError(
        .unwritable, "\(path) is a symbolic link, and new files are not written through links",
        hint: "replace it with a folder, or name another folder")
    }
    try make(path, permissions: permissions)
  }

  /// Returns the path of a name in a folder.
  package static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
