import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Files that people hand over and that should be small: tokens and bookmarks.
enum SmallFile {
  /// The most that is read, in bytes.
  static let limit = 1 << 20

  /// Why such a file cannot be read.
  enum Failure: Error, Hashable {
    case missing
    case tooLarge
    case noFile
    case system(Errno)

    var text: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge: "it is larger than \(SmallFile.limit >> 20) MiB"
      case .noFile: "it is no file"
      case .system(let error): error.description
      }
    }
  }

  /// Reads a file, a pipe for instance that somebody names, or with `-` standard input.
  static func read(_ path: String) throws(Failure) -> [UInt8] {
    try read {
      guard path != "-" else { return try read(from: .standardInput) }
      let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
      return try file.closeAfter { try read(from: file) }
    }
  }

  /// Reads what must be a file: a pipe in its place would be waited for by every command.
  static func readFile(_ path: String) throws(Failure) -> [UInt8] {
    try read {
      let file = try FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
      return try file.closeAfter {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
          throw Failure.noFile
        }
        return try read(from: file)
      }
    }
  }

  private static func read(_ body: () throws -> [UInt8]) throws(Failure) -> [UInt8] {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure
    } catch Errno.noSuchFileOrDirectory, Errno.fileNameTooLong {
      throw .missing
    } catch {
      throw .system(error as? Errno ?? .ioError)
    }
  }

  private static func read(from file: FileDescriptor) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try file.read(into: buffer), count > 0 {
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard bytes.count <= limit else { throw Failure.tooLarge }
    }
    return bytes
  }
}
