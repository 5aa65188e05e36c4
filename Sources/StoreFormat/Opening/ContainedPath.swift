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

/// The files of stores that are copied with them out of one container.
package struct StoreParts {
  /// The endings of the names of files beside a store; the first is that of the store itself.
  static let endings = [
    "", "-wal", "-journal", "-values.db", "-values.db-wal", "-values.db-journal", "-bookmarks.json",
  ]

  /// The place of a copy.
  package typealias Place = (store: String, target: String)

  private var files: [[UInt8]: Place] = [:]
  /// The folders of large values, each with a slash at the end.
  private var folders: [[UInt8]: Place] = [:]

  package init() {}

  /// Adds the files of a store.
  ///
  /// - Parameters:
  ///   - name: The path of the store in its container.
  ///   - copy: The path that its copy will have.
  package mutating func add(storeNamed name: String, copiedTo copy: String) {
    for ending in Self.endings { files[Array((name + ending).utf8)] = (name, copy + ending) }
    folders[Array((ExternalData(besideStoreAt: name).path + "/").utf8)] =
      (name, ExternalData(besideStoreAt: copy).path)
  }

  /// Returns the name of the store that a file in the container belongs to, and the place of its copy; `nil` for a file
  /// that belongs to none.
  package func place(of file: String) -> Place? {
    let bytes = Array(file.utf8)
    if let place = files[bytes] { return place }
    for index in bytes.indices where bytes[index] == UInt8(ascii: "/") {
      guard let folder = folders[Array(bytes[...index])] else { continue }
      let rest = FilePath(String(decoding: bytes[(index + 1)...], as: UTF8.self))
      guard !rest.isAbsolute, rest.components.allSatisfy({ $0.kind == .regular }) else {
        return nil
      }
      return (folder.store, folder.target + "/" + rest.string)
    }
    return nil
  }
}
