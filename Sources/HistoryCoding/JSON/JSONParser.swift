/// Reads JSON token by token, strictly as RFC 8259 defines it, and copies nothing but the strings that
/// the caller asks for.
///
/// It also rejects bytes that are not UTF-8, escapes of half a surrogate pair, deep nesting and, where a
/// value is read, keys that come twice in an object and numbers that no double can hold. Integers that
/// fit 64 bits stay exact; all other numbers become the nearest double.
///
/// ```swift
/// var parser = JSONParser(bytes)
/// if try parser.enter(JSONParser.object) {
///   repeat {
///     let key = try parser.key()
///     if key == "frames" { … } else { try parser.skipValue() }
///   } while try parser.hasNext(in: JSONParser.object)
/// }
/// try parser.expectEnd()
/// ```
package struct JSONParser {
  /// The first byte of an object.
  package static let object = UInt8(ascii: "{")
  /// The first byte of an array.
  package static let array = UInt8(ascii: "[")

  /// A string in the text, without its quotes.
  struct StringSpan {
    let range: Range<Int>
    let hasEscapes: Bool
  }

  /// Numbers with more characters are rejected: no double needs them, and reading one could be slow.
  private static let numberLengthLimit = 1024
  /// The members for which an object reserves memory.
  private static let reservedMembers = 8

  /// The text.
  package let bytes: UnsafeBufferPointer<UInt8>
  /// The offset of the next byte.
  package internal(set) var position: Int
  private var levelsLeft: Int
  private var valuesLeft = 0

  /// Creates a parser that begins at an offset of a text.
  package init(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0, depthLimit: Int = 64
  ) {
    self.bytes = bytes
    self.position = position
    levelsLeft = depthLimit
  }

  // MARK: - Structure

  /// Returns the first byte of the next value.
  @inline(__always)
  mutating func peek() throws(JSONError) -> UInt8 {
    skipBlanks()
    guard position < bytes.count else { throw error("the text ends where a value was expected") }
    return bytes[position]
  }

  /// Steps over a byte if it comes next, and returns whether it did.
  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position &+= 1
    return true
  }

  /// Steps into ``object`` or ``array``, which must come next, and returns whether it has a member or
  /// element. An empty one is stepped over.
  @inline(__always)
  package mutating func enter(_ opening: UInt8) throws(JSONError) -> Bool {
    guard try peek() == opening else {
      throw error(opening == Self.object ? "an object was expected" : "an array was expected")
    }
    guard levelsLeft > 0 else { throw error("arrays and objects are nested too deep") }
    position &+= 1
    if take(Self.closing(of: opening)) { return false }
    levelsLeft &-= 1
    return true
  }

  /// Steps to the next member or element and returns `true`, or leaves ``object`` or ``array``.
  @inline(__always)
  package mutating func hasNext(in opening: UInt8) throws(JSONError) -> Bool {
    if take(UInt8(ascii: ",")) { return true }
    guard take(Self.closing(of: opening)) else {
      throw error(
        opening == Self.object
          ? "a comma or the end of the object was expected"
          : "a comma or the end of the array was expected")
    }
    levelsLeft &+= 1
    return false
  }

  /// Throws an error unless only blanks are left.
  package mutating func expectEnd() throws(JSONError) {
    skipBlanks()
    guard position == bytes.count else {
      throw error("more text follows the value, expected its end")
    }
  }

  /// Closing brackets come two places after opening ones in ASCII.
  @inline(__always)
  private static func closing(of opening: UInt8) -> UInt8 { opening &+ 2 }

  @inline(__always)
  mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position &+= 1
      default: return
      }
    }
  }

  func error(_ message: String) -> JSONError { JSONError(offset: position, message: message) }

  // MARK: - Values

  /// Reads the next key and its colon.
  package mutating func key() throws(JSONError) -> String { text(of: try keySpan()) }

  /// Steps over the next key and its colon, and returns where the key is.
  @inline(__always)
  mutating func keySpan() throws(JSONError) -> StringSpan {
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      throw error("a key in quotes was expected")
    }
    let key = try skipString()
    guard take(UInt8(ascii: ":")) else { throw error("a colon was expected after the key") }
    return key
  }

  /// Steps over a text, if exactly this text comes next.
  @inline(__always)
  mutating func takeText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count &- position >= text.count else { return false }
    for index in text.indices where bytes[position &+ index] != text[index] { return false }
    position &+= text.count
    return true
  }

  /// Reads the next value.
  ///
  /// - Parameter limit: The maximum number of values in it, as ``JSONReader/valueLimit`` counts them.
  package mutating func value(limit: Int = .max) throws(JSONError) -> JSONValue {
    valuesLeft = limit
    return try value()
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    try count(1)
    switch try peek() {
    case UInt8(ascii: "\""): return .string(text(of: try skipString()))
    case Self.object: return .object(try objectValue())
    case Self.array:
      var elements: [JSONValue] = []
      guard try enter(Self.array) else { return .array(elements) }
      repeat { elements.append(try value()) } while try hasNext(in: Self.array)
      return .array(elements)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case let first: return try word(first)
    }
  }

  private mutating func objectValue() throws(JSONError) -> JSONObject {
    try count(Self.reservedMembers)
    guard try enter(Self.object) else { return JSONObject() }
    var members: [JSONObject.Member] = []
    members.reserveCapacity(Self.reservedMembers)
    var keys = UniqueKeys()
    repeat {
      skipBlanks()
      let keyPosition = position
      let key = try key()
      guard keys.insert(key) else { throw Self.repeatedKey(key, at: keyPosition) }
      members.append(JSONObject.Member(key: key, value: try value()))
    } while try hasNext(in: Self.object)
    return JSONObject(distinctMembers: members)
  }

  private mutating func count(_ values: Int) throws(JSONError) {
    valuesLeft -= values
    guard valuesLeft >= 0 else { throw error("the text has too many values") }
  }

  static func repeatedKey(_ key: String, at offset: Int) -> JSONError {
    var writer = JSONWriter()
    writer.appendString(String(key.unicodeScalars.prefix(40)))
    let quoted = String(decoding: writer.bytes, as: UTF8.self)
    return JSONError(offset: offset, message: "the object has a key twice: \(quoted)")
  }

  /// Steps over the next value, whatever it is, without checking for repeated keys.
  package mutating func skipValue() throws(JSONError) {
    switch try peek() {
    case UInt8(ascii: "\""): _ = try skipString()
    case Self.object:
      guard try enter(Self.object) else { return }
      repeat {
        _ = try keySpan()
        try skipValue()
      } while try hasNext(in: Self.object)
    case Self.array:
      guard try enter(Self.array) else { return }
      repeat { try skipValue() } while try hasNext(in: Self.array)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try scanNumber()
    case let first: _ = try word(first)
    }
  }

  private mutating func word(_ first: UInt8) throws(JSONError) -> JSONValue {
    let (word, value): (StaticString, JSONValue) =
      switch first {
      case UInt8(ascii: "t"): ("true", .boolean(true))
      case UInt8(ascii: "f"): ("false", .boolean(false))
      default: ("null", .null)
      }
    guard word.withUTF8Buffer({ takeText($0) }) else {
      throw error("a value was expected, but no value begins like this")
    }
    return value
  }

  // MARK: - Numbers

  private struct Number {
    let start: Int
    let isNegative: Bool
    /// The digits as an integer, if they fit one.
    let digits: UInt64?
    let exponent: Int
    let isIntegral: Bool
  }

  private mutating func scanNumber() throws(JSONError) -> Number {
    let start = position
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position &+= 1 }
    var digits: UInt64 = 0
    var fits = true
    let wholeStart = position
    takeDigits(into: &digits, &fits)
    let wholeLength = position - wholeStart
    guard wholeLength > 0 else { throw error("a digit was expected") }
    guard wholeLength == 1 || bytes[wholeStart] != UInt8(ascii: "0") else {
      throw JSONError(offset: wholeStart, message: "a number must not begin with a needless zero")
    }
    var exponent = 0
    var isIntegral = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isIntegral = false
      position &+= 1
      let fractionStart = position
      takeDigits(into: &digits, &fits)
      guard position > fractionStart else { throw error("a digit was expected after the point") }
      exponent = fractionStart - position
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isIntegral = false
      exponent += try scanExponent()
    }
    return Number(
      start: start, isNegative: isNegative, digits: fits ? digits : nil, exponent: exponent,
      isIntegral: isIntegral)
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let number = try scanNumber()
    if let digits = number.digits {
      if number.isIntegral, let value = Self.integer(magnitude: digits, number.isNegative) {
        return .integer(value)
      }
      // One rounding of two exact doubles gives the nearest one.
      if digits <= 1 << 53, (-22...22).contains(number.exponent) {
        let power = Self.powersOfTen[Int(number.exponent.magnitude)]
        let value = number.exponent < 0 ? Double(digits) / power : Double(digits) * power
        return .real(number.isNegative ? -value : value)
      }
    }
    guard position - number.start <= Self.numberLengthLimit else {
      throw JSONError(
        offset: number.start,
        message: "a number has more than \(Self.numberLengthLimit) characters")
    }
    let text = String(decoding: bytes[number.start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw JSONError(offset: number.start, message: "a number is too large for a double")
    }
    return .real(value)
  }

  @inline(__always)
  private mutating func takeDigits(into value: inout UInt64, _ fits: inout Bool) {
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { return }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { fits = false }
      value = sum
      position &+= 1
    }
  }

  /// Reads `e`, an optional sign and digits; what is beyond any double is clamped to 100,000.
  private mutating func scanExponent() throws(JSONError) -> Int {
    position &+= 1
    var isNegative = false
    if position < bytes.count,
      bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
    {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position &+= 1
    }
    let start = position
    var value = 0
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = min(value * 10 + Int(digit), 100_000)
      position &+= 1
    }
    guard position > start else { throw error("a digit was expected in the exponent") }
    return isNegative ? -value : value
  }

  private static func integer(magnitude: UInt64, _ isNegative: Bool) -> Int64? {
    if !isNegative { return Int64(exactly: magnitude) }
    if magnitude == Int64.min.magnitude { return .min }
    return Int64(exactly: magnitude).map { -$0 }
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
