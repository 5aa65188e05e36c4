/// A value of a property list, with the object references of keyed archives.
package enum PropertyListValue: Hashable, Sendable {
  /// The null object that only the binary format has.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number that a signed 64-bit integer holds.
  case integer(Int64)
  /// A whole number above `Int64.max`; smaller ones are always `integer` when read.
  case unsigned(UInt64)
  /// A floating-point number.
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
  /// Values by name.
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
  /// The truth value, or nil when this is anything else.
  package var boolean: Bool? {
    guard case .boolean(let value) = self else { return nil }
    return value
  }

  /// The whole number, or nil when this is anything else or does not fit.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .unsigned(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number as floating point, whole numbers included (rounded beyond 2^53), or nil when this is
  /// no number.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    default: nil
    }
  }

  /// The point in time in seconds since 2001-01-01 UTC, or nil when this is anything else.
  package var date: Double? {
    guard case .date(let value) = self else { return nil }
    return value
  }

  /// The bytes, or nil when this is anything else.
  package var data: [UInt8]? {
    guard case .data(let value) = self else { return nil }
    return value
  }

  /// The text, or nil when this is anything else.
  package var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  /// The index of a keyed archive's object, or nil when this is anything else.
  package var uid: Int? {
    guard case .uid(let value) = self else { return nil }
    return value
  }

  /// The elements, or nil when this is anything else.
  package var array: [PropertyListValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }

  /// The values by name, or nil when this is anything else.
  package var dictionary: [String: PropertyListValue]? {
    guard case .dictionary(let value) = self else { return nil }
    return value
  }
}

extension PropertyListValue {
  /// Reads a property list, binary or XML, whole.
  ///
  /// Throws when the bytes are neither, are damaged, or go beyond the limits.
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
