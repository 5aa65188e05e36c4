/// What is wrong with a property list or a keyed archive, and where.
///
/// Every reader and writer of property lists throws this and nothing else, so that callers can say
/// which file and which value the bytes came from before they pass it on.
package struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found, what was expected, and what to do about it.
  package let message: String

  /// The byte of the input at which it was found; nil where the input has no bytes (the writers) or
  /// the fault is in no single place.
  package let offset: Int?

  /// An error with a complete message.
  package init(_ message: String, offset: Int? = nil) {
    self.message = message
    self.offset = offset
  }

  /// The message and, where it is known, the byte offset.
  package var description: String {
    guard let offset else { return message }
    return "\(message) (at byte \(offset))"
  }

  /// The input does not follow its own format.
  package static func damaged(
    _ found: String, expected: String, offset: Int? = nil
  ) -> PropertyListError {
    PropertyListError(
      "damaged property list: \(found), expected \(expected); read an intact copy of it",
      offset: offset)
  }

  /// The input asks for more memory or nesting than any real one does.
  static func beyondLimit(_ found: String, offset: Int? = nil) -> PropertyListError {
    PropertyListError(
      "refused property list: \(found), more than a real one needs; read an intact copy of it",
      offset: offset)
  }

  /// The input follows its format but holds something that is not read here.
  static func unsupported(
    _ found: String, expected: String, offset: Int? = nil
  ) -> PropertyListError {
    PropertyListError(
      "unsupported property list: \(found), expected \(expected); convert it with plutil",
      offset: offset)
  }

  /// The value given to a writer cannot be written.
  static func unwritable(_ found: String, expected: String) -> PropertyListError {
    PropertyListError("unwritable property list: \(found), expected \(expected)")
  }
}
