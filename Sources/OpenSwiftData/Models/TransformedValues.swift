import Foundation
import StoreFormat

/// The transformer of an attribute.
struct TransformerReference: Hashable, Sendable {
  /// The name in a store's model.
  let name: String
  private let type: ValueTransformer.Type?

  init(name: String) {
    self.name = name
    type = nil
  }

  init(_ type: ValueTransformer.Type) {
    #if canImport(ObjectiveC)
    name = NSStringFromClass(type)
    #else
    name = String(reflecting: type)
    #endif
    self.type = type
  }

  /// The transformer, or `nil` if none has the name.
  var transformer: ValueTransformer? {
    if let registered = ValueTransformer(forName: NSValueTransformerName(rawValue: name)) {
      return registered
    }
    #if canImport(ObjectiveC)
    // Foundation finds classes by name.
    return nil
    #else
    return type.map { $0.init() }
    #endif
  }

  static func == (left: TransformerReference, right: TransformerReference) -> Bool {
    left.name == right.name
  }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The values of an attribute that a transformer turns into data.
struct TransformedValues {
  let reference: TransformerReference
  /// The type of the values, never an optional.
  let type: Any.Type

  enum Problem: Error, CustomStringConvertible {
    case unknown(String)
    case irreversible(String)
    case noData(String, found: String)
    case noValue(String, found: String, expected: String)

    var description: String {
      switch self {
      case .unknown(let name):
        "there is no value transformer \(name); register it before the container is used, by "
          + "ValueTransformer.setValueTransformer(_:forName:)"
      case .irreversible(let name):
        "the value transformer \(name) does not allow the reverse transformation, without which "
          + "nothing can be read"
      case .noData(let name, let found):
        "the value transformer \(name) makes \(found) of the value instead of Data"
      case .noValue(let name, let found, let expected):
        "the value transformer \(name) makes \(found) of the stored data instead of "
          + expected
      }
    }

    static func noData(_ name: String, _ found: Any?) -> Problem {
      .noData(name, found: text(of: found))
    }

    static func noValue(_ name: String, _ found: Any?, _ expected: Any.Type) -> Problem {
      .noValue(name, found: text(of: found), expected: "\(expected)")
    }

    private static func text(of found: Any?) -> String {
      found.map { "a value of type \(Swift.type(of: $0))" } ?? "nothing"
    }
  }

  func stored(_ value: Any) throws -> StoredValue { .blob(Array(try data(of: value))) }

  func data(of value: Any) throws -> Data {
    let made = try transformer().transformedValue(value)
    guard let made = made.flatMap(PropertyLayout.unwrapped) else {
      throw Problem.noData(reference.name, nil)
    }
    switch made {
    case let data as Data: return data
    case let data as NSData: return data as Data
    default: throw Problem.noData(reference.name, made)
    }
  }

  func value(of stored: StoredValue) throws -> Any {
    guard case .blob(let bytes) = stored else {
      throw Problem.noValue(reference.name, nil, type)
    }
    let made = try transformer().reverseTransformedValue(Data(bytes))
    guard let made = made.flatMap(PropertyLayout.unwrapped) else {
      throw Problem.noValue(reference.name, nil, type)
    }
    func isValue<Value>(_ type: Value.Type) -> Bool { made is Value }
    guard _openExistential(type, do: isValue) else {
      throw Problem.noValue(reference.name, made, type)
    }
    return made
  }

  private func transformer() throws -> ValueTransformer {
    guard let transformer = reference.transformer else { throw Problem.unknown(reference.name) }
    guard Swift.type(of: transformer).allowsReverseTransformation() else {
      throw Problem.irreversible(reference.name)
    }
    return transformer
  }
}
