import DurableFiles
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// Output files that a caller names.
enum OutputFile {
  /// Writes a file, which appears when it is complete and safe on the disk.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - permissions: The permissions of the file.
  ///   - overwrites: Whether to replace an existing file.
  ///   - existsHint: The hint if the file exists.
  ///   - wayAround: The hint if the path is not that of a file.
  ///   - body: Writes into the draft and commits it.
  /// - Throws: ``OperationError``, and what `body` throws.
  static func write<Result>(
    _ path: String, permissions: FilePermissions, overwrites: Bool,
    existsHint: String = "name another file, or replace it with --overwrite", wayAround: String,
    _ body: (DraftFile) throws -> Result
  ) throws -> Result {
    do {
      let draft = try DraftFile(
        path: path, permissions: permissions, overwrites: overwrites, followsLink: true)
      // Threads that wrote to the draft may retain it for a moment longer than this function.
      defer { draft.discard() }
      return try body(draft)
    } catch Errno.fileExists where !MissingFolders.isFolder(path) {
      throw OperationError(.alreadyThere, "\(path) already exists", hint: existsHint)
    } catch Errno.fileExists, Errno.notSupported {
      throw OperationError(
        .unwritable, "cannot write \(path): it is there and is not a file", hint: wayAround)
    } catch let error as Errno {
      throw OperationError(
        .unwritable, "cannot write \(path): \(error)",
        hint: error == .noSuchFileOrDirectory
          ? "create its folder first, or name a file in a folder that exists"
          : "name a place where a file can be made and that has room for it")
    }
  }
}

extension HistoryTimeline {
  /// Checks that a file would not replace the history, or a part of it.
  func checkIsNotReplaced(by path: String) throws {
    let isOfArchive = archive.map { archive in
      FilePath(FileStatus.resolvedPlace(path))
        .starts(with: FilePath(FileStatus.resolvedPlace(archive.path)))
    }
    guard snapshot?.location.owns(path) ?? false || isOfArchive ?? false else { return }
    throw OperationError.ontoItself("a file at \(path)", of: self.path, hint: "name another file")
  }
}

extension FilePermissions {
  /// Returns the permissions that all stores have in common, without execute permission; the owner's
  /// alone if one is not a store.
  static func common(toFilesAt paths: [String]) -> FilePermissions {
    paths.reduce(FilePermissions(rawValue: 0o666)) { permissions, path in
      let own = try? StoreLocation(path: path).filePermissions()
      return permissions.intersection(own ?? .ownerReadWrite)
    }.union(.ownerReadWrite)
  }
}
