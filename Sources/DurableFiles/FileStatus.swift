import Libc
import SystemPackage

/// The kind, size, identity and modification time of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file
    case other(String)
  }

  package let kind: Kind
  package let size: Int64
  package let device: UInt64
  package let inode: UInt64
  package let modifiedSeconds: Int64
  package let modifiedNanoseconds: Int64

  /// Reads the status of a path, following links, or returns `nil` where nothing exists.
  package init?(path: String) throws(Errno) {
    var status = stat()
    while stat(path, &status) != 0 {
      let error = Errno(rawValue: errno)
      switch error {
      case .interrupted: continue
      case .noSuchFileOrDirectory, .notDirectory: return nil
      default: throw error
      }
    }
    self.init(status)
  }

  /// Reads the status of an entry of a folder, without following a link, or returns `nil` where nothing exists or
  /// it cannot be examined.
  package init?(entry path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ lstat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the status of an open file, or returns `nil` where the system has none.
  package init?(_ file: FileDescriptor) {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return nil }
    self.init(status)
  }

  package init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .other("directory")
      case S_IFLNK: .other("link")
      case S_IFIFO: .other("pipe")
      case S_IFSOCK: .other("socket")
      case S_IFCHR, S_IFBLK: .other("device")
      default: .other("special file")
      }
    size = Int64(status.st_size)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    #if canImport(Darwin)
    modifiedSeconds = Int64(status.st_mtimespec.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtimespec.tv_nsec)
    #else
    modifiedSeconds = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    #endif
  }

  /// Returns whether both are of one file, by whatever names.
  package func isSameFile(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device
  }

  /// Whether this process may create files in a folder, by its effective user.
  package static func canCreateFiles(inFolder path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0
  }

  /// Whether this process may read a file, by its effective user.
  package static func canRead(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0
  }

  /// Whether this process may write to a file, by its effective user.
  package static func canWrite(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
  }

  /// Gives an open file an owner and a group, or only the group, as far as the system allows.
  package static func give(_ file: FileDescriptor, owner: uid_t, group: gid_t) {
    if fchown(file.rawValue, owner, group) != 0 { _ = fchown(file.rawValue, uid_t.max, group) }
  }

  /// Deletes a file; nothing happens where there is none.
  package static func remove(_ path: String) { FilePlace(path).remove() }

  /// The path with every link and `..` resolved, or `nil` where it does not exist.
  package static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension FileStatus {
  /// A path with all links resolved, whether there is a file or not.
  package static func resolvedPlace(_ path: String) -> String {
    if let resolved = resolve(path) { return resolved }
    let file = FilePath(path)
    guard let name = file.lastComponent, let resolved = resolve(file.folder.string)
    else { return path }
    return FilePath(resolved).appending(name).string
  }
}

/// The reason why a file beside a store cannot be read or written.
package struct FileProblem: Error, Hashable {
  package let path: String
  package let reason: String
  package let isMissing: Bool

  package init(path: String, reason: String, isMissing: Bool = false) {
    self.path = path
    self.reason = reason
    self.isMissing = isMissing
  }

  package init(path: String, errno: CInt, isMissing: Bool = false) {
    self.init(path: path, reason: Errno(rawValue: errno).description, isMissing: isMissing)
  }
}

extension FileProblem: CustomStringConvertible {
  package var description: String { "\(path): \(reason)" }
}

/// Moves finished files, each in one step.
package enum FileMove {
  /// The kind of an entry in a folder, without following links.
  package enum Entry: Hashable, Sendable {
    case none, file, folder, link, other
  }

  /// Returns the kind of an entry; one that cannot be examined counts as `other`.
  package static func entry(at path: String) -> Entry { entry(at: FilePlace(path)) }

  /// Returns the kind of an entry; one that cannot be examined counts as `other`.
  package static func entry(at place: FilePlace) -> Entry {
    let found: stat?
    do {
      found = try place.status()
    } catch {
      return .other
    }
    guard let status = found else { return .none }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Returns whether two names are of the same file, without following links.
  package static func isSameFile(_ one: String, _ other: String) -> Bool {
    isSameFile(FilePlace(one), FilePlace(other))
  }

  static func isSameFile(_ one: FilePlace, _ other: FilePlace) -> Bool {
    guard let first = try? one.status(), let second = try? other.status() else { return false }
    return first.st_mode & S_IFMT == S_IFREG && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  /// Moves a file to a path that must be free.
  ///
  /// - Throws: `Errno.fileExists` where something exists there.
  package static func move(_ source: String, toFree target: String) throws(Errno) {
    try move(FilePlace(source), toFree: FilePlace(target))
  }

  static func move(_ source: FilePlace, toFree target: FilePlace) throws(Errno) {
    do {
      // Renaming would replace an existing file.
      try source.link(target)
    } catch {
      switch error {
      case .notPermitted, .notSupported, .noFunction, .tooManyLinks:
        // A file system without links.
        guard entry(at: target) == .none else { throw .fileExists }
        return try move(source, replacing: target)
      default: throw error
      }
    }
    TemporaryFiles.remove(source)
  }

  /// Moves a file to a path, replacing any file there.
  package static func move(_ source: String, replacing target: String) throws(Errno) {
    try move(FilePlace(source), replacing: FilePlace(target))
  }

  static func move(_ source: FilePlace, replacing target: FilePlace) throws(Errno) {
    try source.move(replacing: target)
  }
}

extension FilePath {
  /// The folder of a file with this path; the current one for a mere name.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
