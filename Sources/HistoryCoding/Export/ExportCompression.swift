import CZlib
import StoreFormat

/// How exported text is compressed.
package enum ExportCompression: String, CaseIterable, Sendable {
  /// No compression.
  case none
  /// Zstandard frames with checksums (RFC 8878).
  case zstd
  /// Gzip members (RFC 1952).
  case gzip

  /// The extension of a file's name; empty without compression.
  package var fileExtension: String {
    switch self {
    case .none: ""
    case .zstd: "zst"
    case .gzip: "gz"
    }
  }

  /// Compresses bytes.
  func pack(_ bytes: [UInt8]) throws -> [UInt8] {
    var compressor = ExportCompressor(self)
    return try bytes.withUnsafeBytes { try compressor.pack($0) }
  }

  /// Returns the content of a file without text, which is not empty in a compressed format.
  func packNothing() throws -> [UInt8] {
    var compressor = ExportCompressor(self)
    return try compressor.frame(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}

/// A failure of a compression library, such as a lack of memory.
package struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// Compresses pieces of text, each into its own frame or member.
///
/// In both formats frames can be concatenated, so that threads can compress the pieces of one file.
struct ExportCompressor {
  private static let gzipLevel: CInt = 1

  private let compression: ExportCompression
  private var zstd: ZstdContext?

  init(_ compression: ExportCompression) { self.compression = compression }

  /// Compresses the text of an encoder.
  mutating func pack(_ encoder: some HistoryEncoder) throws -> [UInt8] {
    try encoder.withUnsafeBytes { try pack($0) }
  }

  /// Compresses bytes; returns no bytes for none.
  mutating func pack(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    bytes.isEmpty ? [] : try frame(bytes)
  }

  /// Compresses bytes into a frame or member, which may be empty.
  mutating func frame(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    switch compression {
    case .none: return Array(bytes)
    case .zstd:
      let context = try zstd ?? ZstdContext(.quick)
      zstd = context
      return try context.pack(bytes)
    case .gzip: return try Self.gzip(bytes)
    }
  }

  private static func gzip(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    var stream = z_stream()
    // 16 more than the window's size selects the gzip format.
    guard czlib_deflate_init(&stream, gzipLevel, MAX_WBITS + 16) == Z_OK else {
      throw CompressionError(description: "zlib has no memory left to compress with")
    }
    defer { deflateEnd(&stream) }
    let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
    var status = Z_OK
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      stream.next_in = UnsafeMutablePointer(
        mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
      stream.avail_in = UInt32(clamping: bytes.count)
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(clamping: capacity)
      status = CZlib.deflate(&stream, Z_FINISH)
      count = capacity - Int(stream.avail_out)
    }
    guard status == Z_STREAM_END else {
      throw CompressionError(description: "zlib could not compress: error \(status)")
    }
    return packed
  }
}

/// Compresses each piece of the text of windows.
struct TextPacker<Encoder: HistoryEncoder>: WindowPacker {
  var encoder: Encoder
  private(set) var takenByteCount = 0
  var byteCount: Int { encoder.byteCount }
  private var compressor: ExportCompressor
  private let compression: ExportCompression

  init(_ encoder: Encoder, _ compression: ExportCompression) {
    self.encoder = encoder
    self.compression = compression
    compressor = ExportCompressor(compression)
  }

  mutating func begin(_ window: HistoryWindow) {
    encoder.removeAll()
    takenByteCount = 0
  }

  func drain(passingOn passOn: @escaping ([UInt8]) throws -> Void) -> TextDrain? {
    var compressor = ExportCompressor(compression)
    return TextDrain { try passOn(compressor.pack($0)) }
  }

  mutating func end(_ position: TransactionPosition) {}

  mutating func takePiece(in position: TransactionPosition?) throws -> [UInt8] { try finish() }

  mutating func finish() throws -> [UInt8] {
    takenByteCount += encoder.byteCount
    defer { encoder.removeAll() }
    return try compressor.pack(encoder)
  }
}
