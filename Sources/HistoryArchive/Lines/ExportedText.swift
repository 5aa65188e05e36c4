import DurableFiles
import HistoryCoding
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
  let path: String
  private let unpacker: TextUnpacker

  /// Opens a file.
  ///
  /// - Parameter path: The file, or ``standardInput``.
  package init(path: String) throws(ArchiveError) {
    let isInput = path == Self.standardInput
    self.path = isInput ? "standard input" : path
    let file: ReadableFile
    do {
      file =
        isInput
        ? try ReadableFile(FileDescriptor.standardInput.duplicate())
        : try ReadableFile(anyAt: FilePath(path))
    } catch {
      throw .unreadable(path: self.path, reason: ArchiveFile.reason(error))
    }
    unpacker = TextUnpacker { buffer in try file.read(into: buffer) }
    guard file.status.kind != .directory else {
      throw .unreadable(path: self.path, reason: "it is not a file")
    }
  }

  /// Whether a path is standard input or has the name of exported lines.
  package static func isName(_ path: String) -> Bool {
    path == standardInput || suffixes.contains { path.hasSuffix($0) }
  }

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
}

/// What a file is that is not a store, by its first bytes.
package enum FileContent: Hashable, Sendable {
  /// Exported lines, also compressed.
  case lines
  /// A store that the named program unpacks.
  case packedStore(unpack: String)
  /// A file that the named program unpacks; what is in it is not known.
  case packed(unpack: String)
  /// A zip or tar file.
  case members

  /// The first bytes of compressed files, with the program that unpacks them and keeps the file.
  private static let packings: [(start: [UInt8], unpack: String)] = [
    ([0x1F, 0x8B], "gunzip -k"), ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "unxz -k"), ([0x42, 0x5A, 0x68], "bunzip2 -k"),
  ]

  /// Looks at a file; `nil` for any other content, and for a file that cannot be read, which opening it
  /// reports.
  package init?(at path: String) {
    guard let text = try? ExportedText(path: path), let start = try? text.next() else { return nil }
    let packed = Self.prefix(of: path)
    let packing = Self.packings.first { packed.starts(with: $0.start) }
    if start.starts(with: "PK".utf8) || start.dropFirst(257).starts(with: "ustar".utf8) {
      self = .members
    } else if start.starts(with: "{\"".utf8) {
      self = .lines
    } else if let packing {
      self =
        start.starts(with: Self.sqlite)
        ? .packedStore(unpack: packing.unpack) : .packed(unpack: packing.unpack)
    } else {
      return nil
    }
  }

  /// Whether a file is a SQLite database, by its first bytes.
  package static func isSQLite(at path: String) -> Bool { prefix(of: path) == sqlite }

  private static let sqlite = Array("SQLite format 3\0".utf8)

  private static func prefix(of path: String) -> [UInt8] {
    (try? ReadableFile(FilePath(path)).readPrefix(sqlite.count)) ?? []
  }
}
