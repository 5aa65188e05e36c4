import DurableFiles
import SystemPackage

/// The path of a store in a backup of a device, a zip file or a tar file: the path of that, `!/`, and the name in it.
///
/// ```
/// backup.zip!/Library/default.store
/// BACKUP!/AppDomain-com.example.app/Library/default.store
/// ```
package struct ContainedPath: Hashable, Sendable {
  package static let separator = "!/"

  /// The whole path.
  package let path: String
  /// The path of the backup or the archive.
  package let container: String
  /// The name in the archive, or the domain and the path on the device.
  package let name: String

  /// Returns `nil` if there is a file at the path itself, or no file and no backup before any `!/` in it.
  package init?(_ path: String) {
    guard (try? FileStatus(path: path)) == nil else { return nil }
    let bytes = Array(path.utf8)
    let separator = Array(Self.separator.utf8)
    for start in bytes.indices.dropFirst() where bytes[start...].starts(with: separator) {
      let container = String(decoding: bytes[..<start], as: UTF8.self)
      let name = String(decoding: bytes[(start + separator.count)...], as: UTF8.self)
      guard !name.isEmpty, Self.isContainer(container) else { continue }
      (self.path, self.container, self.name) = (path, container, name)
      return
    }
    return nil
  }

  private static func isContainer(_ path: String) -> Bool {
    switch (try? FileStatus(path: path))?.kind {
    case .file: true
    case .directory: DeviceBackup(folder: path).hasManifest
    default: false
    }
  }

  /// The path with the links to the container resolved.
  var resolved: String {
    (FileStatus.resolve(container) ?? container) + Self.separator + name
  }
}

/// The files of a store that are read with it.
package struct StoreParts {
  /// The endings of the names of files beside a store; the first is that of the store itself.
  static let endings = [
    "", "-wal", "-journal", "-values.db", "-values.db-wal", "-values.db-journal", "-bookmarks.json",
  ]

  private let files: [[UInt8]: String]
  private let folder: (source: [UInt8], target: String)

  /// - Parameters:
  ///   - name: The path of the store in its container.
  ///   - copy: The path that its copy will have.
  package init(ofStoreNamed name: String, copiedTo copy: String) {
    files = Dictionary(keepingFirst: Self.endings.map { (Array((name + $0).utf8), copy + $0) })
    folder = (
      Array((ExternalData(besideStoreAt: name).path + "/").utf8),
      ExternalData(besideStoreAt: copy).path
    )
  }

  /// Returns the place of the copy of a file in the container; `nil` for a file that does not belong to the store.
  package func target(of file: String) -> String? {
    let bytes = Array(file.utf8)
    if let target = files[bytes] { return target }
    guard bytes.starts(with: folder.source) else { return nil }
    let rest = FilePath(String(decoding: bytes.dropFirst(folder.source.count), as: UTF8.self))
    guard !rest.isAbsolute, rest.components.allSatisfy({ $0.kind == .regular }) else { return nil }
    return folder.target + "/" + rest.string
  }
}
