import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the file system says of one file: its kind, size and the moment of its last change.
package struct FileStatus: Hashable, Sendable {
  /// What kind of thing a path names.
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

  /// Asks for the status of a path, following links; nil where nothing is there.
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

  /// What the system has said.
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

  /// Whether this process may create files in a folder, by its effective user.
  package static func canCreateFiles(inFolder path: String) -> Bool {
    faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0
  }

  /// Whether this process may read a file, by its effective user.
  package static func canRead(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0
  }

  /// Gives an open file an owner and a group, or the group alone, as far as the system allows that.
  package static func give(_ file: FileDescriptor, owner: uid_t, group: gid_t) {
    if fchown(file.rawValue, owner, group) != 0 { _ = fchown(file.rawValue, uid_t.max, group) }
  }

  /// Deletes a file; nothing happens where there is none.
  package static func remove(_ path: String) { unlink(path) }

  /// The path with every link and `..` resolved; nil where it does not exist.
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
