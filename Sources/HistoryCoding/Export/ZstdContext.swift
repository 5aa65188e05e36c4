import CZstd

/// A context of libzstd, which is dear to make.
///
/// Its frames have a checksum and say how much they hold.
package final class ZstdContext {
  private let context: OpaquePointer

  /// How hard to compress.
  ///
  /// Records repeat in long pieces, so shorter matches cost time and bytes; and a table of these sizes
  /// stays in the processor's nearest caches. A fifth faster than what the levels have, and no larger.
  package struct Effort: Sendable {
    fileprivate let level: CInt
    fileprivate let shortestMatch: CInt
    fileprivate let tableLog: CInt

    /// Text of this kind packs to an eighth, as fast as it is made.
    package static let fast = Effort(level: 1, shortestMatch: 7, tableLog: 13)
    /// For what is kept: a fifth smaller; what makes it smaller still takes several times longer.
    package static let thorough = Effort(level: 6, shortestMatch: 6, tableLog: 14)
  }

  /// Makes a context.
  ///
  /// - Throws: ``CompressionError``.
  package init(_ effort: Effort) throws(CompressionError) {
    guard let context = ZSTD_createCCtx() else {
      throw CompressionError(description: "zstd has no memory left to compress with")
    }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, effort.level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, effort.shortestMatch)
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, effort.tableLog)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
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
