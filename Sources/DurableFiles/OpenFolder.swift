import Libc
import SystemPackage

/// A folder that stays open, so that what is below it is found by its descriptor.
///
/// Names below it are followed one at a time and never through a link. Someone who can write to the folder could
/// otherwise lead a reader or a writer to any other file. The path of the folder itself may contain links,
/// because the user names it.
package final class OpenFolder: Sendable {
  /// The path, for messages.
  package let path: String
  fileprivate let descriptor: FileDescriptor

  /// Opens a folder.
  package convenience init(path: String) throws(Errno) {
    try self.init(path, in: AT_FDCWD, path, 0)
  }

  private init(_ name: String, in folder: CInt, _ path: String, _ flags: CInt) throws(Errno) {
    self.path = path
    descriptor = try FilePlace.open(
      name, in: folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
  }

  // Nothing is written to the descriptor.
  deinit { try? descriptor.close() }

  /// Opens a folder below it.
  ///
  /// - Parameter names: The name of the folder, after those of the folders that contain it.
  /// - Throws: `Errno.tooManySymbolicLinkLevels` for a link, and the system's error.
  package func folder(_ names: some StringProtocol) throws(Errno) -> OpenFolder {
    var folder = self
    for name in names.split(separator: "/") {
      let place = FilePlace(String(name), in: folder)
      do {
        folder = try OpenFolder(
          place.name, in: folder.descriptor.rawValue, place.path, O_NOFOLLOW)
      } catch {
        throw place.isLink ? .tooManySymbolicLinkLevels : error
      }
    }
    return folder
  }

  /// Returns the names in the folder that contain a text, unsorted.
  package func names(containing text: String = "") throws(Errno) -> [String] {
    // A second descriptor, because the names are read from where the last reading ended.
    try FolderNames.list(
      FilePlace.open(".", in: descriptor.rawValue, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
      containing: text)
  }

  /// Syncs the names in the folder.
  package func synchronize() throws(Errno) {
    // Some file systems cannot sync a folder, and need not.
    guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else { throw Errno(rawValue: errno) }
  }

  /// The status of the folder itself.
  package func status() throws(Errno) -> stat {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
    return status
  }
}

/// The place of a file or folder: a path, or names below an open folder.
package struct FilePlace: Sendable {
  package let folder: OpenFolder?
  /// The path, or the name after those of the folders below ``folder`` that contain it.
  package let name: String

  package init(_ path: String, in folder: OpenFolder? = nil) {
    self.folder = folder
    name = path
  }

  /// The path, for messages.
  package var path: String {
    guard let folder else { return name }
    return folder.path.hasSuffix("/") ? folder.path + name : folder.path + "/" + name
  }

  private var base: CInt { folder?.descriptor.rawValue ?? AT_FDCWD }

  /// The same place, with only one name below an open folder.
  ///
  /// - Throws: `Errno.tooManySymbolicLinkLevels` if a folder that contains it is a link, and the system's error.
  func resolved() throws(Errno) -> FilePlace {
    guard let folder, let slash = name.lastIndex(of: "/") else { return self }
    return FilePlace(
      String(name[name.index(after: slash)...]), in: try folder.folder(name[..<slash]))
  }

  /// Opens the file. Below an open folder, no link is followed.
  ///
  /// - Parameters:
  ///   - flags: Those of `open`.
  ///   - permissions: The permissions of a new file, before the process's mask.
  /// - Throws: `Errno.tooManySymbolicLinkLevels` for a link below an open folder, and the system's error.
  package func open(
    _ flags: CInt, permissions: FilePermissions = .ownerReadWrite
  ) throws(Errno) -> FileDescriptor {
    let place = try resolved()
    do {
      return try Self.open(
        place.name, in: place.base, flags | O_CLOEXEC | (folder == nil ? 0 : O_NOFOLLOW),
        permissions)
    } catch {
      throw folder != nil && place.isLink ? .tooManySymbolicLinkLevels : error
    }
  }

  fileprivate static func open(
    _ name: String, in folder: CInt, _ flags: CInt,
    _ permissions: FilePermissions = .ownerReadWrite
  ) throws(Errno) -> FileDescriptor {
    while true {
      let number = openat(folder, name, flags, mode_t(permissions.rawValue))
      guard number < 0 else { return FileDescriptor(rawValue: number) }
      let error = Errno(rawValue: errno)
      if error != .interrupted { throw error }
    }
  }

  /// Reads the status of the file or of a link, or returns `nil` where nothing exists.
  package func status() throws(Errno) -> stat? {
    let place = try resolved()
    var status = stat()
    guard fstatat(place.base, place.name, &status, AT_SYMLINK_NOFOLLOW) != 0 else { return status }
    let error = Errno(rawValue: errno)
    guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
    return nil
  }

  var isLink: Bool {
    (try? status()).map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
  }

  /// The path of the first link among the names below the open folder; this path if there is none.
  package var firstLink: String {
    let names = name.split(separator: "/")
    return names.indices.lazy.map { FilePlace(names[...$0].joined(separator: "/"), in: folder) }
      .first { $0.isLink }?.path ?? path
  }

  /// Creates a folder; one that exists stays as it is.
  ///
  /// - Throws: The system's error, such as `Errno.notDirectory` or `Errno.tooManySymbolicLinkLevels` if something
  ///   else has the name.
  package func makeFolder(permissions: FilePermissions) throws(Errno) {
    let place = try resolved()
    if mkdirat(place.base, place.name, mode_t(permissions.rawValue)) == 0 {
      if let folder = place.folder { try folder.synchronize() }
      return
    }
    let error = Errno(rawValue: errno)
    guard error == .fileExists else { throw error }
    if let folder = place.folder { _ = try folder.folder(place.name) }
  }

  /// Deletes the file or link; nothing happens where there is none.
  ///
  /// - Returns: The system's error, or `nil` if nothing is there any more.
  @discardableResult
  func remove() -> Errno? {
    do {
      let place = try resolved()
      guard unlinkat(place.base, place.name, 0) != 0, errno != ENOENT else { return nil }
      return Errno(rawValue: errno)
    } catch {
      return error == .noSuchFileOrDirectory ? nil : error
    }
  }

  /// Moves the file to another place, replacing any file there.
  func move(replacing target: FilePlace) throws(Errno) {
    let (from, to) = (try resolved(), try target.resolved())
    guard renameat(from.base, from.name, to.base, to.name) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Gives the file a second name, which must be free.
  func link(_ target: FilePlace) throws(Errno) {
    let (from, to) = (try resolved(), try target.resolved())
    guard linkat(from.base, from.name, to.base, to.name, 0) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
