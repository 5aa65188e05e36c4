import Libc
import SystemPackage

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
    guard status.kind == .file else {
      throw FileProblem(path: path.shown, reason: "it is a \(status.kind.name), not a file")
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
    let exists = path.withPlatformString {
      fstatat(folder, $0, &found, follows ? 0 : AT_SYMLINK_NOFOLLOW)
    }
    if exists == 0, found.st_mode & S_IFMT == S_IFREG,
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

  /// Writes the rest of the file to another one, and passes on the length of each piece.
  package func copy(
    to output: FileDescriptor, progress: (Int64) throws -> Void = { _ in }
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try read(into: buffer), count > 0 {
      try output.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      try progress(Int64(count))
    }
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
