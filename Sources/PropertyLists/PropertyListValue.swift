/// A value of a property list, with the object references of keyed archives.
package enum PropertyListValue: Hashable, Sendable {
  /// The null object that only the binary format has.
  case null
  case boolean(Bool)
  /// A whole number that a signed 64-bit integer holds.
  case integer(Int64)
  /// A whole number above `Int64.max`; smaller ones are always `integer` when read.
  case unsigned(UInt64)
  case real(Double)
  /// A point in time, in seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// Text; unpaired surrogates of the source are repaired to U+FFFD.
  case string(String)
  /// A reference of a keyed archive: an index into its `$objects`, 0 to `UInt32.max`.
  case uid(Int)
  /// Values in order.
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
  /// The truth value, or `nil` when this is anything else.
  package var boolean: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// The whole number, or `nil` when this is anything else or does not fit.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .unsigned(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number as floating point, whole numbers included (rounded beyond 2^53), or `nil` when this is not a
  /// number.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    default: nil
    }
  }

  /// The point in time in seconds since 2001-01-01 UTC, or `nil` when this is anything else.
  package var date: Double? {
    guard case .date(let value) = self else { return nil }
    return value
  }

  /// The bytes, or `nil` when this is anything else.
  package var data: [UInt8]? {
    guard case .data(let value) = self else { return nil }
    return value
  }

  /// The text, or `nil` when this is anything else.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The index of a keyed archive's object, or `nil` when this is anything else.
  var uid: Int? {
    guard case .uid(let value) = self else { return nil }
    return value
  }

  /// The elements, or `nil` when this is anything else.
  package var array: [PropertyListValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The values by name, or `nil` when this is anything else.
  package var dictionary: [String: PropertyListValue]? {
    guard case .dictionary(let value) = self else { return nil }
    return value
  }
}

extension PropertyListValue {
  /// Reads a property list, binary or XML, whole.
  package init(
    propertyList bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    if BinaryPropertyList.isBinary(bytes) {
      self = try BinaryPropertyList(bytes, limits: limits).root
    } else {
      self = try XMLPropertyList.value(of: bytes, limits: limits)
    }
  }
}

/// Limits on what a reader of a property list may build.
///
/// A few hundred bytes can describe a list of billions of values by referring to the same array
/// again and again, so the size of the input bounds nothing.
package struct PropertyListLimits: Hashable, Sendable {
  /// The number of values, dictionary keys included, that one materialisation may build.
  var nodes: Int

  /// The number of arrays and dictionaries that may be nested in one another.
  package var depth: Int

  package init(nodes: Int, depth: Int) {
    self.nodes = nodes
    self.depth = depth
  }

  /// 500 000 values, 64 levels: several times what the largest known model archive needs, and
  /// little enough for the stack of any thread.
  package static let standard = PropertyListLimits(nodes: 500_000, depth: 64)
}

/// The problem with a property list or a keyed archive, and its place.
///
/// Every reader and writer of property lists throws this and nothing else, so that callers can add
/// the file and the value that the bytes came from.
package struct PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found, what was expected, and the remedy.
  let message: String

  /// The byte of the input at which it was found, or `nil` where the input has no bytes (the writers) or
  /// the fault is in no single place.
  let offset: Int?

  init(_ message: String, offset: Int? = nil) {
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
