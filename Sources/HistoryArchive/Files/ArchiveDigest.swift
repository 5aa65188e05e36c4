import Crypto
import HistoryCoding

/// A SHA-256 digest, by which the parts of an archive name each other.
package struct ArchiveDigest: Hashable, Sendable {
  /// How many bytes it has.
  package static let byteCount = 32
  /// What stands where there is nothing to digest: all bits zero.
  package static let none = ArchiveDigest([UInt8](repeating: 0, count: byteCount))

  /// A catalog in memory has two of them for each of its lines, so they have no memory of their own.
  private let words: SIMD4<UInt64>

  /// The bytes.
  package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  fileprivate init(_ bytes: some Sequence<UInt8>) {
    var words = SIMD4<UInt64>()
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: Array(bytes)) }
    self.words = words
  }

  /// The digest of bytes.
  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ArchiveDigest(of: $0) }
  }

  /// The digest of bytes that are only lent.
  package init(of bytes: UnsafeRawBufferPointer) {
    var hasher = ArchiveHasher()
    hasher.update(bytes)
    self = hasher.digest
  }

  /// Reads 64 hexadecimal digits in lower case; nil for any other text.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == Self.byteCount * 2, let bytes = Hexadecimal.bytes(of: text) else {
      return nil
    }
    self.init(bytes)
    guard description == text else { return nil }
  }
}

extension ArchiveDigest: CustomStringConvertible {
  /// The digest as 64 hexadecimal digits in lower case.
  package var description: String { Hexadecimal.text(of: bytes) }
}

/// Works out a digest of bytes that come piece by piece.
package struct ArchiveHasher {
  private var hash = SHA256()

  /// A digest of nothing so far.
  package init() {}

  /// Adds bytes behind those that were added.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: bytes)
  }

  /// The digest of all bytes so far.
  package var digest: ArchiveDigest { ArchiveDigest(hash.finalize()) }
}
