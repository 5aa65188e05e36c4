import DurableFiles
import Libc
import StoreFormat
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The file beside a store in which consumers keep their bookmarks.
///
/// A JSON object: `schema` is 1, `bookmarks` an array of objects with `name`, `token` (SwiftData's
/// JSON of a token) and `timestampRaw` (seconds since 2001, as the transaction has it). While an export
/// gives a file its name and moves the bookmark, there is also `pending`: the file's path in its folder as
/// `file`, its length as `bytes`, its `sha256`, and the `first` and `last` transaction with the time of the last one.
public struct BookmarkFile: Hashable, Sendable {
  /// The path of the file.
  package let path: String
  /// The bookmarks, by name; empty if the file does not exist.
  public let bookmarks: [Bookmark]
  /// Whether the file exists.
  package let exists: Bool

  /// The schema that this code reads.
  private static let schema = 1

  /// Returns the default path of a store's bookmarks.
  package static func path(besideStore path: String) -> String { path + "-bookmarks.json" }

  /// Whether a path is a store's own, or that of a file that belongs to the store. Such a file must never
  /// be opened for bookmarks: closing it drops the locks that this process holds on the store.
  package static func isFile(_ path: String, ofStoreAt store: String) -> Bool {
    guard let location = try? StoreLocation(path: store), location.owns(path) else { return false }
    return FilePath(FileStatus.resolvedPlace(path))
      != FilePath(BookmarkFile.path(besideStore: location.resolvedPath))
  }

  /// Reads the bookmarks.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)``.
  public init(path: String) throws(HistoryError) {
    self.path = path
    let bytes: [UInt8]
    do {
      bytes = try SmallFile.readFile(path)
    } catch .missing {
      bookmarks = []
      exists = false
      return
    } catch {
      throw .unreadableBookmarks(path: path, reason: error.text)
    }
    exists = true
    guard !bytes.isEmpty else {
      throw .unreadableBookmarks(
        path: path, reason: "it is empty, as after a full disk or a loss of power")
    }
    do {
      let data = Data(bytes)
      let content = try? JSONDecoder().decode(Content.self, from: data)
      // A later schema may have another shape.
      let schema = try content?.schema ?? JSONDecoder().decode(Version.self, from: data).schema
      guard schema == BookmarkFile.schema else {
        throw HistoryError.unreadableBookmarks(
          path: path, reason: "its schema is \(schema), expected \(BookmarkFile.schema)")
      }
      guard let content else {
        throw HistoryError.unreadableBookmarks(
          path: path, reason: "it is not the JSON of bookmarks")
      }
      bookmarks = content.bookmarks.map {
        Bookmark(
          name: $0.name, token: $0.token,
          timestamp: $0.timestampRaw.map(StoreTimestamp.init(secondsSinceReferenceDate:)),
          pending: $0.pending)
      }.sorted { $0.name < $1.name }
      if let problem = BookmarkFile.problem(of: bookmarks) {
        throw HistoryError.unreadableBookmarks(path: path, reason: problem)
      }
    } catch let error as HistoryError {
      throw error
    } catch {
      throw .unreadableBookmarks(path: path, reason: "it is not the JSON of bookmarks")
    }
  }

  /// Reads the bookmarks of a named file, which must exist, or those beside a store.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)`` and
  ///   ``HistoryError/missingBookmarks(path:)``.
  package init(named path: String?, beside location: StoreLocation) throws(HistoryError) {
    if let path {
      try self.init(existing: path)
    } else {
      try self.init(path: BookmarkFile.path(besideStore: location.resolvedPath))
    }
  }

  /// Reads the bookmarks of a file that must exist.
  ///
  /// - Throws: ``HistoryError/unreadableBookmarks(path:reason:)`` and
  ///   ``HistoryError/missingBookmarks(path:)``.
  package init(existing path: String) throws(HistoryError) {
    try self.init(path: path)
    guard exists else { throw .missingBookmarks(path: path) }
  }

  /// Returns the bookmarks of a named file or beside a store, or why they cannot be read.
  package static func readable(
    named path: String?, beside location: StoreLocation
  ) -> (bookmarks: [Bookmark], problem: HistoryError?) {
    do throws(HistoryError) {
      return (try BookmarkFile(named: path, beside: location).bookmarks, nil)
    } catch {
      return ([], error)
    }
  }

