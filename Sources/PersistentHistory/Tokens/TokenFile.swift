import DurableFiles
import Libc
import SystemPackage

extension TokenContent {
  /// The maximum length of a file in bytes; an app's preferences hold more than a token.
  private static let limit = 2 << 20

  /// Reads a token from a file or, for `-`, from standard input.
  ///
  /// - Parameter reference: The path, and after `#` the key of a value in a property list or JSON. A file
  ///   whose name has that `#` is preferred.
  /// - Throws: ``HistoryError/unreadableToken(path:reason:)``.
  init(fileAt reference: String) throws(HistoryError) {
    let (path, key) = Self.split(reference)
    do {
      var bytes = try SmallFile.read(path, limit: Self.limit)[...]
      // Editors on some systems begin a text with a byte order mark.
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
      try self.init(Array(bytes), key: key)
    } catch let failure as SmallFile.Failure {
      throw .unreadableToken(path: path, reason: failure.text)
    } catch {
      throw .unreadableToken(path: path, reason: "\(error)")
    }
  }

  private static func split(_ reference: String) -> (path: String, key: String?) {
    func exists(_ path: Substring) -> Bool {
      do {
        return try path == "-" || FileStatus(path: String(path)) != nil
      } catch {
        return false
      }
    }
    let marks = reference.indices.filter { reference[$0] == "#" }
    guard !marks.isEmpty, !exists(reference[...]) else { return (reference, nil) }
    let mark = marks.first { exists(reference[..<$0]) } ?? marks[0]
    return (String(reference[..<mark]), String(reference[mark...].dropFirst()))
  }
}

/// Reads files that should be small: tokens and bookmarks.
enum SmallFile {
  /// The maximum length in bytes.
  static let limit = 1 << 20

  enum Failure: Error, Hashable {
    case missing
    case tooLarge(limit: Int)
    case noFile
    case system(Errno)

    var text: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge(let limit): "it is larger than \(limit >> 20) MiB"
      case .noFile: "it is not a file"
      case .system(let error): error.description
      }
    }
  }

  /// Reads a file or a pipe, or standard input for `-`.
  static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
    try read {
      guard path != "-" else {
        return try read(limit) { try FileDescriptor.standardInput.read(into: $0) }
      }
      let file = try ReadableFile(anyAt: FilePath(path))
      return try read(limit, file.read(into:))
    }
  }

  /// Reads a regular file. A pipe in its place would make every command wait.
  static func readFile(_ path: String) throws(Failure) -> [UInt8] {
    try read {
      let file = try ReadableFile(FilePath(path))
      return try read(limit, file.read(into:))
    }
  }

  private static func read(_ body: () throws -> [UInt8]) throws(Failure) -> [UInt8] {
    do {
      return try body()
    } catch let failure as Failure {
      throw failure
    } catch Errno.noSuchFileOrDirectory, Errno.fileNameTooLong {
      throw .missing
    } catch is FileProblem {
      throw .noFile
    } catch {
      throw .system(error as? Errno ?? .ioError)
    }
  }

  private static func read(
    _ limit: Int, _ next: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try next(buffer), count > 0 {
      bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      guard bytes.count <= limit else { throw Failure.tooLarge(limit: limit) }
    }
    return bytes
  }
}
