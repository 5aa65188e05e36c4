/// One JSON value.
///
/// Two values are equal when they would be written alike: strings compare by their bytes (not by
/// canonical equivalence, as `String` does), reals by their bits, objects in the order of their
/// keys, and an integer is never equal to a real.
package enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Every other number; JSON has no infinities and NaN, so they are written as `null`.
  case real(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue: Hashable {
  /// Whether both would be written alike.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first.bitPattern == second.bitPattern
    case (.string(let first), .string(let second)): ExactText(first) == ExactText(second)
    case (.array(let first), .array(let second)): first == second
    case (.object(let first), .object(let second)): first == second
    default: false
    }
  }

  /// Hashes the kind of the value and what equality compares.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(ExactText(value))
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a string.
  package init(stringLiteral value: String) { self = .string(value) }
  /// Makes an integer.
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a real.
  package init(floatLiteral value: Double) { self = .real(value) }
  /// Makes `true` or `false`.
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Makes `null`.
  package init(nilLiteral: ()) { self = .null }
  /// Makes an array.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Makes an object with its keys in this order; a key that comes again replaces the value.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}
