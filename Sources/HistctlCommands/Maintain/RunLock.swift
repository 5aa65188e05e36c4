import DurableFiles
import StoreFormat
import SystemPackage
import Terminal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Keeps two runs from doing the same work twice: from maintaining one store, or from exporting for
/// one of its consumers.
///
/// The lock is a file beside the store's bookmarks that only its maker may open: a file that others
/// can read, as a config file often is, could be locked by anybody for ever. It is there while the
/// lock is held; one that a killed run has left is taken over.
final class RunLock {
  private let path: String
  private let file: FileDescriptor
  private let registration: TemporaryFileRegistry.Registration?

  /// Takes the lock of all that is done to maintain a store.
  ///
  /// - Parameters:
  ///   - store: The store, for messages.
  ///   - bookmarkPath: The file of its bookmarks.
  ///   - wait: How long to wait for another run, in seconds.
  convenience init(maintaining store: String, bookmarkPath: String, wait: Double) throws(Failure) {
    try self.init(
      FileStatus.resolvedPlace(bookmarkPath) + ".lock",
      work: "histctl maintain is at work on \(store)", wait)
  }

  /// Takes the lock of the exports for one consumer; those for others go on meanwhile.
  ///
  /// It is to be taken before the store is read: where another run has moved the bookmark until then,
  /// the store that is read has what it stands on.
  ///
  /// - Parameters:
  ///   - consumer: The name of its bookmark.
  ///   - store: The store, for messages.
  ///   - bookmarkPath: The file of its bookmarks.
  ///   - wait: How long to wait for another run, in seconds.
  convenience init(
    exportingFor consumer: String, store: String, bookmarkPath: String, wait: Double
  ) throws(Failure) {
    try self.init(
      FileStatus.resolvedPlace(bookmarkPath) + ".\(consumer).lock",
      work: "histctl is exporting \(store) with the bookmark \(consumer)", wait)
  }

  private init(_ path: String, work: String, _ wait: Double) throws(Failure) {
    self.path = path
    file = try Self.take(path, work: work, wait: wait)
    registration = TemporaryFileRegistry.register(path)
  }

  deinit {
    // Whoever waits for this very file notices that it is no longer the one of that name.
    unlink(path)
    registration.map(TemporaryFileRegistry.unregister)
    try? file.close()
  }

  /// Takes the lock as soon as nobody else holds it.
  private static func take(
    _ path: String, work: String, wait: Double
  ) throws(Failure) -> FileDescriptor {
    let end = MonotonicClock.seconds() + wait
    while true {
      if let file = try take(path) { return file }
      guard MonotonicClock.seconds() < end else {
        throw Failure(
          status: .busy, kind: "locked",
          message: "another \(work)",
          hint: "let it finish, or wait for it with --lock-wait 10min",
          details: [("lock", .string(path))])
      }
      usleep(100_000)
    }
  }

  /// Opens the file, made where it is missing.
  private static func open(_ path: String) throws -> FileDescriptor {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
      // What is left of an administrator's run that was killed must not shut out the owner's.
      var folder = stat()
      if geteuid() == 0, stat(FilePath(path).folder.string, &folder) == 0 {
        _ = fchown(file.rawValue, folder.st_uid, folder.st_gid)
      }
      return file
    } catch Errno.fileExists {
      // Without the flag it is made where it has gone since.
      return try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec, .noFollow],
        permissions: .ownerReadWrite)
    }
  }

  /// Opens and locks the file; nil where somebody else holds it.
  private static func take(_ path: String) throws(Failure) -> FileDescriptor? {
    do {
      let file = try open(path)
      var isMine = false
      defer { if !isMine { try? file.close() } }
      switch FileLock.take(file, at: path) {
      case .taken:
        isMine = true
        return file
      case .lost: return nil
      case .impossible(let error): throw error
      }
    } catch {
      throw Failure(
        status: .cannotReadOrWrite, kind: "unwritable",
        message: "cannot make the lock \(path): \((error as? Errno)?.description ?? "\(error)")",
        hint: "run it as the owner of the store, or keep bookmarks in another place with "
          + "--bookmark-file, or bookmark-file in a config file")
    }
  }
}
