import Libc
import SystemPackage

/// The kind, size, identity and modification time of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case file, directory, link, pipe, socket, device, special

    /// What it is, for messages.
    package var name: String {
      switch self {
      case .special: "special file"
      case .file, .directory, .link, .pipe, .socket, .device: "\(self)"
      }
    }
  }

  /// What a file is by whatever names.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  package let kind: Kind
  package let size: Int64
  package let identity: Identity
  package let modifiedSeconds: Int64
  let modifiedNanoseconds: Int64

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
  init?(_ file: FileDescriptor) {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return nil }
    self.init(status)
  }

  package init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFCHR, S_IFBLK: .device
      default: .special
      }
    size = Int64(status.st_size)
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    #if canImport(Darwin)
    modifiedSeconds = Int64(status.st_mtimespec.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtimespec.tv_nsec)
    #else
    modifiedSeconds = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    #endif
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
  static func give(_ file: FileDescriptor, owner: uid_t, group: gid_t) {
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

extension FilePath {
  /// The folder of a file with this path; the current one for a mere name.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
