/// The recursive descent behind `JSONReader`: one pass over the bytes of one text.
struct JSONParser {
  /// Objects up to this size look for a repeated key among their members; larger ones use a set.
  private static let linearSearchLimit = 16

  /// The members for which an object has room from the start.
  private static let reservedMembers = 8

  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  /// The bytes of a string with escapes, kept to be used again.
  var unescaped: [UInt8] = []

  private var valuesLeft: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>, valueLimit: Int = .max) {
    self.bytes = bytes
    valuesLeft = valueLimit
  }

  /// Reads the whole text as one value.
  mutating func parseDocument(depthLimit: Int) throws(JSONError) -> JSONValue {
    let value = try parseValue(levelsLeft: depthLimit)
    skipBlanks()
    guard position == bytes.count else {
      throw error("more text follows the value, expected its end")
    }
    return value
  }

  private mutating func parseValue(levelsLeft: Int) throws(JSONError) -> JSONValue {
    try count(1)
    skipBlanks()
    guard position < bytes.count else { throw error("the text ends where a value was expected") }
    switch bytes[position] {
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "{"): return try parseObject(levelsLeft: levelsLeft)
    case UInt8(ascii: "["): return try parseArray(levelsLeft: levelsLeft)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    case UInt8(ascii: "t"): return try parseWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try parseWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: throw error("a value was expected, but no value begins like this")
    }
  }

  private mutating func parseObject(levelsLeft: Int) throws(JSONError) -> JSONValue {
    try enter(levelsLeft)
    try count(Self.reservedMembers)
    var members: [JSONObject.Member] = []
    if take(UInt8(ascii: "}")) { return .object(JSONObject()) }
    members.reserveCapacity(Self.reservedMembers)
    var keys: Set<ExactText> = []
    repeat {
      skipBlanks()
      let keyPosition = position
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw error("a key in quotes was expected")
      }
      let key = try parseString()
      guard isNew(key, among: members, &keys) else {
        throw JSONError(offset: keyPosition, message: "the object has a key twice: \(quote(key))")
      }
      guard take(UInt8(ascii: ":")) else { throw error("a colon was expected after the key") }
      let value = try parseValue(levelsLeft: levelsLeft - 1)
      members.append(JSONObject.Member(key: key, value: value))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else {
      throw error("a comma or the end of the object was expected")
    }
    return .object(JSONObject(distinctMembers: members))
  }

  private mutating func parseArray(levelsLeft: Int) throws(JSONError) -> JSONValue {
    try enter(levelsLeft)
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat {
      elements.append(try parseValue(levelsLeft: levelsLeft - 1))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else {
      throw error("a comma or the end of the array was expected")
    }
    return .array(elements)
  }

  /// Steps over the bracket of an array or object, if it may be nested this deep.
  private mutating func enter(_ levelsLeft: Int) throws(JSONError) {
    guard levelsLeft > 0 else { throw error("arrays and objects are nested too deep") }
    position += 1
  }

  private mutating func count(_ values: Int) throws(JSONError) {
    valuesLeft -= values
    guard valuesLeft >= 0 else { throw error("the text has too many values") }
  }

  private mutating func parseWord(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let length = word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { expected in
      position + length <= bytes.count
        && bytes[position..<(position + length)].elementsEqual(expected)
    }
    guard isThere else { throw error("a value was expected, but no value begins like this") }
    position += length
    return value
  }

  /// Whether no member has this key yet. A set is begun once there are many, so that an object of
  /// a million keys does not take a million searches.
  private func isNew(
    _ key: String, among members: [JSONObject.Member], _ keys: inout Set<ExactText>
  ) -> Bool {
    let exactKey = ExactText(key)
    if members.count <= Self.linearSearchLimit {
      return !members.contains { ExactText($0.key) == exactKey }
    }
    if keys.isEmpty { keys = Set(members.map { ExactText($0.key) }) }
    return keys.insert(exactKey).inserted
  }

  /// Takes the byte if it comes next after blanks, and answers whether it did.
  @inline(__always)
  private mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func skipBlanks() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  func error(_ message: String) -> JSONError {
    JSONError(offset: position, message: message)
  }

  /// A key as a message shows it: its first characters, escaped as in JSON.
  private func quote(_ key: String) -> String {
    var writer = JSONWriter()
    writer.appendString(String(key.unicodeScalars.prefix(40)))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
