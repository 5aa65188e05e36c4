import DurableFiles
import StoreFormat

/// The SHA-256 digests of a store and of the files that SQLite keeps beside it, at one moment.
package struct StoreDigests: Hashable, Sendable {
  /// The files that exist, by path.
  package let files: [String: FileDigest]

  /// What SQLite appends to the name of a store: nothing for the store itself, then its log, the index of
  /// the log, and its journal.
  private static let suffixes = ["", "-wal", "-shm", "-journal"]

  /// Reads the files of the store at a path, not those of a copy that is read in its place.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  package init(ofStoreAt path: String) throws(StoreError) {
    // Of a store in an archive, the archive is the file.
    let place =
      FileStatus.resolve(path) ?? ContainedPath(path).flatMap { FileStatus.resolve($0.container) }
      ?? path
    var files: [String: FileDigest] = [:]
    for suffix in Self.suffixes {
      do {
        files[place + suffix] = try FileDigest(ofFileAt: place + suffix)
      } catch let error as FileProblem {
        throw .unreadable(path: error.path, reason: error.reason)
      } catch {
        throw .unreadable(path: place + suffix, reason: "\(error)")
      }
    }
    self.files = files
  }
}

/// The digests of a store's files before and after they were read.
package struct DigestComparison: Hashable, Sendable {
  package struct File: Hashable, Sendable {
    package let path: String
    /// The file before reading; `nil` if it did not exist.
    package let before: FileDigest?
    /// The file after reading; `nil` if it did not exist.
    package let after: FileDigest?

    package var isUnchanged: Bool { before == after }
  }

  /// The files, the store first.
  package let files: [File]

  package init(before: StoreDigests, after: StoreDigests) {
    files = Set(before.files.keys).union(after.files.keys).sorted().map {
      File(path: $0, before: before.files[$0], after: after.files[$0])
    }
  }

  package var isUnchanged: Bool { files.allSatisfy(\.isUnchanged) }

  /// Explains a difference; `nil` without one.
  package var notice: String? {
    let changed = files.filter { !$0.isUnchanged }
    guard !changed.isEmpty else { return nil }
    let names = changed.map(\.path).joined(separator: ", ")
    // SQLite makes an index, and an empty log.
    let isMadeByReading = changed.allSatisfy { file in
      file.path.hasSuffix("-shm") || file.before == nil && file.after?.byteCount == 0
    }
    return isMadeByReading
      ? "reading made or changed \(names); --private-copy leaves nothing beside the store"
      : "another program changed \(names) during reading"
  }
}
