import Foundation
import StoreFormat

/// A type whose values a column holds as they are.
protocol StorableValue {
  static var attributeType: AttributeType { get }
  init?(stored: StoredValue)
  /// The column value, or `nil` if a column cannot hold it.
  var stored: StoredValue? { get }
}

extension Bool: StorableValue {
  static var attributeType: AttributeType { .boolean }
  init?(stored: StoredValue) {
    guard case .integer(let number) = stored else { return nil }
    self = number != 0
  }
  var stored: StoredValue? { .integer(self ? 1 : 0) }
}

extension StorableValue where Self: FixedWidthInteger {
  init?(stored: StoredValue) {
    guard case .integer(let number) = stored, let value = Self(exactly: number) else { return nil }
    self = value
  }
  var stored: StoredValue? { Int64(exactly: self).map(StoredValue.integer) }
}

extension Int: StorableValue { static var attributeType: AttributeType { .integer64 } }
extension Int8: StorableValue { static var attributeType: AttributeType { .integer16 } }
extension Int16: StorableValue { static var attributeType: AttributeType { .integer16 } }
extension Int32: StorableValue { static var attributeType: AttributeType { .integer32 } }
extension Int64: StorableValue { static var attributeType: AttributeType { .integer64 } }
extension UInt: StorableValue { static var attributeType: AttributeType { .integer64 } }
extension UInt8: StorableValue { static var attributeType: AttributeType { .integer16 } }
extension UInt16: StorableValue { static var attributeType: AttributeType { .integer32 } }
extension UInt32: StorableValue { static var attributeType: AttributeType { .integer64 } }
extension UInt64: StorableValue { static var attributeType: AttributeType { .integer64 } }

extension Double: StorableValue {
  static var attributeType: AttributeType { .double }
  init?(stored: StoredValue) {
    switch stored {
    case .real(let number): self = number
    case .integer(let number): self = Double(number)
    default: return nil
    }
  }
  // SQLite stores not a number as null.
  var stored: StoredValue? { isNaN ? nil : .real(self) }
}

extension Float: StorableValue {
  static var attributeType: AttributeType { .float }
  init?(stored: StoredValue) {
    guard let number = Double(stored: stored) else { return nil }
    self = Float(number)
  }
  var stored: StoredValue? { Double(self).stored }
}

extension String: StorableValue {
  static var attributeType: AttributeType { .string }
  init?(stored: StoredValue) {
    guard let text = RecordedText(stored) else { return nil }
    self = text.string
  }
  var stored: StoredValue? {
    utf8.contains(0) ? .malformedText(Array(utf8)) : .text(self)
  }
}

extension Date: StorableValue {
  static var attributeType: AttributeType { .date }
  init?(stored: StoredValue) {
    guard let seconds = Double(stored: stored) else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  var stored: StoredValue? { timeIntervalSinceReferenceDate.stored }
}

extension Data: StorableValue {
  static var attributeType: AttributeType { .binaryData }
  init?(stored: StoredValue) {
    guard case .blob(let bytes) = stored else { return nil }
    self.init(bytes)
  }
  var stored: StoredValue? { .blob(Array(self)) }
}

extension UUID: StorableValue {
  static var attributeType: AttributeType { .uuid }
  init?(stored: StoredValue) {
    guard case .blob(let bytes) = stored, bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  var stored: StoredValue? { .blob(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension URL: StorableValue {
  static var attributeType: AttributeType { .uri }
  init?(stored: StoredValue) {
    guard let text = RecordedText(stored) else { return nil }
    self.init(string: text.string)
  }
  var stored: StoredValue? { .text(absoluteString) }
}

extension Decimal: StorableValue {
  static var attributeType: AttributeType { .decimal }
  init?(stored: StoredValue) {
    switch stored {
    // SQLite stores decimals without a fraction as integers.
    case .integer(let number):
      if let double = Double(exactly: number) {
        self.init(nearest: double)
      } else {
        self.init(number)
      }
    case .real(let number): self.init(nearest: number)
    default: return nil
    }
  }

  private init?(nearest number: Double) { self.init(string: "\(number)") }

  // As in the frameworks, the column holds a double. The text gives the nearest one, which reads
  // back as the same decimal; Foundation's conversion multiplies by powers of ten, with
  // accumulating roundings.
  var stored: StoredValue? {
    guard let number = Double(description) else { return nil }
    return number.isNaN ? nil : .real(number)
  }
}

/// Column values of the most common types.
///
/// The results are those of ``StorableValue``, without boxes and dynamic casts, which take most of
/// the time of reading and setting a model's properties.
enum PlainValue {
  /// Returns the column value of a value, or `nil` for other types and for special values.
  @inline(__always)
  static func stored<Value>(_ value: Value) -> StoredValue? {
    if Value.self == String.self { return stored(text: same(value, as: String.self)) }
    if Value.self == Int.self { return .integer(Int64(same(value, as: Int.self))) }
    if Value.self == Double.self { return stored(number: same(value, as: Double.self)) }
    if Value.self == Bool.self { return .integer(same(value, as: Bool.self) ? 1 : 0) }
    if Value.self == Date.self {
      return stored(number: same(value, as: Date.self).timeIntervalSinceReferenceDate)
    }
    if Value.self == String?.self { return same(value, as: String?.self).flatMap(stored(text:)) }
    return nil
  }

  /// Returns the value of a column, or what a closure returns for other types and for invalid column
  /// values.
  // An optional result would be made at run time for each value, as its type is not known here.
  @inline(__always)
  static func value<Value>(_ stored: StoredValue, orElse other: () -> Value) -> Value {
    switch stored {
    case .text(let text):
      if Value.self == String.self { return same(text, as: Value.self) }
      if Value.self == String?.self { return same(Optional(text), as: Value.self) }
    case .integer(let number):
      if Value.self == Int.self { return same(Int(truncatingIfNeeded: number), as: Value.self) }
      if Value.self == Bool.self { return same(number != 0, as: Value.self) }
    case .real(let number):
      if Value.self == Double.self { return same(number, as: Value.self) }
      if Value.self == Date.self {
        return same(Date(timeIntervalSinceReferenceDate: number), as: Value.self)
      }
    case .null, .malformedText, .blob: break
    }
    return other()
  }

  /// Returns whether a value is `nil`.
  @inline(__always)
  static func isNil<Value>(_ value: Value) -> Bool {
    if Value.self == String?.self { return same(value, as: String?.self) == nil }
    guard let optional = value as? any OptionalValue else { return false }
    return optional.unwrapped == nil
  }

  private static func stored(text: String) -> StoredValue? {
    text.utf8.contains(0) ? nil : .text(text)
  }

  private static func stored(number: Double) -> StoredValue? {
    number.isNaN ? nil : .real(number)
  }

  @inline(__always)
  private static func same<From, To>(_ value: From, as type: To.Type) -> To {
    precondition(From.self == To.self)
    return unsafeBitCast(value, to: To.self)
  }
}

/// An optional of unknown type.
protocol OptionalValue {
  static var wrappedType: Any.Type { get }
  static var none: Self { get }
  var unwrapped: Any? { get }
}

extension Optional: OptionalValue {
  static var wrappedType: Any.Type { Wrapped.self }
  var unwrapped: Any? { map { $0 } }
}
