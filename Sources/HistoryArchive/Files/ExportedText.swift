import HistoryCoding
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The text of a file that was exported, or of standard input, unpacked piece by piece.
///
/// ```swift
/// let text = try ExportedText(path: "history.jsonl.zst")
/// while let piece = try text.next() { … }
/// ```
package final class ExportedText {
  /// What stands for standard input in the place of a path.
  package static let standardInput = "-"
  private static let suffixes = [".jsonl", ".jsonl.zst", ".jsonl.gz"]

  /// Where the text comes from, for messages.
  package let path: String
  private let unpacker: TextUnpacker

  /// Opens a file.
  ///
  /// - Parameter path: Where it is; ``standardInput`` for what the program is given.
  /// - Throws: ``ArchiveError/unreadable(path:reason:)``.
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
      throw .unreadable(path: self.path, reason: "it is no file")
    }
  }

  /// Whether a path is one at which lines are looked for: standard input, or a name that ends as those
  /// of exported lines do.
  package static func isName(_ path: String) -> Bool {
    path == standardInput || suffixes.contains { path.hasSuffix($0) }
  }

  /// Whether a file begins as exported lines or packed text do, whatever its name is.
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

  /// How text begins: an object of JSON, a frame of Zstandard, a member of gzip.
  private static let beginnings: [[UInt8]] = [
    Array("{\"".utf8), [0x28, 0xB5, 0x2F, 0xFD], [0x1F, 0x8B],
  ]

  /// The next piece of the text; `nil` after the last one.
  ///
  /// - Throws: ``ArchiveError/unreadable(path:reason:)``, or
  ///   ``ArchiveError/damagedText(path:line:detail:)`` where it cannot be unpacked.
  package func next() throws(ArchiveError) -> [UInt8]? {
    do {
      return try unpacker.next()
    } catch let error as UnpackingError {
      throw .damagedText(path: path, line: nil, detail: error.description)
    } catch {
      throw .unreadable(path: path, reason: ArchiveFile.reason(error))
    }
  }

  /// Closes the file in the end.
  private final class OpenFile {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit { try? descriptor.close() }
  }
}
