import DurableFiles
import StoreEditing
import StoreFormat
import SystemPackage

/// Keeps bookmarks unchanged from when they are read until history that none of them needs is deleted.
///
/// Meanwhile, a program that sets a bookmark waits, and then checks whether its transaction still exists.
package final class BookmarkHold {
  private let path: String
  private var seen: FileStatus?
  private var lock: FileDescriptor?

  /// Remembers the state of the file of bookmarks, which is about to be read.
  ///
  /// - Parameter path: The file, whether it exists or not.
  package init(path: String) {
    self.path = BookmarkFile.resolved(path)
    seen = try? FileStatus(path: self.path)
  }

  deinit { release() }

  /// Keeps the bookmarks unchanged until ``release()``.
  ///
  /// - Parameter check: Reads them again; called if they have changed since.
  /// - Throws: ``/StoreEditing/HistoryEraser/NotNow`` while another program changes them, and what
  ///   `check` throws.
  func take(_ check: () throws -> Void) throws {
    release()
    lock = try lockNow()
    let present = try? FileStatus(path: path)
    guard present != seen else { return }
    try check()
    seen = present
  }

  /// Keeps the bookmarks unchanged until ``release()``, and waits for another program that changes them.
  ///
  /// - Throws: ``HistoryError/busyBookmarks(path:)``.
  package func wait() throws {
    let start = ContinuousClock.now
    while true {
      do {
        return try take {}
      } catch is HistoryEraser.NotNow {
        guard start.secondsAgo < BookmarkFile.timeout else {
          throw HistoryError.busyBookmarks(path: path)
        }
        Pause.take(seconds: 0.01)
      }
    }
  }

  /// Lets other programs change them.
  package func release() {
    if let lock { LockedFiles.close(lock) }
    lock = nil
  }

  /// Takes the lock for changing the file, or for making it; `nil` if the file system has no locks.
  private func lockNow() throws -> FileDescriptor? {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .lost:
        LockedFiles.close(file)
        throw HistoryEraser.NotNow()
      case .impossible:
        LockedFiles.close(file)
        return nil
      }
    } catch Errno.noSuchFileOrDirectory {
      return try lockAbsence()
    } catch is Errno {
      return nil
    }
  }

  private func lockAbsence() throws -> FileDescriptor? {
    let folder: FileDescriptor?
    do {
      folder = try FolderLock.take(FilePath(path).folder.string, timeout: 0)
    } catch Errno.resourceTemporarilyUnavailable {
      throw HistoryEraser.NotNow()
    } catch {
      return nil
    }
    if folder != nil, (try? FileStatus(path: path)) != nil {
      try? folder?.close()
      throw HistoryEraser.NotNow()
    }
    return folder
  }
}
