/// The types of attributes, by the numbers that a model's archive gives them.
package enum AttributeType: Hashable, Sendable {
  case undefined
  case integer16, integer32, integer64
  case decimal, double, float
  case string
  case boolean
  case date
  case binaryData
  case uuid
  case uri
  case transformable
  case objectIdentifier
  case composite
  /// A type of a framework newer than this code.
  case unknown(Int64)

  private static let numbers: [Int64: AttributeType] = [
    0: .undefined, 100: .integer16, 200: .integer32, 300: .integer64, 400: .decimal, 500: .double,
    600: .float, 700: .string, 800: .boolean, 900: .date, 1000: .binaryData, 1100: .uuid,
    1200: .uri, 1800: .transformable, 2000: .objectIdentifier, 2100: .composite,
  ]

  /// The type with this `NSAttributeType`.
  package init(number: Int64) {
    self = AttributeType.numbers[number] ?? .unknown(number)
  }

  /// The `NSAttributeType`.
  package var number: Int64 {
    if case .unknown(let number) = self { return number }
    return AttributeType.numbers.first { $0.value == self }?.key ?? 0
  }

  /// The type in a word, as people write it.
  package var name: String {
    switch self {
    case .undefined: "undefined"
    case .integer16: "Int16"
    case .integer32: "Int32"
    case .integer64: "Int64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Bool"
    case .date: "Date"
    case .binaryData: "Data"
    case .uuid: "UUID"
    case .uri: "URL"
    case .transformable: "transformable"
    case .objectIdentifier: "object identifier"
    case .composite: "composite"
    case .unknown(let number): "type \(number)"
    }
  }
}

/// The form in which a table stores values of an attribute's type.
///
/// The order of the cases is the order of the columns: the frameworks sort them by type first, then
/// by entity, then by name.
enum ColumnType: Int, Comparable, Hashable, Sendable {
  case integer, number, decimal, text, address, identifier, object, data

  /// The column type of an attribute type, or `nil` for types that have no column of their own.
  init?(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: self = .integer
    case .date, .double, .float: self = .number
    case .decimal: self = .decimal
    case .string: self = .text
    case .uri: self = .address
    case .uuid: self = .identifier
    case .transformable: self = .object
    case .binaryData, .undefined: self = .data
    case .objectIdentifier, .composite, .unknown: return nil
    }
  }

  static func < (left: ColumnType, right: ColumnType) -> Bool { left.rawValue < right.rawValue }
}

extension AttributeType {
  /// The type that a column is declared with, or `nil` for types that have no column of their own.
  var declaredColumnType: String? {
    switch self {
    case .date: "TIMESTAMP"
    case .double, .float: "FLOAT"
    case .decimal: "DECIMAL"
    case .integer16, .integer32, .integer64, .boolean: "INTEGER"
    case .string, .uri: "VARCHAR"
    case .uuid, .transformable, .binaryData, .undefined: "BLOB"
    case .objectIdentifier, .composite, .unknown: nil
    }
  }

  /// The values that a column of this type takes, in words for a message.
  package var expectedValue: String {
    switch self {
    case .integer16: "a whole number of 16 bits"
    case .integer32: "a whole number of 32 bits"
    case .integer64: "a whole number"
    case .boolean: "the number 0 or 1"
    case .date: "a real number, the seconds since 2001-01-01T00:00:00Z"
    case .double, .float: "a real number"
    case .decimal: "a number"
    case .string, .uri: "a text"
    case .uuid: "16 bytes"
    case .transformable, .binaryData, .undefined: "bytes"
    case .composite: "a value for each of its elements, by \"attribute.element\""
    case .objectIdentifier, .unknown: "no value that is known here"
    }
  }

  /// Whether a value has the storage class and range of the type; null always has.
  package func accepts(_ value: StoredValue) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer), (.decimal, .integer): true
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.date, .real(let number)), (.double, .real(let number)), (.float, .real(let number)),
      (.decimal, .real(let number)):
      !number.isNaN
    case (.string, .text), (.uri, .text), (.string, .malformedText): true
    case (.uuid, .blob(let bytes)): bytes.count == 16
    case (.transformable, .blob), (.binaryData, .blob), (.undefined, .blob): true
    default: false
    }
  }

  /// Whether values are real numbers. SQLite keeps one without a fraction as an integer where the
  /// column is declared `TIMESTAMP` or `DECIMAL`.
  package var isReal: Bool {
    switch self {
    case .date, .double, .float, .decimal: true
    default: false
    }
  }

  /// The value with the storage class of the type.
  package func restoring(_ value: StoredValue) -> StoredValue {
    isReal ? value.asReal : value
  }
}

extension StoredValue {
  /// The value, with a real number instead of an integer.
  package var asReal: StoredValue {
    if case .integer(let number) = self { .real(Double(number)) } else { self }
  }

  /// The value's storage class, in words for a message.
  package var kindName: String {
    switch self {
    case .null: "nothing"
    case .integer(let number): "the integer \(number)"
    case .real(let number): "the real number \(number)"
    case .text: "a text"
    case .malformedText: "a text that is not clean"
    case .blob(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
    }
  }
}
