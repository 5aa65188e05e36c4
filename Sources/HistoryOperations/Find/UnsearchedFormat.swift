import DurableFiles
import Libc
import StoreFormat
import SystemPackage

/// Formats that may hold stores and that `find` does not search.
package enum UnsearchedFormat: String, CaseIterable, Sendable {
  case gzip, xz, bzip2, zstd, lz4, compress
  case sevenZip = "7z"
  case rar, cpio, diskImage

  /// The format in words.
  package var name: String {
    switch self {
    case .gzip, .xz, .bzip2, .zstd, .lz4, .compress: "compressed with \(rawValue)"
    case .sevenZip, .rar, .cpio: "a \(rawValue) archive"
    case .diskImage: "a disk image"
    }
  }

  /// One file of the format, which takes an s for several.
  package var noun: String {
    switch self {
    case .gzip, .xz, .bzip2, .zstd, .lz4, .compress: "\(rawValue) file"
    case .sevenZip, .rar, .cpio: "\(rawValue) archive"
    case .diskImage: "disk image"
    }
  }

  /// What to do to search it.
  package var remedy: String {
    self == .diskImage
      ? "mount it, and search the folder"
      : "unpack it with the program that packed it, and search the result"
  }

  private static let marks: [(UnsearchedFormat, [UInt8])] = [
    (.gzip, [0x1f, 0x8b]), (.xz, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), (.bzip2, Array("BZh".utf8)),
    (.zstd, [0x28, 0xb5, 0x2f, 0xfd]), (.lz4, [0x04, 0x22, 0x4d, 0x18]), (.compress, [0x1f, 0x9d]),
    (.sevenZip, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), (.rar, Array("Rar!\u{1a}\u{7}".utf8)),
    (.cpio, Array("07070".utf8)),
  ]

  private static let endings: [(String, UnsearchedFormat)] = [
    (".gz", .gzip), (".xz", .xz), (".txz", .xz), (".bz2", .bzip2), (".tbz", .bzip2),
    (".tbz2", .bzip2), (".zst", .zstd), (".lz4", .lz4), (".z", .compress), (".7z", .sevenZip),
    (".rar", .rar), (".cpio", .cpio), (".dmg", .diskImage), (".sparseimage", .diskImage),
  ]

  /// Returns the format of a file by its name; `nil` for exported lines, which hold no store.
  init?(nameOf path: FilePath) {
    let name = path.lastComponent?.string.lowercased() ?? ""
    guard !name.contains(".jsonl."),
      let format = Self.endings.first(where: { name.hasSuffix($0.0) })?.1
    else { return nil }
    self = format
  }

  /// Returns the format of a file by its first bytes, or by its name.
  init?(contentOf path: FilePath) {
    guard let file = try? ReadableFile(path, followsLink: false) else { return nil }
    let bytes = (try? file.readPrefix(8)) ?? []
    if let format = Self.marks.first(where: { bytes.starts(with: $0.1) })?.0 {
      self = format
    } else if let format = Self(nameOf: path), format == .diskImage {
      self = format
    } else {
      return nil
    }
  }
}
