import DurableFiles
import HistoryOperations
import StoreFormat

/// The files and folders that clients may read.
struct ServedPaths: Sendable {
  /// Their paths, with links resolved.
  let roots: [String]

  /// - Throws: ``OperationError`` for a path that does not exist.
  init(_ paths: [String]) throws {
    roots = try paths.map { path in
      guard let resolved = Self.resolve(path) else {
        throw OperationError(
          .missing, "no file or folder at \(path)", hint: "name existing stores and folders")
      }
      return resolved
    }
  }

  /// Returns the path of a file that may be read, with links resolved.
  ///
  /// A path that does not exist is refused like one elsewhere: the answer does not reveal which files
  /// exist.
  ///
  /// - Throws: ``Failure``.
  func path(_ path: String) throws(Failure) -> String {
    let resolved = Self.resolve(path)
    if let resolved, roots.contains(where: { Self.isInside(resolved, $0) }) { return resolved }
    // A store in a backup or an archive.
    if resolved == nil, !path.utf8.contains(0), let contained = ContainedPath(path),
      let container = Self.resolve(contained.container),
      roots.contains(where: { Self.isInside(container, $0) })
    {
      return container + ContainedPath.separator + contained.name
    }
    throw Failure(
      .refusedPath, "\(path) may not be read: it does not exist, or is not in \(list)",
      hint: "give the path of a file there; the tool find lists the stores")
  }

  /// The files and folders, for messages.
  var list: String { roots.joined(separator: ", ") }

  private static func resolve(_ path: String) -> String? {
    path.isEmpty || path.utf8.contains(0) ? nil : FileStatus.resolve(path)
  }

  private static func isInside(_ path: String, _ root: String) -> Bool {
    // Texts that look the same can be different files.
    let (path, root) = (Array(path.utf8), Array(root.utf8))
    guard path.starts(with: root) else { return false }
    return path.count == root.count || root.last == UInt8(ascii: "/")
      || path[root.count] == UInt8(ascii: "/")
  }
}
