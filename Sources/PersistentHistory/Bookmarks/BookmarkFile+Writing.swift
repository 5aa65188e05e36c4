import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension BookmarkFile {
  /// How long to wait for another program that is changing the bookmarks, in tenths of a second.
  private static let patience = 50

  /// Sets a bookmark, and leaves the others as they are.
  ///
  /// Programs that do this at the same time wait for each other, and the file is replaced in one
  /// step, so that it is whole at any moment.
  ///
  /// - Parameters:
  ///   - bookmark: The bookmark; one of the same name is replaced.
  ///   - path: The file; it is made where it is missing.
  ///   - permissions: Who may read and write a file that has to be made.
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)`` where the file is there and cannot be
  ///   understood, and ``HistoryError/unwritableBookmarks(path:reason:)``.
  public static func set(
    _ bookmark: Bookmark, in path: String, permissions: FilePermissions = .ownerReadWrite
  ) throws(HistoryError) {
    try change(path, permissions: permissions) { bookmarks in
      bookmarks.removeAll { $0.name == bookmark.name }
      bookmarks.append(bookmark)
    }
  }

  /// Changes the bookmarks while nobody else does.
  private static func change(
    _ path: String, permissions: FilePermissions, _ body: (inout [Bookmark]) -> Void
  ) throws(HistoryError) {
    do {
      let lock = try lock(path, permissions: permissions)
      defer { try? lock.close() }
      var status = stat()
      guard fstat(lock.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      var bookmarks = status.st_size == 0 ? [] : try BookmarkFile(path: path).bookmarks
      body(&bookmarks)
      // Who could read the file before can read it now; the process's mask may be narrower.
      let draft = try DraftFile(
        path: path, permissions: FilePermissions(rawValue: status.st_mode & 0o666),
        overwrites: true)
      try encode(bookmarks).withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch let error as HistoryError {
      throw error
    } catch {
      throw .unwritableBookmarks(path: path, reason: "\(error)")
    }
  }

  /// Opens the file, made where it is missing, and locks it.
  ///
  /// Each change puts a new file in its place, so who has waited for the old one looks again.
  private static func lock(_ path: String, permissions: FilePermissions) throws -> FileDescriptor {
    for _ in 0..<patience {
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: permissions)
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 {
        var mine = stat()
        var present = stat()
        if fstat(file.rawValue, &mine) == 0, stat(path, &present) == 0,
          mine.st_ino == present.st_ino, mine.st_dev == present.st_dev
        {
          return file
        }
      } else if errno != EWOULDBLOCK {
        let error = Errno(rawValue: errno)
        try? file.close()
        throw error
      }
      try? file.close()
      usleep(100_000)
    }
    throw Errno.resourceTemporarilyUnavailable
  }
}
