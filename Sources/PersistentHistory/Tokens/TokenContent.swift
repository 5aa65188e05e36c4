import PropertyLists

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The token in a file, a pasted text or a value of an app's preferences.
enum TokenContent: Hashable, Sendable {
  case token(HistoryToken)
  /// A token in one of its written forms, on one line.
  case text(String)
}

/// The reason why bytes hold no token.
struct TokenContentError: Error, Hashable, CustomStringConvertible {
  let description: String
}

extension TokenContent {
  /// How often a token may be wrapped, such as an archive in Base64 in the JSON of an app's state.
  private static let maxLayers = 4

  private static let expected = #"expected {"storeTokens":{"STORE":NUMBER}}"#

  /// Reads text, the JSON of a token, or a property list with an archived `NSPersistentHistoryToken`, each
  /// also in Base64 or in hexadecimal digits.
  ///
  /// - Parameter key: The key of a value in a property list or JSON, `nil` for the whole.
  /// - Throws: ``TokenContentError``.
  init(_ bytes: [UInt8], key: String? = nil) throws(TokenContentError) {
    self = try TokenContent.read(bytes, key: key, layers: TokenContent.maxLayers)
  }

  /// Reads the value of a property list.
  private init(_ value: PropertyListValue, layers: Int) throws(TokenContentError) {
    switch value {
    case .dictionary(let values) where values["$archiver"] != nil:
      self = .token(try HistoryToken(archive: value))
    case .dictionary(let values):
      guard let tokens = values["storeTokens"]?.dictionary else {
        throw TokenContentError(
          description: "it has \(TokenContent.keys(of: value)); \(TokenContent.expected)")
      }
      self = .token(try HistoryToken(tokens.map { ($0.key, $0.value) }))
    case .data(let bytes):
      self = try TokenContent.read(bytes, key: nil, layers: layers - 1)
    case .string(let text):
      self = try TokenContent.read(Array(text.utf8), key: nil, layers: layers - 1)
    case .integer(let number):
      self = .text(String(number))
    default:
      throw TokenContentError(
        description: "it is \(TokenContent.kind(of: value)); \(TokenContent.expected)")
    }
  }

  private static func read(
    _ bytes: [UInt8], key: String?, layers: Int
  ) throws(TokenContentError) -> TokenContent {
    guard layers > 0 else {
      throw TokenContentError(description: "it is wrapped more than \(maxLayers) times")
    }
    if let printed = PrintedData(bytes) {
      return try read(printed.bytes(), key: key, layers: layers - 1)
    }
    if let document = try document(bytes) {
      guard let key else { return try whole(document, layers: layers) }
      guard let value = document.value(at: key[...], layers: layers) else {
        throw TokenContentError(
          description: "it has no value at \(MomentError.quote(key)); it has \(keys(of: document))"
            + advice(on: document))
      }
      do {
        return try TokenContent(value, layers: layers)
      } catch {
        throw TokenContentError(description: "the value at \(MomentError.quote(key)): \(error)")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
      throw TokenContentError(description: "it is neither text nor a property list")
    }
    if let decoded = try base64(text) {
      return try read(decoded, key: key, layers: layers - 1)
    }
    let trimmed = text.trimmingBlanks
    guard !trimmed.isEmpty else { throw TokenContentError(description: "it is empty") }
    guard key == nil else {
      throw TokenContentError(
        description: "it is text; only a property list or JSON has values by key")
    }
    guard !trimmed.contains(where: \.isNewline) else {
      throw TokenContentError(description: "it has more than one line")
    }
    return .text(trimmed)
  }

  /// Reads a whole property list or JSON; an error says which of its values are tokens.
  private static func whole(
    _ document: PropertyListValue, layers: Int
  ) throws(TokenContentError) -> TokenContent {
    do {
      return try TokenContent(document, layers: layers)
    } catch {
      throw TokenContentError(description: error.description + advice(on: document))
    }
  }
}

// MARK: - Property lists and JSON

extension TokenContent {
  /// Whether a text is a token's JSON, an XML property list, or one of both or a binary one in Base64 or in
  /// hexadecimal digits.
  static func isDocument(_ text: String) -> Bool {
    text.hasPrefix("{") || text.hasPrefix("<") || isBase64(text) || PrintedData(text) != nil
  }