  /// Returns the bookmark of a name.
  ///
  /// - Throws: ``HistoryError/unknownBookmark(name:path:known:)``.
  public func bookmark(named name: String) throws(HistoryError) -> Bookmark {
    guard let bookmark = bookmarks.first(where: { $0.name == name }) else {
      throw .unknownBookmark(name: name, path: path, known: bookmarks.map(\.name))
    }
    return bookmark
  }

  /// Returns the problem with the names of bookmarks, which another program may have written.
  private static func problem(of bookmarks: [Bookmark]) -> String? {
    if let bookmark = bookmarks.first(where: { !Bookmark.isName($0.name) }) {
      return "it has a bookmark named '\(bookmark.name.prefix(40))', which cannot be a name"
    }
    for (bookmark, next) in zip(bookmarks, bookmarks.dropFirst()) where bookmark.name == next.name {
      return "it has two bookmarks named '\(bookmark.name)'"
    }
    return nil
  }

  /// Returns the content of a file with these bookmarks.
  static func encode(_ bookmarks: [Bookmark]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let entries = bookmarks.sorted { $0.name < $1.name }.map { bookmark in
      // JSON has no infinities; a bookmark works without a time.
      let seconds = bookmark.timestamp?.secondsSinceReferenceDate
      return Content.Entry(
        name: bookmark.name, token: bookmark.token,
        timestampRaw: seconds.flatMap { $0.isFinite ? $0 : nil }, pending: bookmark.pending)
    }
    return Array(try encoder.encode(Content(schema: schema, bookmarks: entries))) + [0x0A]
  }

  private struct Version: Decodable {
    let schema: Int
  }

  private struct Content: Codable {
    struct Entry: Codable {
      let name: String
      let token: HistoryToken
      let timestampRaw: Double?
      let pending: PendingFile?
    }

    let schema: Int
    let bookmarks: [Entry]
  }
}

// MARK: - Writing

extension BookmarkFile {
  /// Seconds to wait for other programs that change the bookmarks. Each takes a moment, but there may be
  /// many, on a slow disk.
  static let timeout = 30.0

