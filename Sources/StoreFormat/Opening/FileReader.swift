import DurableFiles
import SystemPackage

/// Reads a file in pieces of one length, without following a link or waiting for a pipe.
final class FileReader {
  private let file: ReadableFile
  private let buffer: UnsafeMutableRawBufferPointer
  private var offset: Int64 = 0

  /// Opens a file; returns `nil` where there is none.
  ///
  /// - Throws: The system's error, and ``FileProblem`` for anything else than a file.
  package init?(_ path: String) throws {
    switch FileMove.entry(at: path) {
    case .none: return nil
    case .file: break
    case .folder, .link, .other: throw FileProblem(path: path, reason: "it is not a file")
    }
    file = try ReadableFile(FilePath(path), followsLink: false)
    buffer = .allocate(byteCount: 1 << 18, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Returns the next bytes, which are valid until the next call; none at the end.
  package func next() throws -> UnsafeRawBufferPointer {
    let count = try file.fill(buffer, from: offset)
    offset += Int64(count)
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }
}

/// The length and the SHA-256 digest of a file.
package struct FileDigest: Hashable, Sendable {
  package let byteCount: Int64
  /// The digest in lower-case hexadecimal digits.
  package let digest: String

  package init(byteCount: Int64, digest: String) {
    self.byteCount = byteCount
    self.digest = digest
  }

  /// Reads a file; returns `nil` where there is none.
  ///
  /// - Throws: As ``FileReader``.
  package init?(ofFileAt path: String) throws {
    guard let reader = try FileReader(path) else { return nil }
    var hasher = SHA256Hasher()
    var count: Int64 = 0
    while case let piece = try reader.next(), !piece.isEmpty {
      hasher.update(piece)
      count += Int64(piece.count)
    }
    self.init(byteCount: count, digest: Hexadecimal.text(of: hasher.digest))
  }
}
