import CZlib

/// Raw DEFLATE, without the zlib header, which is how a store packs its model.
package enum RawDeflate {
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

  /// Packs bytes; what packing fails on is kept as it is, in stored blocks.
  package static func deflate(_ input: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard czlib_deflate_init(&stream, Z_DEFAULT_COMPRESSION, -MAX_WBITS) == Z_OK else {
      return stored(input)
    }
    defer { deflateEnd(&stream) }
    var input = input
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let count = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target -> Int? in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(clamping: source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(clamping: target.count)
        return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
      }
    }
    guard let count else { return stored(input) }
    return Array(output.prefix(count))
  }

  /// Bytes in blocks that are not packed, which every reader of the format takes.
  private static func stored(_ input: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var rest = input[...]
    repeat {
      let block = rest.prefix(0xffff)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      output.append(rest.isEmpty ? 1 : 0)
      for half in [count, ~count] {
        output += [UInt8(truncatingIfNeeded: half), UInt8(truncatingIfNeeded: half >> 8)]
      }
      output += block
    } while !rest.isEmpty
    return output
  }
}
