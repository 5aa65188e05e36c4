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
