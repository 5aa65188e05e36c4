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
    } catch Errno.fileExists where (try? FileStatus(path: path))?.kind ?? .file == .file {
      throw OperationError(.alreadyThere, "\(path) already exists", hint: existsHint)
    } catch Errno.fileExists, Errno.notSupported {
      throw OperationError(
        .unwritable, "cannot write \(path): it exists and is not a file", hint: wayAround)
    } catch let error as Errno {
      throw OperationError(
        .unwritable, "cannot write \(path): \(error)",
        hint: error == .noSuchFileOrDirectory
          ? "create its folder first, or name a file in a folder that exists"
          : "name a place where a file can be made and that has room for it")
    }
  }
}

/// A file of metrics that another program reads at any time.
package struct MetricsFile {
  /// The maximum size that is read, in bytes.
  private static let maxSize = 16 << 20

  private let path: String

  package init(_ path: String) { self.path = path }

  /// The lines of the file; empty if it is missing, cannot be read or is too large.
  package var lines: [Substring] {
    guard let file = try? ReadableFile(anyAt: FilePath(path)),
      let bytes = try? file.readPrefix(Self.maxSize + 1), bytes.count <= Self.maxSize
    else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { $0 }
  }

  /// Replaces the file in one step. It keeps its permissions; a new one is readable only by users who can read all
  /// the stores.
  ///
  /// - Throws: ``OperationError``.
  package func replace(with text: String, about stores: [String]) throws {
    for store in stores {
      guard let location = try? StoreLocation(path: store), location.owns(path) else { continue }
      throw OperationError.ontoItself("metrics at \(path)", of: store, hint: "name another file")
    }
    let permissions = try? StoreLocation(path: path).filePermissions()
    try OutputFile.write(
      path, permissions: permissions ?? .common(toFilesAt: stores), overwrites: true,
      wayAround: "name a file, such as histctl.prom"
    ) { draft in
      var text = text
      try text.withUTF8 { try draft.write(UnsafeRawBufferPointer($0)) }
      try draft.commit()
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

/// Output folders that a caller names.
package enum OutputFolder {
  /// Makes a folder, and those that contain it, if they are missing.
  ///
  /// - Parameter permissions: The permissions of the folder; by default, those that the process's umask
  ///   allows.
  /// - Throws: ``OperationError``.
  package static func make(
    _ path: String, permissions: FilePermissions = FilePermissions(rawValue: 0o777)
  ) throws(OperationError) {
    guard !path.isEmpty else {
      throw OperationError(
        .usage, "no folder is named: the path is empty",
        hint: "name a folder, such as demo; it is made where it is missing")
    }
    do {
      try MissingFolders.make(path, permissions: permissions)
    } catch {
      throw OperationError(
        .unwritable, "cannot make the folder \(error.path): \(error.reason)",
        hint: "name a folder in which files can be made")
    }
  }

  /// Makes a folder in one that a caller named. A link in its place would lead files out of that folder.
  ///
  /// - Parameter permissions: The permissions of the folder.
  /// - Throws: ``OperationError``.
  static func make(part path: String, permissions: FilePermissions) throws(OperationError) {
    guard FileMove.entry(at: path) != .link else {
      throw OperationError(
        .unwritable, "\(path) is a symbolic link, and new files are not written through links",
        hint: "replace it with a folder, or name another folder")
    }
    try make(path, permissions: permissions)
  }

  /// Returns the path of a name in a folder.
  package static func path(of name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
