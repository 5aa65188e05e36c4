import CZlib
import CZstd

/// Reads text that may be compressed with zstd or gzip, piece by piece.
///
/// The first bytes determine the compression. A text may consist of several frames or members, as
/// exported files do. Memory does not grow with the text, nor with sizes that a hostile file claims.
package final class TextUnpacker {
  /// The maximum size of a piece, in bytes.
  private static let pieceSize = 1 << 18
  /// A frame that needs more memory than 32 MiB is rejected; no usual level does.
  private static let largestWindowLog: CInt = 25
  private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  /// The beginning of skippable frames, whose lowest four bits may vary.
  private static let skippableMagic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]
  private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

  private enum Method {
    case plain
    case zstd(OpaquePointer)
    /// zlib keeps a pointer back to its stream.
    case gzip(UnsafeMutablePointer<z_stream>)
  }

  private let read: (UnsafeMutableRawBufferPointer) throws -> Int
  /// The compression, once it is known.
  private var method: Method?
  private var input = [UInt8](repeating: 0, count: TextUnpacker.pieceSize)
  /// The input that is not unpacked yet.
  private var rest = 0..<0
  private var isAtEnd = false
  /// Whether the input so far ends with a frame or member.
  private var isComplete = true

  /// Creates an unpacker.
  ///
  /// - Parameter read: Fills a buffer as far as possible and returns the number of bytes; 0 at the end.
  package init(_ read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
    self.read = read
  }

  deinit {
    switch method {
    case .zstd(let context): ZSTD_freeDCtx(context)
    case .gzip(let stream):
      inflateEnd(stream)
      stream.deallocate()
    case .plain, nil: break
    }
  }

  /// Returns the next piece of the text; `nil` after the last one.
  ///
  /// - Throws: ``UnpackingError``, or what the source throws.
  package func next() throws -> [UInt8]? {
    while true {
      if rest.isEmpty { try fill() }
      let method = try self.method ?? begin()
      if rest.isEmpty, isComplete { return nil }
      let isLast = rest.isEmpty
      // Without input, unpack what the library still holds.
      let piece: [UInt8]
      switch method {
      case .plain:
        piece = Array(input[rest])
        rest = rest.upperBound..<rest.upperBound
      case .zstd(let context): piece = try unpack(context)
      case .gzip(let stream): piece = try unpack(stream)
      }
      if !piece.isEmpty { return piece }
      if isLast { throw UnpackingError(description: "the compressed text is cut short") }
    }
  }

  private func fill() throws {
    guard !isAtEnd else { return }
    let count = try input.withUnsafeMutableBytes { try read($0) }
    isAtEnd = count == 0
    rest = 0..<count
  }

  private func begin() throws -> Method {
    while rest.count < 4, !isAtEnd {
      let end = rest.upperBound
      let count = try input.withUnsafeMutableBytes {
        try read(UnsafeMutableRawBufferPointer(rebasing: $0[end...]))
      }
      isAtEnd = count == 0
      rest = rest.lowerBound..<end + count
    }
    let bytes = input[rest]
    let isSkippable =
      bytes.first.map { $0 & 0xF0 == Self.skippableMagic[0] } ?? false
      && bytes.dropFirst().starts(with: Self.skippableMagic[1...])
    let method: Method
    if bytes.starts(with: Self.zstdMagic) || isSkippable {
      guard let context = ZSTD_createDCtx() else { throw Self.outOfMemory }
      ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindowLog)
      method = .zstd(context)
    } else if bytes.starts(with: Self.gzipMagic) {
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      // Adding 16 to the window size selects the gzip format.
      guard czlib_inflate_init(stream, MAX_WBITS + 16) == Z_OK else {
        stream.deallocate()
        throw Self.outOfMemory
      }
      method = .gzip(stream)
    } else {
      method = .plain
    }
    self.method = method
    return method
  }

  private static let outOfMemory = UnpackingError(description: "out of memory while unpacking")

  private func unpack(_ context: OpaquePointer) throws -> [UInt8] {
    var result = 0
    var used = 0
    let text = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { target, count in
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
          "it cannot be unpacked with zstd: \(String(cString: ZSTD_getErrorName(result)))")
    }
    rest = rest.lowerBound + used..<rest.upperBound
    isComplete = result == 0
    return text
  }

  private func unpack(_ stream: UnsafeMutablePointer<z_stream>) throws -> [UInt8] {
    var status = Z_OK
    var left = rest.count
    let text = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { target, count in
      input.withUnsafeBufferPointer { bytes in
        stream.pointee.next_in = UnsafeMutablePointer(
          mutating: bytes.baseAddress.map { $0 + rest.lowerBound })
        stream.pointee.avail_in = UInt32(clamping: rest.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(clamping: target.count)
        repeat {
          // The previous member has ended; the next one begins.
          if status == Z_STREAM_END { inflateReset(stream) }
          status = CZlib.inflate(stream, Z_NO_FLUSH)
        } while (status == Z_OK || status == Z_STREAM_END) && stream.pointee.avail_in > 0
          && stream.pointee.avail_out > 0
        // zlib could make no progress, which is not an error here.
        if status == Z_BUF_ERROR { status = Z_OK }
        left = Int(stream.pointee.avail_in)
        count = target.count - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
      }
    }
    if status == Z_STREAM_END { inflateReset(stream) }
    guard status == Z_OK || status == Z_STREAM_END else {
      throw UnpackingError(
        description: "it cannot be unpacked with gzip: "
          + (stream.pointee.msg.map { String(cString: $0) } ?? "error \(status)"))
    }
    rest = rest.upperBound - left..<rest.upperBound
    isComplete = status == Z_STREAM_END
    return text
  }
}

/// Why compressed text cannot be unpacked.
package struct UnpackingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, without the path.
  package let description: String
}
