import DurableFiles
import StoreEditing
import StoreFormat
import SystemPackage

/// Keeps bookmarks as they are from a look at them until the history is deleted that none of them needs.
///
/// Whoever sets one has to wait as long, and then looks whether its transaction is still there.
package final class BookmarkHold {
  private let path: String
  private var seen: FileStatus?
  private var lock: FileDescriptor?

  /// Remembers what the file of bookmarks is, which is about to be looked at.
  ///
  /// - Parameter path: The file, whether it is there or not.
  package init(path: String) {
    self.path = BookmarkFile.resolved(path)
    seen = try? FileStatus(path: self.path)
  }

  deinit { release() }

  /// Keeps the bookmarks as they are until ``release()``.
  ///
  /// - Parameter check: Looks at them again, where somebody has changed them since that was done.
  /// - Throws: ``/StoreEditing/HistoryEraser/NotNow`` while somebody else changes them, and what `check`
  ///   throws.
  package func take(_ check: () throws -> Void) throws {
    release()
    lock = try lockNow()
    let present = try? FileStatus(path: path)
    guard present != seen else { return }
    try check()
    seen = present
  }

  /// Lets others change them.
  package func release() {
    try? lock?.close()
    lock = nil
  }

  /// Takes the lock of who changes the file, or makes it; nil where nobody can have it.
  private func lockNow() throws -> FileDescriptor? {
    do {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      switch FileLock.take(file, at: path) {
      case .taken: return file
      case .lost:
        try? file.close()
        throw HistoryEraser.NotNow()
      case .impossible:
        try? file.close()
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
      folder = try FolderLock.take(FilePath(path).folder.string, patience: 0)
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
