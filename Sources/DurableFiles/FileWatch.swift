import Libc
import SystemPackage

/// Waits for changes in one folder, using the system's notifications: of the contents of some files, and of all
/// names.
///
/// Some file systems, such as network ones, send no notifications. So wait with a time limit, and examine the
/// files when it ends. If the folder itself was moved or removed, create another watch.
package final class FileWatch {
  private let names: Set<String>
  private let folder: FilePath
  private let notifications: FileDescriptor?

  #if canImport(Darwin)
  private var watched: [FileDescriptor] = []
  #endif

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - names: The names of the files whose contents are watched, which need not exist. On macOS they are opened
  ///     and closed, which drops the locks of this process on them.
  ///   - folder: The path of their folder.
  package init(_ names: Set<String>, in folder: String) {
    self.names = names
    self.folder = FilePath(folder)
    #if canImport(Darwin)
    let queue = kqueue()
    notifications = queue >= 0 ? FileDescriptor(rawValue: queue) : nil
    #else
    let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    let events =
      IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF
      | IN_MOVE_SELF
    if queue >= 0, inotify_add_watch(queue, folder, UInt32(events)) < 0 {
      notifications = nil
      _ = Libc.close(queue)
    } else {
      notifications = queue >= 0 ? FileDescriptor(rawValue: queue) : nil
    }
    #endif
  }

  deinit {
    #if canImport(Darwin)
    for file in watched { LockedFiles.close(file) }
    #endif
    try? notifications?.close()
  }

  /// Waits for a change, a signal or a timeout; returns whether a file has changed.
  ///
  /// A change that happened since the last call is reported at once.
  package func wait(seconds: Double) -> Bool {
    guard let notifications else {
      Pause.take(seconds: seconds)
      return false
    }
    #if canImport(Darwin)
    watch(notifications)
    var event = Darwin.kevent()
    var limit = timespec(
      tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
    return Darwin.kevent(notifications.rawValue, nil, 0, &event, 1, &limit) > 0
    #else
    let start = ContinuousClock.now
    while true {
      let left = seconds - start.secondsAgo
      var request = pollfd(fd: notifications.rawValue, events: Int16(POLLIN), revents: 0)
      guard left >= 0, poll(&request, 1, Int32((left * 1000).rounded(.up))) > 0 else {
        return false
      }
      if readsChange(notifications) { return true }
    }
    #endif
  }

  #if canImport(Darwin)
  /// Watches the folder, and the files that it has now. Events are about open files, not about names.
  private func watch(_ queue: FileDescriptor) {
    for file in watched { LockedFiles.close(file) }
    watched = ([folder] + names.sorted().map { folder.appending($0) }).compactMap {
      try? FileDescriptor.open($0, .init(rawValue: O_EVTONLY), options: .closeOnExec)
    }
    let events = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME
    for file in watched {
      var change = Darwin.kevent(
        ident: UInt(file.rawValue), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
        fflags: UInt32(events), data: 0, udata: nil)
      _ = Darwin.kevent(queue.rawValue, &change, 1, nil, 0, nil)
    }
  }
  #else
  /// Reads all notifications that have arrived; returns whether one is about a file that is watched.
  private func readsChange(_ queue: FileDescriptor) -> Bool {
    var hasChange = false
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
      let header = MemoryLayout<inotify_event>.size
      while let count = try? queue.read(into: buffer), count >= header {
        var place = 0
        while place + header <= count {
          let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let bytes = buffer[(place + header)..<min(count, place + header + Int(event.len))]
          let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
          // An event without a name says that others were lost, or that the folder is gone.
          let isContent = event.mask & UInt32(IN_MODIFY) != 0
          hasChange = hasChange || name.isEmpty || !isContent || names.contains(name)
          place += header + Int(event.len)
        }
      }
    }
    return hasChange
  }
  #endif
}
