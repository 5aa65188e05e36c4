import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Gives a finished file its name, in one step.
package enum FileMove {
  /// What stands under a name, links not followed.
  package enum Entry: Hashable, Sendable {
    case none, file, folder, link, other
  }

  /// Looks at a name; what cannot be looked at is taken for something that is there.
  package static func entry(at path: String) -> Entry {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR ? .none : .other
    }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }

  /// Whether two names are of one and the same file, links not followed.
  package static func isSameFile(_ one: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    guard lstat(one, &first) == 0, lstat(other, &second) == 0 else { return false }
    return first.st_mode & S_IFMT == S_IFREG && first.st_ino == second.st_ino
      && first.st_dev == second.st_dev
  }

  /// Gives a file a name that is free.
  ///
  /// - Throws: `Errno.fileExists` where the name is taken, even since a moment ago.
  package static func move(_ source: String, toFree target: String) throws(Errno) {
    // Renaming would replace what is there.
    if link(source, target) == 0 {
      unlink(source)
      return
    }
    let error = Errno(rawValue: errno)
    switch error {
    case .notPermitted, .notSupported, .noFunction, .tooManyLinks:
      // A file system without links.
      guard entry(at: target) == .none else { throw .fileExists }
      try move(source, replacing: target)
    default: throw error
    }
  }

  /// Gives a file a name, whoever has it.
  package static func move(_ source: String, replacing target: String) throws(Errno) {
    guard rename(source, target) == 0 else { throw Errno(rawValue: errno) }
  }
}

extension FilePath {
  /// The folder in which a file of this path stands; the present one for a mere name.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
