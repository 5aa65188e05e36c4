import Foundation

/// Values that a store keeps as JSON, as SwiftData does with lists.
enum CodedValue {
  static func data(of value: any Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // The same value gives the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  /// The value of a type that is known at run time only; nil for what is no value of it.
  static func anyValue(_ type: any Decodable.Type, of data: Data) -> Any? {
    try? value(type, of: data)
  }

  static func value<T: Decodable>(_ type: T.Type, of data: Data) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }
}
