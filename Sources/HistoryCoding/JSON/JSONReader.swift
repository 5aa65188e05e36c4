/// Why bytes are not the expected JSON, and where.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the offending byte, counted from 0 at the start of the text.
  public let offset: Int
  /// What is wrong there; starts in lower case and has no full stop.
  public let message: String

  /// Creates an error from its place and message.
  public init(offset: Int, message: String) {
    self.offset = offset
    self.message = message
  }

  /// The message, followed by the place.
  public var description: String { "\(message) at byte \(offset)" }
}

/// Reads a JSON text into a ``JSONValue``.
package struct JSONReader: Sendable {
  /// The maximum nesting of arrays and objects, 0 to 512.
  package let depthLimit: Int
  /// The maximum number of values, where an object counts as eight more: each takes about 40 bytes of
  /// memory, however short its text is.
  let valueLimit: Int

  /// Creates a reader; a depth outside 0 to 512 is clamped, because each level takes stack space.
  package init(depthLimit: Int = 64, valueLimit: Int = .max) {
    self.depthLimit = min(max(depthLimit, 0), 512)
    self.valueLimit = valueLimit
  }

  /// Reads the single value of a text; blanks around it are allowed.
  func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes, depthLimit: depthLimit)
    let value = try parser.value(limit: valueLimit)
    try parser.expectEnd()
    return value
  }

  /// Reads the single value of a text; blanks around it are allowed.
  package func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in try read(buffer) }
  }

  /// Reads the single value of a text; blanks around it are allowed.
  package func read(_ text: String) throws(JSONError) -> JSONValue { try read(Array(text.utf8)) }
}
