import CZstd

/// Unpacks zstd frames that come piece by piece.
final class ZstdUnpacking {
  /// A frame that needs more memory than 32 MiB is refused; no usual level does.
  private static let largestWindowLog: CInt = 25
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  /// What skippable frames begin with, but for the lowest four bits of the first byte.
  private static let skippableMagic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]

  /// Whether the input so far ends with a frame.
  private(set) var isComplete = true
  private let context: OpaquePointer

  init() throws(UnpackingError) {
    guard let context = ZSTD_createDCtx() else {
      throw UnpackingError(description: "zstd has no memory left to unpack with")
    }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindowLog)
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Whether bytes are the beginning of a frame.
  static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= magic.count, let first = bytes.first else { return false }
    return bytes.starts(with: magic)
      || first & 0xF0 == skippableMagic[0] && bytes.dropFirst().starts(with: skippableMagic[1...])
  }

  /// Unpacks a piece, and takes off the input what was used of it.
  func unpack(_ input: [UInt8], _ rest: inout Range<Int>) throws(UnpackingError) -> [UInt8] {
    var result = 0
    var used = 0
    let text = [UInt8](unsafeUninitializedCapacity: TextUnpacker.pieceSize) { target, count in
      input.withUnsafeBytes { bytes in
        var source = ZSTD_inBuffer(
          src: bytes.baseAddress.map { $0 + rest.lowerBound }, size: rest.count, pos: 0)
        var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        repeat {
          result = ZSTD_decompressStream(context, &output, &source)
        } while ZSTD_isError(result) == 0 && source.pos < source.size && output.pos < output.size
        used = source.pos
        count = output.pos
      }
    }
    guard ZSTD_isError(result) == 0 else {
      throw UnpackingError(
        description:
          "it cannot be unpacked with zstd: \(String(cString: ZSTD_getErrorName(result)))"
      )
    }
    rest = rest.lowerBound + used..<rest.upperBound
    isComplete = result == 0
    return text
  }
}
