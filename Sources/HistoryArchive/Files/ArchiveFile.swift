import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file of an archive, opened for reading.
///
/// What was put there in its place (a pipe, a device) is refused before anything is read of it.
package final class ArchiveFile: Sendable {
  private static let pieceSize = 1 << 18

  /// Where the file is.
  package let path: String
  /// How many bytes it has.
  package let size: Int64
  private let descriptor: FileDescriptor

  /// Opens a file.
  ///
  /// - Throws: ``ArchiveError/missing(path:)`` or ``ArchiveError/unreadable(path:reason:)``.
  package init(path: String) throws(ArchiveError) {
    do {
      // Without waiting: a pipe would wait for its writer for ever.
      descriptor = try path.withCString {
        try FileDescriptor.open($0, .readOnly, options: [.closeOnExec, .nonBlocking])
      }
    } catch Errno.noSuchFileOrDirectory {
      throw .missing(path: path)
    } catch {
      throw .unreadable(path: path, reason: Self.reason(error))
    }
    self.path = path
    var status = stat()
    let isKnown = fstat(descriptor.rawValue, &status) == 0
    size = isKnown ? Int64(status.st_size) : 0
    guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(path: path, reason: "it is no file")
    }
  }

  /// Takes a file that is open.
  init(_ descriptor: FileDescriptor, size: Int64, path: String) {
    self.descriptor = descriptor
    self.size = size
    self.path = path
  }

  deinit { try? descriptor.close() }

  /// Reads bytes from a place on, exactly so many.
  ///
  /// - Throws: ``ArchiveError/damaged(path:place:detail:)`` where the file does not have them.
  package func read(at offset: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= size, Int64(count) <= size - offset else {
      throw .damaged(path: path, place: "byte \(size)", detail: "it ends too early")
    }
    do {
      let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        while filled < count {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
          let read = try descriptor.read(
            fromAbsoluteOffset: offset + Int64(filled), into: rest)
          if read == 0 { break }
          filled += read
        }
      }
      guard bytes.count == count else {
        throw ArchiveError.damaged(
          path: path, place: "byte \(offset + Int64(bytes.count))", detail: "it ends too early")
      }
      return bytes
    } catch let error as ArchiveError {
      throw error
    } catch {
      throw .unreadable(path: path, reason: Self.reason(error))
    }
  }

  /// The digest of all that is in the file.
  ///
  /// - Throws: ``ArchiveError``.
  package func digest() throws(ArchiveError) -> ArchiveDigest {
    var hasher = ArchiveHasher()
    var offset: Int64 = 0
    while offset < size {
      let piece = try read(at: offset, count: Int(min(size - offset, Int64(Self.pieceSize))))
      piece.withUnsafeBytes { hasher.update($0) }
      offset += Int64(piece.count)
    }
    return hasher.digest
  }

  /// Asks the system to read the file from the disk again, as far as it can be asked.
  func forgetCachedPages() {
    #if canImport(Darwin)
    _ = fcntl(descriptor.rawValue, F_NOCACHE, 1)
    #else
    _ = posix_fadvise(descriptor.rawValue, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }

  /// Reads a whole file that must not be larger than a limit.
  static func contents(of path: String, limit: Int) throws(ArchiveError) -> [UInt8] {
    let file = try ArchiveFile(path: path)
    try check(file.size, of: path, limit: Int64(limit))
    return try file.read(at: 0, count: Int(file.size))
  }

  /// Sees that a file is no larger than a limit.
  static func check(_ size: Int64, of path: String, limit: Int64) throws(ArchiveError) {
    guard size <= limit else {
      throw .damaged(
        path: path, place: "its size", detail: "it is larger than \(limit >> 20) MiB")
    }
  }

  static func reason(_ error: any Error) -> String {
    (error as? Errno)?.description ?? "\(error)"
  }
}
