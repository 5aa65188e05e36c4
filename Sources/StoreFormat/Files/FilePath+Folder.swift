import SystemPackage

extension FilePath {
  /// The folder in which a file of this path stands; the present one for a mere name.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
