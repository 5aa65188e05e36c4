import Foundation
import StoreFormat

/// A type whose values a store keeps in a column as they are.
protocol StorableValue {
  /// The type of the attribute.
  static var attributeType: AttributeType { get }
  /// The value of what a column holds; nil for anything of another type.
  init?(stored: StoredValue)
  /// What a column holds for the value; nil where it cannot hold it.
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
  // A store holds null instead of what is no number.
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
    // A column of decimals makes integers of numbers without a fraction.
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

  /// The decimal that was meant: the shortest text that gives the number back.
  private init?(nearest number: Double) { self.init(string: "\(number)") }

  // As in the frameworks the column holds a double, however exact the decimal is. The text gives the
  // nearest one, which reads back as the same decimal; Foundation's own conversion multiplies by powers
  // of ten, whose roundings add up.
  var stored: StoredValue? {
    guard let number = Double(description) else { return nil }
    return number.isNaN ? nil : .real(number)
  }
}
