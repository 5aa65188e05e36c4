import CZlib

/// Unpacks gzip members that come piece by piece.
final class GzipUnpacking {
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// Whether the input so far ends with a member.
  private(set) var isComplete = true
  /// zlib keeps a pointer back to it.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(UnpackingError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16 beyond the window's size asks for gzip's frame.
    guard czlib_inflate_init(stream, MAX_WBITS + 16) == Z_OK else {
      stream.deallocate()
      throw UnpackingError(description: "zlib has no memory left to unpack with")
    }
    self.stream = stream
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether bytes are the beginning of a member.
  static func begins(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: magic) }

  /// Unpacks a piece, and takes off the input what was used of it.
  func unpack(_ input: [UInt8], _ rest: inout Range<Int>) throws(UnpackingError) -> [UInt8] {
    var status = Z_OK
    var left = rest.count
    let text = [UInt8](unsafeUninitializedCapacity: TextUnpacker.pieceSize) { target, count in
      input.withUnsafeBufferPointer { bytes in
        stream.pointee.next_in = UnsafeMutablePointer(
          mutating: bytes.baseAddress.map { $0 + rest.lowerBound })
        stream.pointee.avail_in = UInt32(clamping: rest.count)
        stream.pointee.next_out = target.baseAddress
        stream.pointee.avail_out = UInt32(clamping: target.count)
        repeat {
          // The member before has ended; the next one begins.
          if status == Z_STREAM_END { inflateReset(stream) }
          status = CZlib.inflate(stream, Z_NO_FLUSH)
        } while (status == Z_OK || status == Z_STREAM_END) && stream.pointee.avail_in > 0
          && stream.pointee.avail_out > 0
        // There was nothing to do.
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