  /// Whether bytes begin like a property list or an object in JSON; at least six are needed.
  fileprivate static func isBeginning(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 6 else { return false }
    return ["bplist", "<?xml ", "<plist", "<!DOCT"].contains { bytes.starts(with: $0.utf8) }
      || bytes[0] == UInt8(ascii: "{") && [0x22, 0x20, 0x09, 0x0A, 0x0D].contains(bytes[1])
  }

  /// Reads a property list or JSON, or returns `nil` for bytes that begin like neither.
  fileprivate static func document(
    _ bytes: [UInt8]
  ) throws(TokenContentError) -> PropertyListValue? {
    let start = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }.prefix(8)
    if start.starts(with: "bplist".utf8) || start.first == UInt8(ascii: "<") {
      do {
        return try PropertyListValue(propertyList: bytes)
      } catch {
        throw TokenContentError(description: "it is not an archived token: \(error)")
      }
    }
    guard let first = start.first, "{[\"".utf8.contains(first) else { return nil }
    guard let json = try? JSONDecoder().decode(JSONDocument.self, from: Data(bytes)) else {
      throw TokenContentError(description: "its JSON is damaged; \(expected)")
    }
    return json.value
  }

  /// The keys of a document in words.
  private static func keys(of value: PropertyListValue) -> String {
    guard let names = value.dictionary?.keys.sorted() else {
      return "\(kind(of: value)) and no keys"
    }
    if names.isEmpty { return "no keys" }
    let shown = names.prefix(6).map { MomentError.quote($0) }.joined(separator: ", ")
    return "the keys \(shown)" + (names.count > 6 ? " and \(names.count - 6) more" : "")
  }

  private static func kind(of value: PropertyListValue) -> String {
    switch value {
    case .null: "nothing"
    case .boolean: "a truth value"
    case .integer, .unsigned, .real: "a number"
    case .date: "a date"
    case .data: "data"
    case .string: "text"
    case .uid: "a reference"
    case .array: "a list"
    case .dictionary: "a dictionary"
    }
  }

  /// Names the values of a document that are tokens, for a message.
  private static func advice(on document: PropertyListValue) -> String {
    var names: [String] = []
    var remaining = 1000
    findTokens(in: document, path: "", depth: 4, &remaining, &names)
    guard let first = names.first else { return "" }
    let quoted = names.map { "'\($0)'" }.joined(separator: ", ")
    return "; a token is at \(quoted): write @./FILE#\(first)"
  }

  private static func findTokens(
    in value: PropertyListValue, path: String, depth: Int, _ remaining: inout Int,
    _ names: inout [String]
  ) {
    guard depth > 0, let values = value.dictionary else { return }
    for (key, inner) in values.sorted(by: { $0.key < $1.key }) {
      remaining -= 1
      guard remaining > 0, names.count < 3 else { return }
      // Longer names, and those with control characters, cannot be typed.
      guard MomentError.quote(key, limit: 80) == "'\(key)'" else { continue }
      let name = path.isEmpty ? key : path + "." + key
      if case .token? = try? TokenContent(inner, layers: maxLayers) {
        names.append(name)
      } else {
        findTokens(in: inner, path: name, depth: depth - 1, &remaining, &names)
      }
    }
  }
}

extension PropertyListValue {
  /// Returns the value at a key, or at keys and positions in lists with dots between them, or `nil` where
  /// there is none.
  ///
  /// A key may itself have dots. Data and text that are a property list or JSON are read on the way, up to
  /// `layers` levels deep.
  fileprivate func value(at path: Substring, layers: Int) -> PropertyListValue? {
    guard layers > 0 else { return nil }
    switch self {
    case .dictionary(let values):
      if let value = values[String(path)] { return value }
      for dot in path.indices where path[dot] == "." {
        if let value = values[String(path[..<dot])]?
          .value(at: path[path.index(after: dot)...], layers: layers)
        {
          return value
        }
      }
      return nil
    case .array(let elements):
      let digits = path.prefix { $0 != "." }
      guard let index = Int64(decimal: digits).map(Int.init), elements.indices.contains(index)
      else { return nil }
      let rest = path[digits.endIndex...].dropFirst()
      return rest.isEmpty ? elements[index] : elements[index].value(at: rest, layers: layers)
    case .data(let bytes):
      return (try? TokenContent.document(bytes))??.value(at: path, layers: layers - 1)
    case .string(let text):
      return (try? TokenContent.document(Array(text.utf8)))??.value(at: path, layers: layers - 1)
    default:
      return nil
    }
  }
}

