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

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  func stored(_ value: Any) throws -> StoredValue { .blob(Array(try data(of: value))) }

  func data(of value: Any) throws -> Data {
    let made = try transformer().transformedValue(value).flatMap(PropertyLayout.unwrapped)
    switch made {
    case let data as Data: return data
    case let data as NSData: return data as Data
    default: throw problem("makes \(text(of: made)) of the value instead of Data")
    }
  }

  func value(of stored: StoredValue) throws -> Any {
    var made: Any?
    if case .blob(let bytes) = stored {
      made = try transformer().reverseTransformedValue(Data(bytes)).flatMap(
        PropertyLayout.unwrapped)
    }
    func isValue<Value>(_ type: Value.Type) -> Bool { made is Value }
    guard let made, _openExistential(type, do: isValue) else {
      throw problem("makes \(text(of: made)) of the stored data instead of \(type)")
    }
    return made
  }

  private func text(of made: Any?) -> String {
    made.map { "a value of type \(Swift.type(of: $0))" } ?? "nothing"
  }

  private func problem(_ text: String) -> Problem {
    Problem(description: "the value transformer \(reference.name) \(text)")
  }

  private func transformer() throws -> ValueTransformer {
    guard let transformer = reference.transformer else {
      throw Problem(
        description: "there is no value transformer \(reference.name); register it before the "
          + "container is used, by ValueTransformer.setValueTransformer(_:forName:)")
    }
    guard Swift.type(of: transformer).allowsReverseTransformation() else {
      throw problem(
        "does not allow the reverse transformation, without which nothing can be read")
    }
    return transformer
  }
}
