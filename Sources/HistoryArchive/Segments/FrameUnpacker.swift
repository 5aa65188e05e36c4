import CZstd

/// Unpacks single frames, whose size is known beforehand.
final class FrameUnpacker {
  /// The most bytes that a frame of the largest text has.
  static let mostPackedBytes = ZSTD_compressBound(ArchiveFormat.frameLimit)
  /// What a frame of zstd begins with.
  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  /// The bits of a frame's fifth byte: a checksum follows, and a dictionary is needed.
  private static let checksumBit: UInt8 = 4
  private static let dictionaryBits: UInt8 = 3

  private let context: OpaquePointer?

  init() { context = ZSTD_createDCtx() }

  deinit { ZSTD_freeDCtx(context) }

  /// Unpacks a frame; nil and the reason where it is not exactly what it should be.
  ///
  /// - Parameters:
  ///   - frame: All of the frame, and nothing else.
  ///   - textByteCount: How much text it must hold; the caller has checked that it is not too much.
  func unpack(_ frame: [UInt8], textByteCount: Int) -> (text: [UInt8]?, problem: String) {
    guard let context else { return (nil, "there is no memory left to unpack it") }
    guard frame.count > Self.magic.count, frame.starts(with: Self.magic) else {
      return (nil, "it does not begin as a frame")
    }
    guard frame[4] & Self.checksumBit != 0 else { return (nil, "it has no checksum") }
    guard frame[4] & Self.dictionaryBits == 0 else { return (nil, "it needs a dictionary") }
    guard ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count else {
      return (nil, "it does not end where it should")
    }
    guard ZSTD_getFrameContentSize(frame, frame.count) == UInt64(textByteCount) else {
      return (nil, "it holds another amount of text than it should")
    }
    var result = 0
    let text = [UInt8](unsafeUninitializedCapacity: textByteCount) { target, count in
      result = ZSTD_decompressDCtx(
        context, target.baseAddress, textByteCount, frame, frame.count)
      count = ZSTD_isError(result) == 0 ? min(result, textByteCount) : 0
    }
    guard ZSTD_isError(result) == 0 else {
      return (nil, String(cString: ZSTD_getErrorName(result)))
    }
    guard text.count == textByteCount else { return (nil, "it holds too little text") }
    return (text, "")
  }
}
