import CZstd

/// A context of libzstd, which is dear to make.
///
/// Its frames have a checksum and say how much they hold.
package final class ZstdContext {
  private let context: OpaquePointer

  /// Makes a context.
  ///
  /// - Throws: ``CompressionError``.
  ///
  /// - Parameters:
  ///   - level: How hard to compress.
  ///   - shortestMatch: The least number of bytes that are worth a reference to earlier ones; nil for
  ///     what the level has.
  package init(level: CInt, shortestMatch: CInt? = nil) throws(CompressionError) {
    guard let context = ZSTD_createCCtx() else {
      throw CompressionError(description: "zstd has no memory left to compress with")
    }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    if level == 1 {
      // Records repeat in long pieces, so shorter matches cost time and bytes; and a table of this
      // size stays in the processor's nearest cache. A fifth faster, and no larger.
      ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 7)
      ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 13)
    }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    if let shortestMatch { ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, shortestMatch) }
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Packs bytes into one frame.
  ///
  /// - Throws: ``CompressionError``.
  package func pack(_ bytes: UnsafeRawBufferPointer) throws(CompressionError) -> [UInt8] {
    let capacity = ZSTD_compressBound(bytes.count)
    var result = 0
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      result = ZSTD_compress2(context, target.baseAddress, capacity, bytes.baseAddress, bytes.count)
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    guard ZSTD_isError(result) == 0 else {
      throw CompressionError(
        description: "zstd could not compress: \(String(cString: ZSTD_getErrorName(result)))")
    }
    return packed
  }
}
