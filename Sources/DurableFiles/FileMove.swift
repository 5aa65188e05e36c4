import Libc
import SystemPackage

/// Moves finished files, each in one step.
package enum FileMove {
  /// The kind of an entry in a folder, without following links.
  package enum Entry: Hashable, Sendable {
    case none, file, folder, link, other
  }

  /// Returns the kind of an entry; one that cannot be examined counts as `other`.
  package static func entry(at path: String) -> Entry { entry(at: FilePlace(path)) }

  /// Returns the kind of an entry; one that cannot be examined counts as `other`.
  static func entry(at place: FilePlace) -> Entry {
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
    return first.st_mode & S_IFMT == S_IFREG
      && FileStatus(first).identity == FileStatus(second).identity
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
