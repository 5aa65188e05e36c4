extension JSONParser {
  /// Reads the string whose opening quote comes next.
  mutating func parseString() throws(JSONError) -> String {
    position += 1
    let start = position
    try skipPlainText()
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      let text = String(
        decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
      position += 1
      return text
    }
    unescaped.removeAll(keepingCapacity: true)
    var plainStart = start
    while position < bytes.count {
      unescaped.append(contentsOf: bytes[plainStart..<position])
      if bytes[position] == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: unescaped, as: UTF8.self)
      }
      try parseEscape()
      plainStart = position
      try skipPlainText()
    }
    throw error("the text ends inside a string")
  }

  /// Goes to the next quote or backslash or the end, and checks what lies before it.
  private mutating func skipPlainText() throws(JSONError) {
    let raw = UnsafeRawBufferPointer(bytes)
    while position < bytes.count {
      if position + 8 <= bytes.count {
        let word = UInt64(
          littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        let special = JSONText.specialBytes(in: word) | (word & JSONText.highBits)
        guard special != 0 else {
          position += 8
          continue
        }
        position += special.trailingZeroBitCount / 8
      }
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        return
      case 0..<0x20:
        throw error("a control character in a string must be written as an escape")
      case 0x80...:
        let length = UTF8Check.characterLength(in: bytes, at: position)
        guard length > 0 else { throw error("a string has bytes that are not UTF-8") }
        position += length
      default:
        position += 1
      }
    }
  }

  /// Reads the escape whose backslash comes next into `unescaped`.
  private mutating func parseEscape() throws(JSONError) {
    let start = position
    position += 1
    guard position < bytes.count else { throw error("the text ends inside a string") }
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      unescaped.append(bytes[position])
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"):
      position += 1
      let unit = try parseCodeUnit()
      guard let scalar = try parseScalar(startingWith: unit) else {
        throw JSONError(offset: start, message: "an escape is half of a surrogate pair")
      }
      unescaped.append(contentsOf: Character(scalar).utf8)
      return
    default:
      throw error("a backslash is followed by a character that makes no escape")
    }
    position += 1
  }

  /// The character of a UTF-16 code unit, with the second escape of a pair read if it needs one;
  /// nil if that is missing or the unit is a second half.
  private mutating func parseScalar(
    startingWith unit: UInt16
  ) throws(JSONError) -> Unicode.Scalar? {
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    position += 2
    let second = try parseCodeUnit()
    guard UTF16.isTrailSurrogate(second) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  /// Reads four hexadecimal digits.
  private mutating func parseCodeUnit() throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count else { throw error("the text ends inside a string") }
      let byte = bytes[position]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw error("four hexadecimal digits were expected after \\u")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }
}
