import CZlib

/// Raw DEFLATE, without the zlib header, which is how a store packs its model.
enum RawDeflate {
  /// What a packed model may grow to, in bytes; the largest seen is below half a million.
  static let largestModel = 16 << 20

  /// Why bytes could not be inflated.
  enum Failure: Error, Hashable {
    case malformed
    case cutShort
    case tooLarge(limit: Int)
  }

  /// Inflates bytes, refusing what would grow beyond a limit.
  static func inflate(_ input: [UInt8], limit: Int = largestModel) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard czlib_inflate_init(&stream, -MAX_WBITS) == Z_OK else { throw .malformed }
    defer { inflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: min(limit, max(1 << 12, input.count * 3)))
    var input = input
    let result = input.withUnsafeMutableBufferPointer { source -> Result<Int, Failure> in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(clamping: source.count)
      while true {
        let filled = Int(stream.total_out)
        if filled == output.count {
          guard filled < limit else { return .failure(.tooLarge(limit: limit)) }
          output += [UInt8](repeating: 0, count: min(filled, limit - filled))
        }
        let status = output.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress?.advanced(by: filled)
          stream.avail_out = UInt32(clamping: target.count - filled)
          return CZlib.inflate(&stream, Z_NO_FLUSH)
        }
        switch status {
        case Z_STREAM_END: return .success(Int(stream.total_out))
        case Z_OK where Int(stream.total_out) > filled: continue
        case Z_OK, Z_BUF_ERROR: return .failure(.cutShort)
        default: return .failure(.malformed)
        }
      }
    }
    output.removeLast(output.count - (try result.get()))
    return output
  }
}
