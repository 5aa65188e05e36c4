/// Reads JSON strictly as RFC 8259 has it, one value per text.
///
/// Refused are also: keys that come twice in an object, bytes that are not UTF-8, escapes of half
/// a surrogate pair, numbers too large for a double or longer than 1,024 characters, and nesting
/// deeper than the limit. Integers that fit 64 bits stay exact, all other numbers become the
/// nearest double.
package struct JSONReader: Sendable {
  /// How many arrays and objects may stand in each other, 0 to 512.
  package let depthLimit: Int

  /// The maximum number of values in a text, where an object counts as eight more: memory is some 40
  /// bytes for each, however short its text is.
  package let valueLimit: Int

  /// Makes a reader; a depth outside 0 to 512 is brought into it, because each level takes a piece
  /// of the stack.
  package init(depthLimit: Int = 64, valueLimit: Int = .max) {
    self.depthLimit = min(max(depthLimit, 0), 512)
    self.valueLimit = valueLimit
  }

  /// Reads the one value that the bytes are, blanks around it allowed.
  package func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes, valueLimit: valueLimit)
    return try parser.parseDocument(depthLimit: depthLimit)
  }

  /// Reads the one value that the bytes are, blanks around it allowed.
  package func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<JSONValue, JSONError> in
      do throws(JSONError) {
        return .success(try read(buffer))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Reads the one value that the text is, blanks around it allowed.
  package func read(_ text: String) throws(JSONError) -> JSONValue {
    try read(Array(text.utf8))
  }
}
