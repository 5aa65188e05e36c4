import DurableFiles
import HistoryCoding
import StoreFormat

/// A SHA-256 digest.
package struct ArchiveDigest: Hashable, Sendable {
  /// All bits zero: the digest for a missing predecessor.
  package static let none = ArchiveDigest([UInt8](repeating: 0, count: SHA256Hasher.byteCount))

  // Words rather than an array: a catalog in memory has two digests for each of its lines.
  private let words: SIMD4<UInt64>

  fileprivate init(_ bytes: some Sequence<UInt8>) {
    var words = SIMD4<UInt64>()
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: Array(bytes)) }
    self.words = words
  }

  init(of bytes: [UInt8]) { self.init(SHA256Hasher.digest(of: bytes)) }

  init(of bytes: UnsafeRawBufferPointer) {
    var hasher = ArchiveHasher()
    hasher.update(bytes)
    self = hasher.digest
  }

  /// Reads 64 lower-case hexadecimal digits, or returns `nil` for any other text.
  init?(hexadecimal text: String) {
    guard text.utf8.count == SHA256Hasher.byteCount * 2, let bytes = Hexadecimal.bytes(of: text)
    else {
      return nil
    }
    self.init(bytes)
    guard description == text else { return nil }
  }
}

extension ArchiveDigest: CustomStringConvertible {
  /// The digest as 64 lower-case hexadecimal digits.
  package var description: String {
    withUnsafeBytes(of: words) { Hexadecimal.text(of: Array($0)) }
  }
}

/// Computes the digest of bytes that come piece by piece.
struct ArchiveHasher {
  private var hasher = SHA256Hasher()

  init() {}

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hasher.update(bytes)
  }

  package var digest: ArchiveDigest { ArchiveDigest(hasher.digest) }
}
