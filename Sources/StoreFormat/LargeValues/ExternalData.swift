import SystemPackage

/// The folder beside a store in which it keeps large values: `.NAME_SUPPORT`, with the values in
/// `_EXTERNAL_DATA`; `NAME` is that of the store without its extension.
package struct ExternalData {
  /// The path of the folder, whether it is there or not.
  package let path: String

  /// The deepest folders that are copied; the frameworks' own are one deep.
  package static let deepest = 8

  /// The folder of the store at a path.
  package init(besideStoreAt path: String) {
    let file = FilePath(path)
    let folder = file.removingLastComponent()
    let name = ".\(file.stem ?? file.lastComponent?.string ?? "")_SUPPORT"
    self.path = folder.appending(name).string
  }
}
