import DurableFiles
import StoreFormat
import SystemPackage

/// Folders that commands are given.
enum OutputFolder {
  /// Makes a folder, and those that it stands in, where they are missing.
  ///
  /// - Parameter permissions: Who may look into it; everybody whom the process's mask allows, where
  ///   nothing is said.
  static func make(
    _ path: String, permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(Failure) {
    guard !path.isEmpty else {
      throw Failure(
        status: .usage, kind: "usage", message: "no folder is named: the path is empty",
        hint: "name a folder, such as demo; it is made where it is missing")
    }
    do {
      try MissingFolders.make(path, permissions: permissions)
    } catch {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unwritable",
        message: "cannot make the folder \(error.path): \(error.reason)",
        hint: "name a folder in which files can be made")
    }
  }

  /// A path in a folder.
  static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