/// A value of JSON as one of a property list.
private struct JSONDocument: Decodable {
  let value: PropertyListValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard decoder.codingPath.count <= PropertyListLimits.standard.depth else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "nested too deeply")
    }
    if container.decodeNil() {
      value = .null
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let number = try? container.decode(Int64.self) {
      value = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      value = .real(number)
    } else if let boolean = try? container.decode(Bool.self) {
      value = .boolean(boolean)
    } else if let elements = try? container.decode([JSONDocument].self) {
      value = .array(elements.map(\.value))
    } else {
      value = .dictionary(try container.decode([String: JSONDocument].self).mapValues(\.value))
    }
  }
}

// MARK: - Base64

extension TokenContent {
  /// Returns the bytes of Base64, in its form for addresses too, or `nil` for other text.
  private static func base64(_ text: String) throws(TokenContentError) -> [UInt8]? {
    guard isBase64(text) else { return nil }
    guard let bytes = Base64.decode(wrapped: standardDigits(text)) else {
      throw TokenContentError(
        description: "it begins as Base64 does and is cut, or has other characters; write the whole"
      )
    }
    return bytes
  }

  /// Whether a text begins with the Base64 of the first bytes of a property list or of an object in JSON.
  private static func isBase64(_ text: String) -> Bool {
    // Eight digits are six bytes.
    let digits = standardDigits(text).lazy.filter { $0 > 0x20 }.prefix(8)
    guard digits.count == 8, let bytes = Base64.decode(wrapped: Array(digits)) else {
      return false
    }
    return isBeginning(bytes)
  }

  private static func standardDigits(_ text: String) -> LazyMapSequence<String.UTF8View, UInt8> {
    text.utf8.lazy.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
  }
}

// MARK: - Hexadecimal digits

/// Bytes as programs print them: `<62706c69 …>` and `{length = 4, bytes = 0x62706c69}` of debuggers, the
/// `X'…'` of SQLite's quote(), and digits alone, as of its hex().
private struct PrintedData {
  /// What is before the digits and must be after them.
  private static let forms = [("<", ">"), ("X'", "'"), ("x'", "'"), ("0x", ""), ("", "")]

  /// The digits, with blanks and all that is after them.
  private let digits: Substring
  /// What must be after the digits.
  private let end: String
  /// The number of bytes that the text names.
  private let length: Int?

  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(text)
  }

  /// Recognises a text; `nil` for any other.
  ///
  /// Digits alone may be a number or a duration, so they must begin like a property list or JSON.
  init?(_ text: String) {
    let text = text.trimmingBlanks
    if text.hasPrefix("{length = "), let mark = text.firstRange(of: ", bytes = 0x") {
      digits = text[mark.upperBound...]
      end = "}"
      length = Int(text[..<mark.lowerBound].dropFirst("{length = ".count)) ?? -1
      return
    }
    guard let form = Self.forms.first(where: { text.hasPrefix($0.0) }) else { return nil }
    digits = text.dropFirst(form.0.count)
    (end, length) = (form.1, nil)
    let first = digits.utf8.lazy.filter { $0 > 0x20 }.prefix { Hexadecimal.value($0) != nil }
      .prefix(12)
    guard let bytes = Self.bytes(of: Array(first.prefix(first.count / 2 * 2))),
      !end.isEmpty && bytes.count > 1 || TokenContent.isBeginning(bytes)
        || bytes.starts(with: "bpli".utf8)
    else { return nil }
  }

  /// Returns the bytes.
  func bytes() throws(TokenContentError) -> [UInt8] {
    guard !digits.contains("..."), !digits.contains("…") else {
      throw TokenContentError(
        description: "it is data as defaults(1) or a debugger prints it, without its middle; write "
          + "the whole: plutil -extract KEY raw FILE, or name the value as @./FILE#KEY")
    }
    guard digits.hasSuffix(end),
      let bytes = Self.bytes(of: digits.dropLast(end.count).utf8.filter { $0 > 0x20 }),
      length == nil || length == bytes.count, !Self.isCutList(bytes)
    else {
      throw TokenContentError(
        description: "it is data in hexadecimal digits that is cut or has other characters; write "
          + "the whole")
    }
    return bytes
  }

  /// Whether bytes are the beginning of a binary property list, shorter than its header and trailer.
  private static func isCutList(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "bpli".utf8) && bytes.count < 40
  }

  private static func bytes(of digits: [UInt8]) -> [UInt8]? {
    digits.withUnsafeBufferPointer { Hexadecimal.bytes(of: $0) }
  }
}
