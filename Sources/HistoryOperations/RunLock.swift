import DurableFiles
import Libc
import PersistentHistory
import StoreFormat
import SystemPackage

/// Keeps two runs from maintaining the same store, exporting for the same consumer, or recording values into the
/// same file, at once.
///
/// The lock is a file beside the one that is changed. Only its creator may open it: any user who can read a
/// file, such as a config file, could lock it forever. The file exists while the lock is held. One that a killed
/// run has left is taken over.
package final class RunLock {
  private let path: String
  private let file: FileDescriptor
  private let registration: TemporaryFiles.Registration

  /// Takes the lock for maintaining a store.
  ///
  /// - Parameters:
  ///   - store: The store, for messages.
  ///   - bookmarkPath: The file of its bookmarks.
  ///   - wait: Seconds to wait for another run.
  /// - Throws: ``OperationError``.
  convenience init(
    maintaining store: String, bookmarkPath: String, wait: Double
  ) throws(OperationError) {
    try self.init(
      FileStatus.resolvedPlace(bookmarkPath) + ".lock",
      work: "histctl maintain is at work on \(store)", wait)
  }

  /// Takes the lock for exporting a store, an archive or lines for one consumer, or returns `nil` if nothing is
  /// at the path. Exports for other consumers are not affected.
  ///
  /// Take it before opening the store: if another run moves the bookmark first, the store that is opened
  /// afterwards has the transaction that the bookmark names.
  ///
  /// - Parameters:
  ///   - path: What is exported.
  ///   - consumer: The name of its bookmark.
  ///   - bookmarkPath: The file of its bookmarks; `nil` for the one beside it.
  ///   - wait: Seconds to wait for another run.
  /// - Throws: ``OperationError``, and `HistoryError.malformedBookmarkName`.
  package static func forExport(
    of path: String, for consumer: String, bookmarkPath: String?, wait: Double
  ) throws -> RunLock? {
    guard Bookmark.isName(consumer) else { throw HistoryError.malformedBookmarkName(consumer) }
    // The bookmarks beside the copy that is read would be gone with it.
    if bookmarkPath == nil, let place = ContainedPath(path) {
      throw StoreError.contained(path: path, container: place.container)
    }
    let bookmarks: String
    do {
      bookmarks =
        try bookmarkPath
        ?? BookmarkFile.path(besideStore: StoreLocation(path: path).resolvedPath)
    } catch StoreError.missing {
      return nil
    } catch {
      // An archive keeps its bookmarks beside its folder. Any other problem is reported when it is read.
      bookmarks = BookmarkFile.path(besideStore: path)
    }
    return try RunLock(
      FileStatus.resolvedPlace(bookmarks) + ".\(consumer).lock",
      work: "histctl is exporting \(path) with the bookmark \(consumer)", wait)
  }

  /// Takes the lock for recording values of a store.
  ///
  /// - Parameters:
  ///   - store: The store, for messages.
  ///   - valuesPath: The file of recorded values.
  /// - Throws: ``OperationError``.
  convenience init(recording store: String, valuesPath: String) throws(OperationError) {
    try self.init(
      FileStatus.resolvedPlace(valuesPath) + ".lock", work: "histctl record is at work on \(store)",
      0, hint: "one is enough: it keeps the values of every save")
  }

  private init(
    _ path: String, work: String, _ wait: Double,
    hint: String = "let it finish, or wait for it with --lock-wait 10min"
  ) throws(OperationError) {
    self.path = path
    let start = ContinuousClock.now
    while true {
      if let file = try Self.take(path) {
        self.file = file
        break
      }
      guard start.secondsAgo < wait else {
        throw OperationError(
          .locked, "another \(work)", hint: hint, details: [("lock", .string(path))])
      }
      Pause.take(seconds: 0.1)
    }
    registration = TemporaryFiles.register([path])
  }

  deinit {
    // A run that waits for this file notices that the name is gone.
    TemporaryFiles.remove(path)
    registration.end()
    LockedFiles.close(file)
  }

  /// Opens and locks the file; `nil` if another run holds it.
  private static func take(_ path: String) throws(OperationError) -> FileDescriptor? {
    do {
      let file = try open(path)
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .lost:
        LockedFiles.close(file)
        return nil
      case .impossible(let error):
        LockedFiles.close(file)
        throw error
      }
    } catch {
      throw OperationError(
        .unwritable,
        "cannot make the lock \(path): \((error as? Errno)?.description ?? "\(error)")",
        hint: "run it as the owner of the store, or keep bookmarks or values in another place with "
          + "--bookmark-file or --values-file, or bookmark-file in a config file")
    }
  }

  /// Opens the file, and makes it if it is missing.
  private static func open(_ path: String) throws -> FileDescriptor {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
      // A file left by an administrator's run that was killed must not shut out the owner.
      var folder = stat()
      if geteuid() == 0, stat(FilePath(path).folder.string, &folder) == 0 {
        _ = fchown(file.rawValue, folder.st_uid, folder.st_gid)
      }
      return file
    } catch Errno.fileExists {
      // Another run may have removed it since, so it may be made here too.
      return try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
    }
  }
}
