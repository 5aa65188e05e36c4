import DurableFiles
import SystemPackage

/// Folders that a caller names to be written into.
package enum OutputFolder {
  /// Makes a folder, and those that contain it, if they are missing.
  ///
  /// - Parameter permissions: Who may open it; by default everybody whom the process's mask allows.
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

  /// Returns the path of a name in a folder.
  package static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
