/// How exported text is packed.
package enum ExportCompression: String, CaseIterable, Sendable {
  /// Not at all.
  case none
  /// Zstandard frames, one behind the other, each with a checksum (RFC 8878).
  case zstd
  /// Gzip members, one behind the other (RFC 1952).
  case gzip

  /// What is added to the name of a packed file; empty for one that is not.
  package var fileExtension: String {
    switch self {
    case .none: ""
    case .zstd: "zst"
    case .gzip: "gz"
    }
  }

  /// Packs bytes by themselves.
  ///
  /// - Throws: ``CompressionError``.
  func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    var compressor = ExportCompressor(self)
    return try bytes.withUnsafeBytes { try compressor.pack($0) }
  }

  /// What a file without text consists of: a packed one of no bytes at all would be a torn one.
  ///
  /// - Throws: ``CompressionError``.
  func packNothing() throws -> [UInt8] {
    var compressor = ExportCompressor(self)
    return try compressor.frame(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

/// What a compression library refused to do: too little memory, in practice.
package struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the library says.
  package let description: String
}
