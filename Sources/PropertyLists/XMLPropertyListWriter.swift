/// Writes property lists in Apple's XML format, as `plutil -convert xml1` does.
///
/// The bytes depend on the value alone: the keys of a dictionary are in the order of their UTF-8
/// bytes.  A uid becomes a dictionary with the only key "CF$UID"; dates lose their fractions of a
/// second, which the format does not have.
package struct XMLPropertyListWriter {
  private var bytes: [UInt8] = []

  /// The UTF-8 text of a value's property list.
  package static func bytes(of value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    var output = XMLPropertyListWriter()
    output.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", level: 0)
    output.line(
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
        + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">", level: 0)
    output.line("<plist version=\"1.0\">", level: 0)
    try output.append(value, level: 0)
    output.line("</plist>", level: 0)
    return output.bytes
  }

  private mutating func line(_ text: String, level: Int) {
    indent(level)
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func append(
    _ value: PropertyListValue, level: Int
  ) throws(PropertyListError) {
    switch value {
    case .null:
      throw .unwritable("null", expected: "a value that XML has, or the binary format")
    case .boolean(let flag): line(flag ? "<true/>" : "<false/>", level: level)
    case .integer(let number): line("<integer>\(number)</integer>", level: level)
    case .unsigned(let number): line("<integer>\(number)</integer>", level: level)
    case .real(let number): line("<real>\(Self.text(of: number))</real>", level: level)
    case .date(let seconds):
      guard let text = CivilDate.propertyListDate(ofSeconds: seconds) else {
        throw .unwritable("the date \(seconds)", expected: "one in the years 1 to 9999")
      }
      line("<date>\(text)</date>", level: level)
    case .data(let data): append(data, level: level)
    case .string(let text): try append(text, in: "string", level: level)
    case .uid(let index):
      guard UInt32(exactly: index) != nil else {
        throw .unwritable("the uid \(index)", expected: "0 to \(UInt32.max)")
      }
      line("<dict>", level: level)
      line("<key>CF$UID</key>", level: level + 1)
      line("<integer>\(index)</integer>", level: level + 1)
      line("</dict>", level: level)
    case .array(let elements):
      try checkDepth(level)
      guard !elements.isEmpty else { return line("<array/>", level: level) }
      line("<array>", level: level)
      for element in elements {
        try append(element, level: level + 1)
      }
      line("</array>", level: level)
    case .dictionary(let values):
      try checkDepth(level)
      guard !values.isEmpty else { return line("<dict/>", level: level) }
      line("<dict>", level: level)
      for pair in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        try append(pair.key, in: "key", level: level + 1)
        try append(pair.value, level: level + 1)
      }
      line("</dict>", level: level)
    }
  }

  private func checkDepth(_ level: Int) throws(PropertyListError) {
    guard level < PropertyListLimits.standard.depth else {
      throw .unwritable(
        "arrays and dictionaries nested too deeply",
        expected: "at most \(PropertyListLimits.standard.depth) levels")
    }
  }

  /// Base64 in lines that end at column 76, a tab counting as 8.
  private mutating func append(_ data: [UInt8], level: Int) {
    let width = max(16, 76 - level * 8) / 4 * 3
    line("<data>", level: level)
    var start = 0
    while start < data.count {
      let end = min(data.count, start + width)
      indent(level)
      bytes += Base64.text(of: Array(data[start..<end])).utf8
      bytes.append(UInt8(ascii: "\n"))
      start = end
    }
    line("</data>", level: level)
  }

  private mutating func append(
    _ text: String, in name: String, level: Int
  ) throws(PropertyListError) {
    indent(level)
    bytes += "<\(name)>".utf8
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      // Readers turn a plain one into a line feed.
      case 0x0D: bytes += "&#13;".utf8
      case 0..<0x20 where byte != 0x09 && byte != 0x0A:
        throw .unwritable(
          "the control character \(byte) in text",
          expected: "text that XML has, or the binary format")
      default: bytes.append(byte)
      }
    }
    bytes += "</\(name)>\n".utf8
  }

  private mutating func indent(_ level: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: level))
  }

  private static func text(of number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
    return number.description
  }
}
