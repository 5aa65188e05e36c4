/// Reads property lists in Apple's XML format.
///
/// It reads the subset that Apple's writers produce: UTF-8, the elements of property lists, the five named
/// entities and numbered ones.  A document type is skipped and never fetched; one that declares
/// anything is refused.  A dictionary with the only key "CF$UID" is a uid.  Malformed UTF-8 in text
/// is repaired.
struct XMLPropertyList {
  private var scanner: XMLPropertyListScanner
  /// Values and keys that may still be built.
  private var nodes: Int

  /// The property list that the bytes hold.
  static func value(
    of bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) -> PropertyListValue {
    var parser = XMLPropertyList(bytes, nodes: limits.nodes)
    return try parser.document(depth: limits.depth)
  }

  private init(_ bytes: [UInt8], nodes: Int) {
    scanner = XMLPropertyListScanner(bytes)
    self.nodes = nodes
  }

  private mutating func document(depth: Int) throws(PropertyListError) -> PropertyListValue {
    try scanner.skipMiscellany(inProlog: true)
    var tag = try scanner.tag()
    let hasRootElement = tag == .opening("plist", isEmpty: false)
    if hasRootElement {
      try scanner.skipMiscellany(inProlog: false)
      tag = try scanner.tag()
    }
    let value = try self.value(tag, depth: depth)
    try scanner.skipMiscellany(inProlog: false)
    if hasRootElement {
      let start = scanner.position
      guard try scanner.tag() == .closing("plist") else {
        throw .damaged("a second value", expected: "</plist>", offset: start)
      }
      try scanner.skipMiscellany(inProlog: false)
    }
    guard scanner.isAtEnd else {
      throw .damaged("more content", expected: "the end", offset: scanner.position)
    }
    return value
  }

  /// The value whose opening tag was just read.
  private mutating func value(
    _ tag: XMLPropertyListScanner.Tag, depth: Int
  ) throws(PropertyListError) -> PropertyListValue {
    let start = scanner.position
    guard case .opening(let name, let isEmpty) = tag else {
      throw .damaged("a closing tag", expected: "a value", offset: start)
    }
    try charge()
    if name == "array" || name == "dict", depth < 1 {
      throw .beyondLimit("arrays and dictionaries nested too deeply", offset: start)
    }
    switch name {
    case "array": return isEmpty ? .array([]) : try array(depth: depth)
    case "dict": return isEmpty ? .dictionary([:]) : try dictionary(depth: depth)
    default: break
    }
    let text = isEmpty ? [] : try scanner.text(of: name)
    switch name {
    case "string": return .string(String(decoding: text, as: UTF8.self))
    case "true" where text.isEmpty: return .boolean(true)
    case "false" where text.isEmpty: return .boolean(false)
    case "integer":
      if let value = XMLPropertyListNumber.integer(text) { return value }
    case "real":
      if let value = XMLPropertyListNumber.real(text) { return .real(value) }
    case "data":
      if let bytes = Base64.decode(wrapped: text) { return .data(bytes) }
    case "date":
      if let seconds = CivilDate.seconds(ofPropertyListDate: text) { return .date(seconds) }
    default:
      throw .damaged(
        "the element <\(name)>",
        expected: "array, dict, string, integer, real, true, false, data or date", offset: start)
    }
    throw .damaged("a malformed <\(name)>", expected: "a valid one", offset: start)
  }

  private mutating func array(depth: Int) throws(PropertyListError) -> PropertyListValue {
    var elements: [PropertyListValue] = []
    while true {
      try scanner.skipMiscellany(inProlog: false)
      let tag = try scanner.tag()
      if tag == .closing("array") { return .array(elements) }
      elements.append(try value(tag, depth: depth - 1))
    }
  }

  private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyListValue {
    var values: [String: PropertyListValue] = [:]
    var pairs = 0
    while true {
      try scanner.skipMiscellany(inProlog: false)
      let start = scanner.position
      let tag = try scanner.tag()
      if tag == .closing("dict") { break }
      guard case .opening("key", let isEmpty) = tag else {
        throw .damaged("a value without a key", expected: "<key>", offset: start)
      }
      try charge()
      pairs += 1
      let key = isEmpty ? "" : String(decoding: try scanner.text(of: "key"), as: UTF8.self)
      try scanner.skipMiscellany(inProlog: false)
      let value = try self.value(try scanner.tag(), depth: depth - 1)
      // The first of equal keys counts, as in the binary format.
      if values[key] == nil { values[key] = value }
    }
    guard pairs == 1, case .integer(let index)? = values["CF$UID"] else {
      return .dictionary(values)
    }
    guard let index = UInt32(exactly: index) else {
      throw .damaged("the uid \(index)", expected: "32 bits", offset: scanner.position)
    }
    return .uid(Int(index))
  }

  private mutating func charge() throws(PropertyListError) {
    nodes -= 1
    guard nodes >= 0 else {
      throw .beyondLimit("more values than allowed", offset: scanner.position)
    }
  }
}

/// The numbers of XML property lists.
private enum XMLPropertyListNumber {
  /// Returns a decimal or, after "0x", hexadecimal number with an optional sign, or `nil` if the text is not a
  /// number or does not fit into 64 bits.
  static func integer(_ text: [UInt8]) -> PropertyListValue? {
    var digits = Substring(trimmed(text))
    var isNegative = false
    if let sign = digits.first, sign == "-" || sign == "+" {
      isNegative = sign == "-"
      digits.removeFirst()
    }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits.removeFirst(2) }
    // The conversion would accept a second sign.
    guard digits.first?.isHexDigit == true,
      let magnitude = UInt64(digits, radix: isHexadecimal ? 16 : 10)
    else { return nil }
    guard isNegative else {
      return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
    }
    guard magnitude <= Int64.min.magnitude else { return nil }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  static func real(_ text: [UInt8]) -> Double? {
    Double(trimmed(text))
  }

  private static func trimmed(_ text: [UInt8]) -> String {
    let isInk: (UInt8) -> Bool = { $0 > 0x20 }
    guard let first = text.firstIndex(where: isInk), let last = text.lastIndex(where: isInk) else {
      return ""
    }
    return String(decoding: text[first...last], as: UTF8.self)
  }
}
