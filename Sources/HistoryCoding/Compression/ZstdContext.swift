import CZstd

/// A context of libzstd, which is expensive to create.
///
/// Its frames have a checksum and their content size.
package final class ZstdContext {
  /// How much time is spent on compression.
  package enum Level: CInt, Sendable {
    /// For exports, which are read once.
    case quick = 1
    /// For archives, which are kept.
    case small = 6
  }

  private let context: OpaquePointer
  /// The buffer for a frame. It is kept, because allocating and clearing it for each frame is expensive.
  private var buffer: [UInt8] = []

  /// Creates a context.
  ///
  /// - Throws: ``CompressionError``.
  package init(_ level: Level) throws(CompressionError) {
    guard let context = ZSTD_createCCtx() else {
      throw CompressionError(description: "out of memory while compressing with zstd")
    }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level.rawValue)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Compresses bytes into one frame.
  ///
  /// - Throws: ``CompressionError``.
  package func pack(_ bytes: UnsafeRawBufferPointer) throws(CompressionError) -> [UInt8] {
    let capacity = ZSTD_compressBound(bytes.count)
    if buffer.count < capacity { buffer = [UInt8](repeating: 0, count: capacity) }
    let result = buffer.withUnsafeMutableBufferPointer { target in
      ZSTD_compress2(context, target.baseAddress, target.count, bytes.baseAddress, bytes.count)
    }
    guard ZSTD_isError(result) == 0 else {
      throw CompressionError(
        description: "zstd could not compress: \(String(cString: ZSTD_getErrorName(result)))")
    }
    return Array(buffer[..<result])
  }
}