  /// Sets a bookmark, and leaves the others as they are.
  ///
  /// Programs that do this at the same time wait for each other. The file is replaced in one step, so it
  /// is complete at any moment.
  ///
  /// - Parameters:
  ///   - bookmark: The bookmark; one of the same name is replaced.
  ///   - path: The file; it is made if it is missing.
  ///   - permissions: Who may read and write a new file.
  ///   - onlyForward: Whether to refuse to move a bookmark back, or to another store.
  ///   - isRepeatable: Whether the caller moves it again if a loss of power undoes this. The folder of an existing
  ///     file is then not synced.
  ///   - check: Called while no history can be deleted; if it throws, the bookmarks stay as they are.
  /// - Throws: What `check` throws, ``HistoryError/unreadableBookmarks(path:reason:)``,
  ///   ``HistoryError/unwritableBookmarks(path:reason:)``, ``HistoryError/busyBookmarks(path:)``,
  ///   ``HistoryError/fullBookmarks(path:)``, ``HistoryError/bookmarkIsAhead(name:present:wanted:)`` and
  ///   ``HistoryError/bookmarkOfOtherStore(name:path:identifiers:)``.
  public static func set(
    _ bookmark: Bookmark, in path: String, permissions: FilePermissions = .ownerReadWrite,
    onlyForward: Bool = false, isRepeatable: Bool = false, check: () throws -> Void = {}
  ) throws {
    try change(path, creating: permissions, synchronizesFolder: !isRepeatable) { bookmarks in
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

  /// Removes bookmarks: all of the names, or none if one of them is missing.
  ///
  /// - Throws: ``HistoryError/unknownBookmark(name:path:known:)``,
  ///   ``HistoryError/unreadableBookmarks(path:reason:)``,
  ///   ``HistoryError/unwritableBookmarks(path:reason:)`` and ``HistoryError/busyBookmarks(path:)``.
  public static func remove(_ names: [String], from path: String) throws(HistoryError) {
    // Report a missing bookmark without making or locking anything.
    let present = try BookmarkFile(path: path)
    for name in names { _ = try present.bookmark(named: name) }
    guard !names.isEmpty else { return }
    do {
      try change(path, creating: nil) { bookmarks in
        for name in names where !bookmarks.contains(where: { $0.name == name }) {
          throw HistoryError.unknownBookmark(name: name, path: path, known: bookmarks.map(\.name))
        }
        bookmarks.removeAll { names.contains($0.name) }
      }
    } catch {
      throw error as? HistoryError
        ?? .unwritableBookmarks(path: path, reason: "it cannot be changed")
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

  /// Why a caller does not want a bookmark to be set.
  private struct Refusal: Error {
    let reason: any Error
  }

  /// Changes the bookmarks while no other program does.
  ///
  /// - Parameters:
  ///   - permissions: Who may read and write a new file; `nil` if the file must exist.
  ///   - synchronizesFolder: Whether to sync the name of an existing file; that of a new one always is.
  private static func change(
    _ path: String, creating permissions: FilePermissions?, synchronizesFolder: Bool = true,
    _ body: (inout [Bookmark]) throws -> Void
  ) throws {
    // A link stays, and its target is replaced.
    let file = resolved(path)
    do {
      if let permissions, try FileStatus(path: file) == nil,
        try create(file, permissions, body)
      {
        // Only after the lock is released, so that other programs need not wait for it.
        return try DraftFile.synchronizeFolder(of: file)
      }
      let lock = try lock(file)
      defer { LockedFiles.close(lock) }
      var status = stat()
      guard fstat(lock.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
      var bookmarks = try BookmarkFile(path: file).bookmarks
      try body(&bookmarks)
      // Keep the permissions of the present file; the process's mask may be narrower.
      let draft = try DraftFile(
        path: file, permissions: FilePermissions(rawValue: status.st_mode & 0o666),
        overwrites: true, isOnlyWriter: true)
      // An administrator may move a bookmark in an app's file, which stays the app's.
      draft.takeOwner(of: file)
      try commit(bookmarks, draft)
      if synchronizesFolder { try DraftFile.synchronizeFolder(of: file) }
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

  /// Follows a link to the file itself.
  static func resolved(_ path: String) -> String { FileStatus.resolve(path) ?? path }

  /// Makes the file with its first bookmarks, and returns `false` if another program has made it.
  private static func create(
    _ path: String, _ permissions: FilePermissions, _ body: (inout [Bookmark]) throws -> Void
  ) throws -> Bool {
    // A program that deletes history without finding a file keeps it from being made.
    let folder = try FolderLock.take(FilePath(path).folder.string, timeout: FolderLock.timeout)
    defer { try? folder?.close() }
    guard try FileStatus(path: path) == nil else { return false }
    var bookmarks: [Bookmark] = []
    try body(&bookmarks)
    do {
      let draft = try DraftFile(
        path: path, permissions: permissions, overwrites: false, isOnlyWriter: folder != nil)
      // Beside an app's store the file is the app's, even if an administrator makes it.
      if geteuid() == 0 { draft.takeOwner(of: FilePath(path).folder.string) }
      try commit(bookmarks, draft)
      return true
    } catch Errno.fileExists {
      return false
    }
  }

  /// Writes the bookmarks, and gives the draft its name, which is not synced.
  private static func commit(_ bookmarks: [Bookmark], _ draft: DraftFile) throws {
    let bytes = try encode(bookmarks)
    // A longer file could not be read again.
    guard bytes.count <= SmallFile.limit else {
      throw HistoryError.fullBookmarks(path: draft.path)
    }
    try bytes.withUnsafeBytes { try draft.write($0) }
    try draft.commit(synchronizesFolder: false)
  }

  /// Opens and locks the file. Each change replaces it, so after waiting for one it is opened again.
  private static func lock(_ path: String) throws -> FileDescriptor {
    let start = ContinuousClock.now
    while start.secondsAgo < timeout {
      let file = try FileDescriptor.open(FilePath(path), .readWrite, options: .closeOnExec)
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .lost:
        LockedFiles.close(file)
        Pause.take(seconds: 0.01)
      case .impossible(let error):
        LockedFiles.close(file)
        throw error
      }
    }
    throw Errno.resourceTemporarilyUnavailable
  }
}
