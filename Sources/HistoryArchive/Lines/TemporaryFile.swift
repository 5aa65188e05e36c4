import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file without a name, which is gone when nobody has it open.
final class TemporaryFile {
  /// Where the file would be.
  let path: String
  private let descriptor: FileDescriptor
  private(set) var byteCount: Int64 = 0

  init() throws(ArchiveError) {
    let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let folder = named.isEmpty ? "/tmp" : named
    var template = Array((folder + "/histctl-XXXXXX").utf8CString)
    path = folder
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

  deinit { try? descriptor.close() }

  /// Writes bytes behind those that were written, and gives where they begin.
  func append(_ bytes: [UInt8]) throws(ArchiveError) -> Int64 {
    do {
      _ = try bytes.withUnsafeBytes { try descriptor.writeAll($0) }
    } catch {
      throw .unwritable(path: path, reason: ArchiveFile.reason(error))
    }
    defer { byteCount += Int64(bytes.count) }
    return byteCount
  }

  /// The file for reading, which stays when this is gone.
  ///
  /// - Parameter path: The path that messages name.
  func opened(as path: String) throws(ArchiveError) -> ArchiveFile {
    do {
      return ArchiveFile(try descriptor.duplicate(), size: byteCount, path: path)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
  }
}
