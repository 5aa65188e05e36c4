import DurableFiles
import Libc
import SystemPackage

/// A regular file, opened for reading. Pipes and devices are refused before anything is read.
final class ArchiveFile: Sendable {
  private static let pieceSize = 1 << 18

  let path: String
  let size: Int64
  private let file: ReadableFile

  init(_ place: FilePlace) throws(ArchiveError) {
    do {
      file = try ReadableFile(place)
    } catch {
      throw .reading(place, error)
    }
    path = place.path
    size = file.status.size
    guard file.status.kind == .file else {
      throw .unreadable(path: path, reason: "it is not a regular file")
    }
  }

  init(_ file: ReadableFile, size: Int64, path: String) {
    self.file = file
    self.size = size
    self.path = path
  }

  /// Reads exactly `count` bytes.
  func read(at offset: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= size, Int64(count) <= size - offset else {
      throw endsTooEarly(at: size)
    }
    let bytes: [UInt8]
    do {
      bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = try file.fill(
          UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count), from: offset)
      }
    } catch {
      throw .unreadable(path: path, reason: Self.reason(error))
    }
    guard bytes.count == count else { throw endsTooEarly(at: offset + Int64(bytes.count)) }
    return bytes
  }

  private func endsTooEarly(at offset: Int64) -> ArchiveError {
    .damaged(path: path, place: "byte \(offset)", detail: "the file ends too early")
  }

  /// Computes the digest of the whole file.
  func digest() throws(ArchiveError) -> ArchiveDigest {
    var hasher = ArchiveHasher()
    var offset: Int64 = 0
    while offset < size {
      let piece = try read(at: offset, count: Int(min(size - offset, Int64(Self.pieceSize))))
      piece.withUnsafeBytes { hasher.update($0) }
      offset += Int64(piece.count)
    }
    return hasher.digest
  }

  /// Asks the system to read the file from the disk again.
  func forgetCachedPages() {
    #if canImport(Darwin)
    _ = file.withDescriptor { fcntl($0.rawValue, F_NOCACHE, 1) }
    #else
    _ = file.withDescriptor { posix_fadvise($0.rawValue, 0, 0, POSIX_FADV_DONTNEED) }
    #endif
  }

  /// Throws an error if the file is larger than a limit.
  func check(limit: Int64) throws(ArchiveError) {
    guard size <= limit else {
      throw .damaged(
        path: path, place: "its size", detail: "it is larger than \(limit >> 20) MiB")
    }
  }

  /// Reads a whole file that is not larger than a limit.
  static func contents(of place: FilePlace, limit: Int) throws(ArchiveError) -> [UInt8] {
    let file = try ArchiveFile(place)
    try file.check(limit: Int64(limit))
    return try file.read(at: 0, count: Int(file.size))
  }

  /// Returns the kind of a file, a folder or a link, or `nil` where nothing exists.
  static func kind(of place: FilePlace) throws(ArchiveError) -> FileStatus.Kind? {
    do {
      return try place.status().map { FileStatus($0).kind }
    } catch {
      throw .reading(place, error)
    }
  }

  /// Returns the names in a folder that contain a text.
  static func names(
    in folder: OpenFolder, containing text: String = ""
  ) throws(ArchiveError) -> [String] {
    do {
      return try folder.names(containing: text)
    } catch {
      throw .unreadable(path: folder.path, reason: error.description)
    }
  }

  static func reason(_ error: any Error) -> String {
    (error as? Errno)?.description ?? "\(error)"
  }
}

/// A file without a name, which the system deletes when it is closed.
final class TemporaryFile {
  private let folder: String
  private let descriptor: FileDescriptor
  private(set) var byteCount: Int64 = 0

  init() throws(ArchiveError) {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    folder = named.isEmpty ? "/tmp" : named
    var template = Array((folder + "/histctl-XXXXXX").utf8CString)
    let number = template.withUnsafeMutableBufferPointer { buffer -> CInt in
      guard let name = buffer.baseAddress else { return -1 }
      let number = mkstemp(name)
      if number >= 0 { unlink(name) }
      return number
    }
    guard number >= 0 else {
      throw .unwritable(path: folder, reason: Errno(rawValue: errno).description)
    }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    descriptor = FileDescriptor(rawValue: number)
  }

  // The written bytes are no longer needed.
  deinit { try? descriptor.close() }

  /// Appends bytes and returns the offset at which they begin.
  func append(_ bytes: [UInt8]) throws(ArchiveError) -> Int64 {
    do {
      _ = try bytes.withUnsafeBytes { try descriptor.writeAll($0) }
    } catch {
      throw .unwritable(path: folder, reason: ArchiveFile.reason(error))
    }
    defer { byteCount += Int64(bytes.count) }
    return byteCount
  }

  /// Opens the file for reading. It stays open after this object is released.
  ///
  /// - Parameter path: The path for messages.
  func opened(as path: String) throws(ArchiveError) -> ArchiveFile {
    do {
      return ArchiveFile(try ReadableFile(descriptor.duplicate()), size: byteCount, path: path)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
  }
}
