import DurableFiles
import SystemPackage

/// Where a store's files are: the store itself, its write-ahead log and what stands beside them.
package struct StoreLocation: Hashable, Sendable {
  /// The path as it was given; messages use it.
  package let path: String
  /// The path that SQLite will use: links resolved, so that `-wal` is looked for beside the target.
  package let resolvedPath: String

  /// The write-ahead log beside the store.
  package var logPath: String { resolvedPath + "-wal" }
  /// The index of the write-ahead log, shared by all who have the store open.
  package var sharedMemoryPath: String { resolvedPath + "-shm" }
  /// The rollback journal of a store that does not use a write-ahead log.
  package var journalPath: String { resolvedPath + "-journal" }

  /// The folder that the store stands in.
  package var folder: String { FilePath(resolvedPath).folder.string }

  /// Finds a store's files and checks that the store is a file with something in it.
  ///
  /// - Throws: ``StoreError/missing(path:)``, ``StoreError/beingReplaced(path:former:)``,
  ///   ``StoreError/notAStore(path:reason:)`` or
  ///   ``StoreError/unreadable(path:reason:)``.
  package init(path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .missing(path: path) }
    let status: FileStatus?
    do {
      status = try FileStatus(path: path)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
    guard let status, let resolved = FileStatus.resolve(path) else {
      throw Self.errorWithout(path)
    }
    if case .other(let kind) = status.kind {
      throw .notAStore(path: path, reason: .notAFile(kind: kind))
    }
    // SQLite would take a single byte for an empty database.
    guard status.size >= FileHeader.length else {
      throw Self.notAStore(path, status.size > 0 ? .notSQLite : .empty)
    }
    self.path = path
    resolvedPath = resolved
  }

  /// Why there is no store at a path.
  private static func errorWithout(_ path: String) -> StoreError {
    for folder in AbandonedDrafts.folders(of: path) {
      let former = formerFolder(ofStoreAt: path, in: folder)
      let store = former + "/" + (FilePath(path).lastComponent?.string ?? "store")
      if FileMove.entry(at: store) != .none { return .beingReplaced(path: path, former: store) }
    }
    return .missing(path: path)
  }

  /// The folder in which a store waits that is being replaced, with all that belongs to it.
  ///
  /// - Parameters:
  ///   - path: The place of the store.
  ///   - folder: The folder in which the new store is written.
  package static func formerFolder(ofStoreAt path: String, in folder: String) -> String {
    folder + "/" + (FilePath(path).lastComponent?.string ?? "store") + "-former"
  }

  /// Reads the header of the main file.
  ///
  /// Only for a file that no connection of this process reads with locks: closing any descriptor of
  /// a file drops all locks that the process holds on it
  /// (<https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>).
  func readHeader() throws(StoreError) -> FileHeader {
    do {
      let file = try FileDescriptor.open(FilePath(resolvedPath), .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      guard let header = FileHeader(try file.readPrefix(FileHeader.length)) else {
        throw Self.notAStore(path, .notSQLite)
      }
      return header
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
  }

  /// The size of a file beside the store, nil where there is none.
  package func size(of path: String) throws(StoreError) -> Int64? {
    do {
      return try FileStatus(path: path)?.size
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }
}

extension FileDescriptor {
  /// Reads up to `count` bytes from the start of the file.
  package func readPrefix(_ count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try fill(UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
  }

  /// Reads as much as fits into a buffer, unless the file ends before, and gives how much it was.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}
