import Libc
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names in a folder.
package enum FolderNames {
  #if canImport(Darwin)
  private typealias Stream = UnsafeMutablePointer<DIR>
  #else
  private typealias Stream = OpaquePointer
  #endif

  /// Returns the names in a folder that contain a text, unsorted; none where the folder cannot be read.
  ///
  /// Skipping the other names, thousands in some folders, costs almost nothing.
  package static func read(_ folder: String, containing text: String = "") -> [String] {
    (try? list(folder, containing: text)) ?? []
  }

  /// Returns the names in a folder that contain a text, unsorted.
  package static func list(
    _ folder: String, containing text: String = ""
  ) throws(Errno) -> [String] {
    guard let stream = opendir(folder) else { throw Errno(rawValue: errno) }
    return names(in: stream, containing: text)
  }

  /// Returns the names in an open folder that contain a text, unsorted, and closes the folder.
  static func list(_ folder: FileDescriptor, containing text: String) throws(Errno) -> [String] {
    guard let stream = fdopendir(folder.rawValue) else {
      let error = Errno(rawValue: errno)
      try? folder.close()
      throw error
    }
    return names(in: stream, containing: text)
  }

  private static func names(in stream: Stream, containing text: String) -> [String] {
    defer { closedir(stream) }
    var names: [String] = []
    forEach(in: stream) { if strstr($0, text) != nil { names.append(String(cString: $0)) } }
    return names
  }

  /// Returns the names in an open folder, which stays open, with bytes that need not be UTF-8.
  package static func components(_ folder: FileDescriptor) -> [FilePath.Component] {
    guard let copy = try? folder.duplicate() else { return [] }
    guard let stream = fdopendir(copy.rawValue) else {
      try? copy.close()
      return []
    }
    defer { closedir(stream) }
    // Both descriptors share one read position.
    rewinddir(stream)
    var components: [FilePath.Component] = []
    forEach(in: stream) { name in
      if let component = FilePath.Component(platformString: name) { components.append(component) }
    }
    return components
  }

  /// Calls a closure with each name except `.` and `..`.
  private static func forEach(in stream: Stream, _ body: (UnsafePointer<CChar>) -> Void) {
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        guard let name = bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          strcmp(name, ".") != 0, strcmp(name, "..") != 0
        else { return }
        body(name)
      }
    }
  }
}

/// A folder with everything in it.
package enum FolderContents {
  /// The maximum depth of folders in a folder.
  private static let deepest = 64

  /// Waits until a folder would survive a loss of power, with all files and folders in it. Links are not followed.
  package static func synchronize(_ folder: String) throws(Errno) {
    try synchronize(folder, depth: 0)
  }

  private static func synchronize(_ folder: String, depth: Int) throws(Errno) {
    guard depth <= deepest else { throw .fileNameTooLong }
    for name in try FolderNames.list(folder) {
      let path = folder + "/" + name
      switch FileMove.entry(at: path) {
      case .file:
        try ReadableFile(FilePlace(path)).synchronize()
      case .folder: try synchronize(path, depth: depth + 1)
      case .none, .link, .other: break
      }
    }
    try DraftFile.synchronizeFolder(of: folder + "/file")
  }
}

/// Makes folders where they are missing.
package enum MissingFolders {
  /// Why a folder cannot be made.
  package struct Problem: Error, Hashable {
    package let path: String
    package let reason: String
  }

  /// Returns the permissions of a folder whose files have these: searchable by all who may read the files.
  package static func permissions(forFiles permissions: FilePermissions) -> FilePermissions {
    let readable = permissions.rawValue & 0o444
    return FilePermissions(rawValue: permissions.rawValue | readable >> 2 | 0o700)
  }

  /// Creates a folder and its missing parents.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - permissions: The permissions of the folder; its parents get those of the process's mask.
  package static func make(
    _ path: String, permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(Problem) {
    if isFolder(path) { return }
    var number = makeOne(path, permissions)
    let parent = FilePath(path).folder
    if number == ENOENT || number == ENOTDIR, parent != FilePath(path) {
      try make(parent.string)
      number = makeOne(path, permissions)
    }
    guard number != 0 else {
      do {
        return try DraftFile.synchronizeFolder(of: path)
      } catch {
        throw Problem(path: path, reason: "its folder cannot be synced: \(error)")
      }
    }
    // Another program may have created it.
    if number == EEXIST, isFolder(path) { return }
    throw Problem(
      path: path,
      reason: number == EEXIST || number == ENOTDIR
        ? "a file of that name exists" : Errno(rawValue: number).description)
  }

  /// Creates a folder, and returns the number of the error, or 0.
  private static func makeOne(_ path: String, _ permissions: FilePermissions) -> CInt {
    mkdir(path, mode_t(permissions.rawValue)) == 0 ? 0 : errno
  }

  /// Deletes a folder and all that is in it; nothing happens where there is none.
  package static func remove(_ path: String) throws {
    if FileMove.entry(at: path) != .none { try FileManager.default.removeItem(atPath: path) }
  }

  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
