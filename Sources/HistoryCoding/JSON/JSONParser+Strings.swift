import StoreFormat

extension JSONParser {
  /// Steps over the string whose opening quote comes next, and checks it.
  @inline(__always)
  mutating func skipString() throws(JSONError) -> StringSpan {
    position &+= 1
    let start = position
    var hasEscapes = false
    let raw = UnsafeRawBufferPointer(bytes)
    while position < bytes.count {
      if position &+ 8 <= bytes.count {
        let word = UInt64(
          littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        let special = ByteText.specialBytes(in: word) | (word & ByteText.highBits)
        guard special != 0 else {
          position &+= 8
          continue
        }
        position &+= special.trailingZeroBitCount / 8
      }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position &+= 1
        return StringSpan(range: start..<position &- 1, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        _ = try readEscape(&position)
      case 0..<0x20:
        throw error("a control character in a string must be written as an escape")
      case 0x80...:
        let length = ByteText.characterLength(in: bytes, at: position)
        guard length > 0 else { throw error("a string has bytes that are not UTF-8") }
        position &+= length
      default:
        position &+= 1
      }
    }
    throw error("the text ends inside a string")
  }

  /// The text of a string that was stepped over.
  func text(of string: StringSpan) -> String {
    guard string.hasEscapes else {
      return String(
        decoding: UnsafeBufferPointer(rebasing: bytes[string.range]), as: UTF8.self)
    }
    // An escape is never shorter than its character in UTF-8.
    return String(unsafeUninitializedCapacity: string.range.count) { buffer in
      var count = 0
      var place = string.range.lowerBound
      while place < string.range.upperBound {
        if bytes[place] == UInt8(ascii: "\\") {
          guard let scalar = try? readEscape(&place) else { break }
          for byte in UTF8.encode(scalar) ?? .init() {
            buffer[count] = byte
            count += 1
          }
        } else {
          buffer[count] = bytes[place]
          count += 1
          place += 1
        }
      }
      return count
    }
  }

  /// Reads the escape whose backslash is at a position, and moves the position after it.
  private func readEscape(_ position: inout Int) throws(JSONError) -> Unicode.Scalar {
    let start = position
    position += 1
    guard position < bytes.count else {
      throw JSONError(offset: position, message: "the text ends inside a string")
    }
    let byte: UInt8
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte = bytes[position]
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "f"): byte = 0x0C
    case UInt8(ascii: "n"): byte = 0x0A
    case UInt8(ascii: "r"): byte = 0x0D
    case UInt8(ascii: "t"): byte = 0x09
    case UInt8(ascii: "u"):
      position += 1
      let unit = try readCodeUnit(&position)
      guard let scalar = try readScalar(startingWith: unit, &position) else {
        throw JSONError(offset: start, message: "an escape is half of a surrogate pair")
      }
      return scalar
    default:
      throw JSONError(
        offset: position, message: "a backslash is followed by a character that makes no escape")
    }
    position += 1
    return Unicode.Scalar(byte)
  }

  /// The character of a UTF-16 code unit, after reading the second escape of a pair; `nil` if that is
  /// missing or the unit is a second half.
  private func readScalar(
    startingWith unit: UInt16, _ position: inout Int
  ) throws(JSONError) -> Unicode.Scalar? {
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    position += 2
    let second = try readCodeUnit(&position)
    guard UTF16.isTrailSurrogate(second) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  private func readCodeUnit(_ position: inout Int) throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count else {
        throw JSONError(offset: position, message: "the text ends inside a string")
      }
      guard let digit = Hexadecimal.value(bytes[position]) else {
        throw JSONError(
          offset: position, message: "four hexadecimal digits were expected after \\u")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
