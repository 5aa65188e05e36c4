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
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }

    init?(path: String) {
      guard let status = FileStatus(entry: FilePath(path)) else { return nil }
      self.init(status)
    }
  }

  private struct Kept {
    let descriptor: FileDescriptor
    let isReadable: Bool
  }

  private struct State {
    var uses: [ObjectIdentifier: Place] = [:]
    var kept: [Identity: [Kept]] = [:]

    func isLocked(_ identity: Identity) -> Bool { uses.values.contains { $0.has(identity) } }
  }

  /// Where a connection has locks: on the file, and on the index of its log.
  private struct Place {
    /// The file; `nil` if it is not known which one a connection has open.
    let main: Identity?
    let index: String

    func has(_ identity: Identity) -> Bool {
      main == nil || main == identity || Identity(path: index) == identity
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
        main: isMoved() ? nil : found.flatMap { $0 }.map(Identity.init(_:)), index: path + "-shm")
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
      if !state.uses.isEmpty, let identity = FileStatus(descriptor).map(Identity.init(_:)),
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
      let identity = Identity(status)
      guard let place = state.kept[identity]?.lastIndex(where: \.isReadable),
        let kept = state.kept[identity]?.remove(at: place)
      else { return nil }
      lseek(kept.descriptor.rawValue, 0, SEEK_SET)
      return kept.descriptor
    }
  }
}

/// A file that is open for reading, and whose closing drops no locks of SQLite.
///
/// All files are read through it: any of them may be a store under another name.
package final class ReadableFile: Sendable {
  /// The status of the file when it was opened.
  package let status: FileStatus
  private let descriptor: FileDescriptor

  /// Opens a regular file, without waiting for a program that writes into a pipe.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - followsLink: Whether a link is followed.
  /// - Throws: The system's error, and ``FileProblem`` for a folder, a pipe, a socket or a device.
  package convenience init(_ path: FilePath, followsLink: Bool = true) throws {
    try self.init(
      Self.open(path, in: AT_FDCWD, flags: O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)))
    if case .other(let kind) = status.kind {
      throw FileProblem(path: path.shown, reason: "it is a \(kind), not a file")
    }
  }

  /// Opens whatever has a path, such as a pipe, and waits for its writer.
  ///
  /// - Throws: The system's error.
  package convenience init(anyAt path: FilePath) throws(Errno) {
    try self.init(Self.open(path, in: AT_FDCWD, flags: 0))
  }

  /// Opens a file or anything else in a folder that is open, without following a link.
  ///
  /// - Throws: The system's error.
  package convenience init(_ name: String, in folder: FileDescriptor) throws(Errno) {
    try self.init(
      Self.open(FilePath(name), in: folder.rawValue, flags: O_NONBLOCK | O_NOFOLLOW))
  }

  /// Opens a file or anything else at a place.
  ///
  /// - Throws: As ``FilePlace/open(_:permissions:)``.
  package convenience init(_ place: FilePlace) throws(Errno) {
    if let found = try place.status(), found.st_mode & S_IFMT == S_IFREG,
      let kept = LockedFiles.kept(FileStatus(found))
    {
      try self.init(kept)
    } else {
      try self.init(place.open(O_RDONLY | O_NONBLOCK))
    }
  }

  private static func open(
    _ path: FilePath, in folder: CInt, flags: CInt
  ) throws(Errno) -> FileDescriptor {
    var found = stat()
    let follows = flags & O_NOFOLLOW == 0
    let isThere = path.withPlatformString {
      fstatat(folder, $0, &found, follows ? 0 : AT_SYMLINK_NOFOLLOW)
    }
    if isThere == 0, found.st_mode & S_IFMT == S_IFREG,
      let kept = LockedFiles.kept(FileStatus(found))
    {
      return kept
    }
    while true {
      let number = path.withPlatformString { openat(folder, $0, O_RDONLY | O_CLOEXEC | flags) }
      if number >= 0 { return FileDescriptor(rawValue: number) }
      let error = Errno(rawValue: errno)
      if error != .interrupted { throw error }
    }
  }

  /// Takes over an open descriptor.
  package init(_ descriptor: FileDescriptor) throws(Errno) {
    self.descriptor = descriptor
    var found = stat()
    let result = fstat(descriptor.rawValue, &found)
    let error = errno
    status = FileStatus(found)
    guard result == 0 else { throw Errno(rawValue: error) }
  }

  deinit { LockedFiles.close(descriptor, isReadable: true) }

  /// Reads up to `count` bytes from the start of the file.
  package func readPrefix(_ count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try fill(UnsafeMutableRawBufferPointer(buffer), from: 0)
    }
  }

  /// Fills a buffer from an offset, and returns the number of bytes, which is smaller at the end of the file.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int64) throws -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = try descriptor.read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// Reads the next bytes, and returns their number, which is 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try descriptor.read(into: buffer)
  }

  /// Waits until the content of the file would survive a loss of power.
  package func synchronize() throws(Errno) { try descriptor.synchronize() }

  /// Calls a closure with the descriptor, which must not be closed.
  package func withDescriptor<Result>(
    _ body: (FileDescriptor) throws -> Result
  ) rethrows -> Result {
    // The descriptor must outlive the closure.
    try withExtendedLifetime(self) { try body(descriptor) }
  }
}
