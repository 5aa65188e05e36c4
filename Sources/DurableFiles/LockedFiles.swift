import Libc
import Synchronization
import SystemPackage

/// The files that SQLite may have locked for this process, by device and inode.
///
/// Closing any descriptor of a file, opened by whatever name, drops all locks that the process holds on it
/// (<https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>).
/// So a descriptor is closed only when no connection has its file open. Until then it is kept, and serves the next
/// reading.
package enum LockedFiles {
  private struct Kept {
    let descriptor: FileDescriptor
    let isReadable: Bool
  }

  private struct State {
    var uses: [ObjectIdentifier: Place] = [:]
    var kept: [FileStatus.Identity: [Kept]] = [:]

    func isLocked(_ identity: FileStatus.Identity) -> Bool {
      uses.values.contains { $0.has(identity) }
    }
  }

  /// Where a connection has locks: on the file, and on the index of its log.
  private struct Place {
    /// The file; `nil` if it is not known which one a connection has open.
    let main: FileStatus.Identity?
    let index: FilePath

    func has(_ identity: FileStatus.Identity) -> Bool {
      main == nil || main == identity || FileStatus(entry: index)?.identity == identity
    }
  }

  private static let state = Mutex(State())

  /// The time during which a connection has a file open.
  package final class Use: Sendable {
    /// Begins a use, before the connection takes its first lock.
    ///
    /// - Parameters:
    ///   - path: The path by which the connection has opened the file.
    ///   - isMoved: Returns whether another file has the path now.
    package init(ofFileAt path: String, isMoved: () -> Bool) {
      let found = try? FileStatus(path: path)
      let place = Place(
        main: isMoved() ? nil : found?.identity, index: FilePath(path + "-shm"))
      state.withLock { $0.uses[ObjectIdentifier(self)] = place }
    }

    deinit {
      state.withLock { state in
        state.uses[ObjectIdentifier(self)] = nil
        for (identity, kept) in state.kept where !state.isLocked(identity) {
          for kept in kept { try? kept.descriptor.close() }
          state.kept[identity] = nil
        }
      }
    }
  }

  /// Closes a descriptor, or keeps it while a connection has the file open.
  ///
  /// - Parameter isReadable: Whether it can serve readings.
  package static func close(_ descriptor: FileDescriptor, isReadable: Bool = false) {
    state.withLock { state in
      // A connection that opens the file later has to wait here before it takes a lock.
      if !state.uses.isEmpty, let identity = FileStatus(descriptor)?.identity,
        state.isLocked(identity)
      {
        // Closing would end this lock, too.
        flock(descriptor.rawValue, LOCK_UN)
        state.kept[identity, default: []]
          .append(Kept(descriptor: descriptor, isReadable: isReadable))
      } else {
        try? descriptor.close()
      }
    }
  }

  /// Returns a descriptor that was kept, from the beginning of the file.
  static func kept(_ status: FileStatus) -> FileDescriptor? {
    state.withLock { state in
      guard let place = state.kept[status.identity]?.lastIndex(where: \.isReadable),
        let kept = state.kept[status.identity]?.remove(at: place)
      else { return nil }
      lseek(kept.descriptor.rawValue, 0, SEEK_SET)
      return kept.descriptor
    }
  }
}
