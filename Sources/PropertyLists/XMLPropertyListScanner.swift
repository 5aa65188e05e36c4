/// Splits an XML property list into tags and text, and refuses features that property lists do not use: other
/// encodings, declared entities, document types with content.
struct XMLPropertyListScanner {
  /// The start or the end of an element.
  enum Tag: Hashable {
    /// `<name>`; or `<name/>`, which has no content and no closing tag.
    case opening(String, isEmpty: Bool)
    /// `</name>`.
    case closing(String)
  }

  private let bytes: [UInt8]

  private(set) var position = 0

  /// Starts at the first byte, or after a UTF-8 byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Whether all bytes are read.
  var isAtEnd: Bool { position >= bytes.count }

  /// Skips white space and comments and, before the first element, the XML declaration, processing
  /// instructions and a document type without content.
  mutating func skipMiscellany(inProlog: Bool) throws(PropertyListError) {
    while !isAtEnd {
      if Self.isSpace(bytes[position]) {
        position += 1
      } else if isNext("<!--") {
        try skipComment()
      } else if isNext("<?") {
        try skipInstruction()
      } else if inProlog, isNext("<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return
      }
    }
  }

  /// Reads the tag that must come next; attributes are skipped.
  mutating func tag() throws(PropertyListError) -> Tag {
    let start = position
    guard !isAtEnd, bytes[position] == UInt8(ascii: "<") else {
      throw .damaged(isAtEnd ? "the end" : "text", expected: "an element", offset: start)
    }
    if isNext("<!") {
      throw .unsupported("a declaration", expected: "an element", offset: start)
    }
    position += 1
    let isClosing = isNext("/")
    if isClosing { position += 1 }
    let nameStart = position
    while !isAtEnd, Self.isNameByte(bytes[position]) { position += 1 }
    // The longest name of a property list has seven letters; do not allocate a string for longer ones.
    guard (1...16).contains(position - nameStart) else {
      throw .damaged("a tag without a known name", expected: "an element", offset: start)
    }
    let name = String(decoding: bytes[nameStart..<position], as: UTF8.self)
    let isEmpty = try skipAttributes(from: start)
    guard isClosing else { return .opening(name, isEmpty: isEmpty) }
    guard !isEmpty else {
      throw .damaged("a tag both closing and empty", expected: "</\(name)>", offset: start)
    }
    return .closing(name)
  }

  /// Reads text up to the closing tag of the element it is in, and that tag; entities are replaced
  /// and line ends made line feeds.
  mutating func text(of name: String) throws(PropertyListError) -> [UInt8] {
    var text: [UInt8] = []
    while !isAtEnd {
      let start = position
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "<"):
        if isNext("<!--") {
          try skipComment()
        } else if isNext("<?") {
          try skipInstruction()
        } else if case let tag = try tag(), tag == .closing(name) {
          return text
        } else {
          throw .damaged("another tag", expected: "</\(name)>", offset: start)
        }
      case UInt8(ascii: "&"):
        try appendEntity(to: &text)
      case 0x0D:
        text.append(0x0A)
        position += isNext("\r\n") ? 2 : 1
      case 0..<0x20 where byte != 0x09 && byte != 0x0A:
        throw .damaged("a control character", expected: "text", offset: start)
      default:
        text.append(byte)
        position += 1
      }
    }
    throw .damaged("the end", expected: "</\(name)>", offset: position)
  }

  private mutating func appendEntity(to text: inout [UInt8]) throws(PropertyListError) {
    let start = position
    // The longest allowed entity is "&#1114111;"; the limit leaves little space for leading zeros.
    let limit = min(bytes.count, start + 16)
    guard let end = bytes[start..<limit].firstIndex(of: UInt8(ascii: ";")) else {
      throw .damaged("an ampersand", expected: "an entity that ends in \";\"", offset: start)
    }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    position = end + 1
    switch name {
    case "amp": text.append(UInt8(ascii: "&"))
    case "lt": text.append(UInt8(ascii: "<"))
    case "gt": text.append(UInt8(ascii: ">"))
    case "quot": text.append(UInt8(ascii: "\""))
    case "apos": text.append(UInt8(ascii: "'"))
    default:
      guard let scalar = Self.character(name) else {
        throw .unsupported(
          "an entity other than &amp; &lt; &gt; &quot; &apos; or a number",
          expected: "one of these", offset: start)
      }
      text += String(Character(scalar)).utf8
    }
  }

  /// The character of "#65" or "#x41", if XML allows it.
  private static func character(_ name: String) -> Unicode.Scalar? {
    let number: UInt32?
    if name.hasPrefix("#x") {
      number = UInt32(name.dropFirst(2), radix: 16)
    } else if name.hasPrefix("#") {
      number = UInt32(name.dropFirst())
    } else {
      return nil
    }
    guard let number, number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number) else { return nil }
    return Unicode.Scalar(number)
  }

  private mutating func skipComment() throws(PropertyListError) {
    try skip(past: "-->", named: "a comment")
  }

  /// Skips `<?...?>`; an encoding that it declares must be UTF-8 or its subset ASCII.
  private mutating func skipInstruction() throws(PropertyListError) {
    let start = position
    try skip(past: "?>", named: "a processing instruction")
    guard bytes[start...].starts(with: "<?xml ".utf8), position - start <= 256 else { return }
    let declaration = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    let parts = declaration.split { "= \t\r\n'\"?".contains($0) }
    guard let index = parts.firstIndex(of: "encoding"), index + 1 < parts.count else { return }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(parts[index + 1]) else {
      throw .unsupported("another encoding", expected: "UTF-8", offset: start)
    }
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    let start = position
    var quote: UInt8?
    while !isAtEnd {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return
      } else if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "<"), position - 1 > start {
        throw .unsupported(
          "a document type with declarations", expected: "Apple's", offset: position - 1)
      }
    }
    throw .damaged("a cut-off document type", expected: "\">\"", offset: start)
  }

  /// Skips to the end of a tag; true when it ends in "/>".
  private mutating func skipAttributes(from start: Int) throws(PropertyListError) -> Bool {
    var quote: UInt8?
    while !isAtEnd {
      let byte = bytes[position]
      position += 1
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: ">"): return bytes[position - 2] == UInt8(ascii: "/")
      case UInt8(ascii: "<"):
        throw .damaged("a tag within a tag", expected: "\">\"", offset: position - 1)
      default: break
      }
    }
    throw .damaged("a cut-off tag", expected: "\">\"", offset: start)
  }

  private mutating func skip(
    past end: StaticString, named name: String
  ) throws(PropertyListError) {
    let start = position
    // After "<!--" or "<?", so that "<!-->" does not count as a comment.
    position += isNext("<!--") ? 4 : 2
    while !isAtEnd {
      if isNext(end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw .damaged("\(name) that is cut off", expected: "\"\(end)\"", offset: start)
  }

  private func isNext(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
