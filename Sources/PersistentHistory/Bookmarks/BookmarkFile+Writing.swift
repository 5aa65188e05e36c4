import DurableFiles
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
  /// How long to wait for other programs that are changing the bookmarks, in hundredths of a second. Each
  /// takes a moment; but there may be many, on a disk that is slow.
  private static let patience = 3000

  /// Sets a bookmark, and leaves the others as they are.
  ///
  /// Programs that do this at the same time wait for each other, and the file is replaced in one
  /// step, so that it is whole at any moment.
  ///
  /// - Parameters:
  ///   - bookmark: The bookmark; one of the same name is replaced.
  ///   - path: The file; it is made where it is missing.
  ///   - permissions: Who may read and write a file that has to be made.
  ///   - onlyForward: Whether a bookmark that stands further on, or in another store, stays as it is.
  ///   - check: Is called while nobody deletes history that no bookmark needs; where it throws, the
  ///     bookmarks stay as they are.
  /// - Throws: What `check` throws, ``HistoryError/unreadableBookmarks(path:reason:)`` where the file is there and cannot be
  ///   understood, ``HistoryError/unwritableBookmarks(path:reason:)``,
  ///   ``HistoryError/busyBookmarks(path:)``, ``HistoryError/fullBookmarks(path:)`` and, where it is only
  ///   to go forward,
  ///   ``HistoryError/bookmarkIsAhead(name:present:wanted:)`` and
  ///   ``HistoryError/bookmarkOfOtherStore(name:path:identifiers:)``.
  public static func set(
    _ bookmark: Bookmark, in path: String, permissions: FilePermissions = .ownerReadWrite,
    onlyForward: Bool = false, check: () throws -> Void = {}
  ) throws {
    try change(path, creating: permissions) { bookmarks in
      do {
        try check()
      } catch {
        throw Refusal(reason: error)
      }
      if onlyForward, let present = bookmarks.first(where: { $0.name == bookmark.name }) {
        try checkGoesForward(from: present, to: bookmark, in: path)
      }
      bookmarks.removeAll { $0.name == bookmark.name }
      bookmarks.append(bookmark)
    }
  }

  /// Removes bookmarks: all that are named, or none where one of them is not there.
  ///
  /// - Throws: ``HistoryError/unknownBookmark(name:path:known:)``,
  ///   ``HistoryError/unreadableBookmarks(path:reason:)``,
  ///   ``HistoryError/unwritableBookmarks(path:reason:)`` and ``HistoryError/busyBookmarks(path:)``.
  public static func remove(_ names: [String], from path: String) throws(HistoryError) {
    // What is not there is told without making or locking anything.
    let present = try BookmarkFile(path: path)
    for name in names { _ = try present.bookmark(named: name) }
    guard !names.isEmpty else { return }
    let unnamed = HistoryError.unwritableBookmarks(path: path, reason: "it cannot be changed")
    do {
      try change(path, creating: nil) { bookmarks in
        for name in names where !bookmarks.contains(where: { $0.name == name }) {
          throw HistoryError.unknownBookmark(name: name, path: path, known: bookmarks.map(\.name))
        }
        bookmarks.removeAll { names.contains($0.name) }
      }
    } catch {
      throw error as? HistoryError ?? unnamed
    }
  }

  private static func checkGoesForward(
    from present: Bookmark, to next: Bookmark, in path: String
  ) throws(HistoryError) {
    for (store, wanted) in next.token.storeTokens {
      guard let number = present.token.transaction(in: store) else {
        throw .bookmarkOfOtherStore(
          name: next.name, path: path, identifiers: present.token.storeTokens.keys.sorted())
      }
      guard number <= wanted else {
        throw .bookmarkIsAhead(name: next.name, present: number, wanted: wanted)
      }
    }
  }

  /// Changes the bookmarks while nobody else does.
  ///
  /// - Parameter permissions: Who may read and write a file that has to be made; nil where it must
  ///   be there.
  private static func change(
    _ path: String, creating permissions: FilePermissions?,
    _ body: (inout [Bookmark]) throws -> Void
  ) throws {
    // Where the name is a link, what it leads to is replaced and the link stays.
    let file = resolved(path)
    do {
      let lock = try lock(file, creating: permissions)
      defer { try? lock.close() }
      var status = stat()
      guard fstat(lock.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      var bookmarks = try BookmarkFile(path: file).bookmarks
      try body(&bookmarks)
      let bytes = try encode(bookmarks)
      // What could not be read again must not be written either.
      guard bytes.count <= SmallFile.limit else {
        throw HistoryError.fullBookmarks(path: path)
      }
      // Who could read the file before can read it now; the process's mask may be narrower.
      let draft = try DraftFile(
        path: file, permissions: FilePermissions(rawValue: status.st_mode & 0o666),
        overwrites: true)
      // Where an administrator moves one of an app's bookmarks, the others are still the app's.
      draft.takeOwner(of: file)
      try bytes.withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch Errno.resourceTemporarilyUnavailable {
      throw HistoryError.busyBookmarks(path: path)
    } catch let error as HistoryError {
      throw error
    } catch let error as Refusal {
      throw error.reason
    } catch {
      throw HistoryError.unwritableBookmarks(path: path, reason: "\(error)")
    }
  }

  /// Why somebody does not want a bookmark to be set any more.
  private struct Refusal: Error {
    let reason: any Error
  }

  /// The file itself, where its name is a link.
  static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Makes a file without bookmarks; an empty one would look like one that has lost its content.
  private static func makeIfMissing(_ path: String, _ permissions: FilePermissions) throws {
    guard try FileStatus(path: path) == nil else { return }
    // Whoever deletes history while there is no such file keeps it from being made.
    let folder = try FolderLock.take(FilePath(path).folder.string, patience: FolderLock.patience)
    defer { try? folder?.close() }
    do {
      let draft = try DraftFile(path: path, permissions: permissions, overwrites: false)
      // Beside an app's store the file is the app's, even where an administrator is the first.
      if geteuid() == 0 { draft.takeOwner(of: FilePath(path).folder.string) }
      try encode([]).withUnsafeBytes { try draft.write($0) }
      try draft.commit()
    } catch Errno.fileExists {
      // It was there, or somebody was faster.
    }
  }

  /// Opens the file, made where it is missing, and locks it.
  ///
  /// Each change puts a new file in its place, so who has waited for the old one looks again.
  private static func lock(
    _ path: String, creating permissions: FilePermissions?
  ) throws -> FileDescriptor {
    if let permissions { try makeIfMissing(path, permissions) }
    for _ in 0..<patience {
      let file = try FileDescriptor.open(FilePath(path), .readWrite, options: .closeOnExec)
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .lost:
        try? file.close()
        usleep(10_000)
      case .impossible(let error):
        try? file.close()
        throw error
      }
    }
    throw Errno.resourceTemporarilyUnavailable
  }
}
