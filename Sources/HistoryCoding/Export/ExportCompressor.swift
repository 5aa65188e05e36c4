import CZlib

/// Packs pieces of text, each into a frame or member of its own.
///
/// Both formats may be put one behind the other, so pieces that were packed on different threads
/// make one file.
struct ExportCompressor {
  private static let gzipLevel: CInt = 1

  private let compression: ExportCompression
  private var zstd: ZstdContext?

  init(_ compression: ExportCompression) { self.compression = compression }

  /// Packs what an encoder has written.
  mutating func pack(_ encoder: some HistoryEncoder) throws -> [UInt8] {
    try encoder.withUnsafeBytes { try pack($0) }
  }

  /// Packs bytes; nothing stays nothing.
  mutating func pack(_ bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
    bytes.isEmpty ? [] : try frame(bytes)
  }

  /// Packs bytes into a frame or member, an empty one where there are none.
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
    // 16 beyond the window's size asks for gzip's frame.
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
