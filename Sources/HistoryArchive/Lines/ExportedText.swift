import HistoryCoding
import Libc
import StoreFormat
import SystemPackage

/// The decompressed text of an exported file or of standard input.
///
/// ```swift
/// let text = try ExportedText(path: "history.jsonl.zst")
/// while let piece = try text.next() { … }
/// ```
package final class ExportedText {
  /// The path that stands for standard input.
  package static let standardInput = "-"
  private static let suffixes = [".jsonl", ".jsonl.zst", ".jsonl.gz"]

  /// The file, for messages.
  package let path: String
  private let unpacker: TextUnpacker

  /// Opens a file.
  ///
  /// - Parameter path: The file, or ``standardInput``.
  package init(path: String) throws(ArchiveError) {
    let isInput = path == Self.standardInput
    self.path = isInput ? "standard input" : path
    let descriptor: FileDescriptor
    do {
      descriptor =
        isInput
        ? try FileDescriptor.standardInput.duplicate()
        : try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
    } catch {
      throw .unreadable(path: self.path, reason: ArchiveFile.reason(error))
    }
    let file = OpenFile(descriptor)
    unpacker = TextUnpacker { buffer in try file.descriptor.read(into: buffer) }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw .unreadable(path: self.path, reason: "it is not a file")
    }
  }

  /// Whether a path is standard input or has the name of exported lines.
  package static func isName(_ path: String) -> Bool {
    path == standardInput || suffixes.contains { path.hasSuffix($0) }
  }

  /// Whether a file begins like exported lines or compressed text. Returns `false` for a file that
  /// cannot be read; opening it reports why.
  package static func isLikely(at path: String) -> Bool {
    guard
      let descriptor = try? FileDescriptor.open(
        FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return false }
    defer { try? descriptor.close() }
    var start = [UInt8](repeating: 0, count: 4)
    guard let count = try? start.withUnsafeMutableBytes({ try descriptor.read(into: $0) }) else {
      return false
    }
    return beginnings.contains { start[..<count].starts(with: $0) }
  }

  /// The beginnings of a JSON object, a Zstandard frame and a gzip member.
  private static let beginnings: [[UInt8]] = [
    Array("{\"".utf8), [0x28, 0xB5, 0x2F, 0xFD], [0x1F, 0x8B],
  ]

  /// Returns the next piece of the text, or `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError/unreadable(path:reason:)``, or
  ///   ``ArchiveError/damagedText(path:line:detail:)`` if it cannot be decompressed.
  package func next() throws(ArchiveError) -> [UInt8]? {
    do {
      return try unpacker.next()
    } catch let error as UnpackingError {
      throw .damagedText(path: path, line: nil, detail: error.description)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
  }

  /// Closes the file when the text is released.
  private final class OpenFile {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit { try? descriptor.close() }
  }
}
