import CZstd

/// A context of libzstd, which is expensive to create.
///
/// Its frames have a checksum and say how much they hold. The matches are those that a
/// ``RecordMatchFinder`` finds, which packs records six times as fast as a level of zstd that makes
/// them as small.
package final class ZstdContext {
  private let context: OpaquePointer
  private var finder = RecordMatchFinder()
  /// Where a frame is made: kept, since so much memory would be given back and cleared every time.
  private var room: [UInt8] = []

  /// Makes a context.
  ///
  /// - Throws: ``CompressionError``.
  package init() throws(CompressionError) {
    guard let context = ZSTD_createCCtx() else {
      throw CompressionError(description: "zstd has no memory left to compress with")
    }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, RecordMatchFinder.windowLog)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    ZSTD_CCtx_setParameter(
      context, ZSTD_c_experimentalParam11, CInt(ZSTD_sf_explicitBlockDelimiters.rawValue))
    // A match that is none would make a frame that cannot be unpacked.
    ZSTD_CCtx_setParameter(context, ZSTD_c_experimentalParam12, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Packs bytes into one frame.
  ///
  /// - Throws: ``CompressionError``.
  package func pack(_ bytes: UnsafeRawBufferPointer) throws(CompressionError) -> [UInt8] {
    let capacity = ZSTD_compressBound(bytes.count)
    if room.count < capacity { room = [UInt8](repeating: 0, count: capacity) }
    let result = room.withUnsafeMutableBufferPointer { pack(bytes, into: $0) }
    guard ZSTD_isError(result) == 0 else {
      throw CompressionError(
        description: "zstd could not compress: \(String(cString: ZSTD_getErrorName(result)))")
    }
    return Array(room[..<result])
  }

  private func pack(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    if bytes.count <= RecordMatchFinder.longestText {
      let result = finder.withSequences(of: bytes) { sequences in
        ZSTD_compressSequences(
          context, target.baseAddress, target.count, sequences.baseAddress, sequences.count,
          bytes.baseAddress, bytes.count)
      }
      assert(ZSTD_isError(result) == 0, "zstd refuses matches that were compared")
      guard ZSTD_isError(result) != 0 else { return result }
      ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
    }
    return ZSTD_compress2(
      context, target.baseAddress, target.count, bytes.baseAddress, bytes.count)
  }
}
