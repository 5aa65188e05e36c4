extension JSONWriter {
  private static let pieceLength = 1024

  /// Writes a string in quotes; only quote, backslash and controls below 0x20 are escaped.
  package mutating func appendString(_ text: String) {
    var copy = text
    copy.withUTF8 { appendString(validUTF8: $0) }
  }

  /// Writes bytes as a string in quotes, as `appendString` does, without a `String` in between.
  ///
  /// The caller must know that they are UTF-8 (`UTF8Check`); other bytes would make the text
  /// invalid.
  package mutating func appendString(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count > Self.pieceLength else {
      return appendUninitialized(capacity: bytes.count * 6 + 10) { room in
        room[0] = UInt8(ascii: "\"")
        let end = 1 + Self.escape(bytes, to: UnsafeMutableBufferPointer(rebasing: room[1...]))
        room[end] = UInt8(ascii: "\"")
        return end + 1
      }
    }
    // In pieces, so that room for the longest escapes of all bytes stays a small reserve.
    let escapedCount = bytes.count {
      $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
    }
    reserve(bytes.count + escapedCount * 5 + Self.pieceLength * 6)
    appendRaw(UInt8(ascii: "\""))
    for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
      let end = min(start + Self.pieceLength, bytes.count)
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<end])
      appendUninitialized(capacity: piece.count * 6 + 8) { Self.escape(piece, to: $0) }
    }
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes bytes as a string of Base64 with padding (RFC 4648, section 4), in quotes.
  package mutating func appendBase64(_ bytes: UnsafeBufferPointer<UInt8>) {
    appendRaw(UInt8(ascii: "\""))
    var start = 0
    while start < bytes.count {
      // Multiples of three give whole groups of four, so only the last piece is padded.
      let end = min(start + 3072, bytes.count)
      let piece = UnsafeBufferPointer(rebasing: bytes[start..<end])
      appendUninitialized(capacity: (piece.count + 2) / 3 * 4) { Self.encodeBase64(piece, to: $0) }
      start = end
    }
    appendRaw(UInt8(ascii: "\""))
  }

  /// Writes bytes as a string of Base64 with padding (RFC 4648, section 4), in quotes.
  package mutating func appendBase64(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendBase64($0) }
  }

  /// Writes bytes as a string of lower-case hexadecimal digits, two for each byte, in quotes.
  package mutating func appendHexadecimal(_ bytes: UnsafeBufferPointer<UInt8>) {
    let length = bytes.count * 2 + 2
    appendUninitialized(capacity: length) { room in
      room[0] = UInt8(ascii: "\"")
      for (position, byte) in bytes.enumerated() {
        room[1 + position * 2] = Hexadecimal.digit(byte >> 4)
        room[2 + position * 2] = Hexadecimal.digit(byte & 15)
      }
      room[length - 1] = UInt8(ascii: "\"")
      return length
    }
  }

  /// Writes bytes as a string of lower-case hexadecimal digits, two for each byte, in quotes.
  package mutating func appendHexadecimal(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { appendHexadecimal($0) }
  }

  /// Copies text with escapes, and answers its length, at most six times that of the source.
  ///
  /// The room must be eight bytes larger than that: whole words are stored, and what is beyond a
  /// byte that needs an escape, or beyond the end, is written over later or left out.
  @inline(__always)
  private static func escape(
    _ source: UnsafeBufferPointer<UInt8>, to room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    guard let from = UnsafeRawPointer(source.baseAddress),
      let target = UnsafeMutableRawPointer(room.baseAddress)
    else { return 0 }
    var read = 0
    var written = 0
    while read < source.count {
      let left = source.count &- read
      let word =
        left >= 8
        ? UInt64(littleEndian: from.loadUnaligned(fromByteOffset: read, as: UInt64.self))
        : loadTail(source, at: read)
      target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
      let special = JSONText.specialBytes(in: word)
      let plain = special == 0 ? min(left, 8) : special.trailingZeroBitCount / 8
      read &+= plain
      written &+= plain
      if special != 0 {
        written += writeEscape(
          of: source[read], to: UnsafeMutableBufferPointer(rebasing: room[written...]))
        read += 1
      }
    }
    return written
  }

  /// The last one to seven bytes with the first one lowest; beyond the end, letters stand in.
  @inline(__always)
  private static func loadTail(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt64 {
    let raw = UnsafeRawBufferPointer(source)
    let left = source.count &- index
    let standIns: UInt64 = 0x6161_6161_6161_6161 &<< UInt64(left &* 8)
    if source.count >= 8 {
      let last = raw.loadUnaligned(fromByteOffset: source.count &- 8, as: UInt64.self)
      return UInt64(littleEndian: last) &>> UInt64(64 &- left &* 8) | standIns
    }
    var word: UInt64 = 0
    var place = 0
    if left & 4 != 0 {
      let four = raw.loadUnaligned(fromByteOffset: index, as: UInt32.self)
      word = UInt64(UInt32(littleEndian: four))
      place = 4
    }
    if left & 2 != 0 {
      let two = raw.loadUnaligned(fromByteOffset: index &+ place, as: UInt16.self)
      word |= UInt64(UInt16(littleEndian: two)) &<< UInt64(place &* 8)
      place += 2
    }
    if left & 1 != 0 { word |= UInt64(source[index &+ place]) &<< UInt64(place &* 8) }
    return word | standIns
  }

  @inline(never)
  private static func writeEscape(
    of byte: UInt8, to room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    room[0] = UInt8(ascii: "\\")
    switch byte {
    case 0x08: room[1] = UInt8(ascii: "b")
    case 0x09: room[1] = UInt8(ascii: "t")
    case 0x0A: room[1] = UInt8(ascii: "n")
    case 0x0C: room[1] = UInt8(ascii: "f")
    case 0x0D: room[1] = UInt8(ascii: "r")
    case 0..<0x20:
      room[1] = UInt8(ascii: "u")
      room[2] = UInt8(ascii: "0")
      room[3] = UInt8(ascii: "0")
      room[4] = Hexadecimal.digit(byte >> 4)
      room[5] = Hexadecimal.digit(byte & 15)
      return 6
    default: room[1] = byte
    }
    return 2
  }

  private static func encodeBase64(
    _ source: UnsafeBufferPointer<UInt8>, to room: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var read = 0
    var written = 0
    while read + 3 <= source.count {
      let group =
        UInt32(source[read]) << 16 | UInt32(source[read + 1]) << 8 | UInt32(source[read + 2])
      for place in 0..<4 {
        room[written + place] = base64Digit(group >> UInt32(18 - 6 * place) & 63)
      }
      read += 3
      written += 4
    }
    if read < source.count {
      let hasSecond = read + 1 < source.count
      let group =
        UInt32(source[read]) << 16 | (hasSecond ? UInt32(source[read + 1]) << 8 : 0)
      room[written] = base64Digit(group >> 18 & 63)
      room[written + 1] = base64Digit(group >> 12 & 63)
      room[written + 2] = hasSecond ? base64Digit(group >> 6 & 63) : UInt8(ascii: "=")
      room[written + 3] = UInt8(ascii: "=")
      written += 4
    }
    return written
  }

  @inline(__always)
  private static func base64Digit(_ value: UInt32) -> UInt8 {
    let digits: StaticString =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return digits.utf8Start[Int(value & 63)]
  }
}
