import Foundation
import StoreFormat
import Synchronization

/// How the values of an attribute stand in a store.
struct AttributeCodec {
  /// Which columns hold a value.
  enum Storage {
    /// One, which holds the value as it is.
    case plain(any StorableValue.Type)
    /// One for each element.
    case composite(CompositeShape)
    /// One, which holds JSON.
    case coded
    /// One, which holds the data that a transformer makes.
    case transformed(TransformedValues)
  }

  /// The type of the values, never an optional; of values that are transformed, that of what is made.
  let type: any (Decodable & Encodable).Type
  let storage: Storage
  /// Whether a value that was made is to be kept: to make it again takes time, and what it was made of
  /// need not be there to tell whether another one is the same.
  let isWorthKeeping: Bool
  /// The kind of column value that always is a value of the type; nil where a closer look is needed.
  private let usualKind: UsualKind?
  /// What columns hold for the cases of an enumeration, as far as they were read.
  private let readCases: ReadCases?

  private enum UsualKind { case text, integer, real }

  /// Values of which one is known to be readable, few as there are.
  private final class ReadCases: Sendable {
    private static let mostCases = 256
    private let values = Mutex<Set<StoredValue>>([])

    func contains(_ value: StoredValue) -> Bool { values.withLock { $0.contains(value) } }
    func insert(_ value: StoredValue) {
      values.withLock { if $0.count < Self.mostCases { $0.insert(value) } }
    }
  }

  /// - Returns: Nil for a type that is not `Codable` and has no transformer.
  init?(valueType: Any.Type, attributeName: String, transformer: TransformerReference?) {
    let wrapped = (valueType as? any OptionalValue.Type)?.wrappedType ?? valueType
    if let transformer {
      type = Data.self
      storage = .transformed(TransformedValues(reference: transformer, type: wrapped))
      isWorthKeeping = true
      usualKind = nil
      readCases = nil
      return
    }
    guard let type = wrapped as? any (Decodable & Encodable).Type else { return nil }
    self.type = type
    if let storable = wrapped as? any StorableValue.Type {
      storage = .plain(storable)
    } else if let shape = CompositeShape(
      of: type, attributeName: attributeName, isOptional: valueType is any OptionalValue.Type)
    {
      storage = .composite(shape)
    } else {
      storage = .coded
    }
    usualKind =
      switch wrapped {
      case is String.Type: .text
      case is Int.Type, is Int64.Type, is Bool.Type: .integer
      case is Double.Type, is Float.Type, is Date.Type: .real
      default: nil
      }
    switch storage {
    case .composite(let shape):
      readCases = shape.isSingle ? ReadCases() : nil
      isWorthKeeping = !shape.isSingle && wrapped is any Equatable.Type
    case .coded:
      readCases = nil
      isWorthKeeping = wrapped is any Equatable.Type
    case .plain, .transformed:
      readCases = nil
      isWorthKeeping = false
    }
  }

  /// Whether what a column holds can be told to be a value of the type without making that.
  func isKnownToRead(_ stored: StoredValue) -> Bool {
    switch (usualKind, stored) {
    case (.text, .text), (.integer, .integer), (.real, .real): true
    default: readCases?.contains(stored) ?? false
    }
  }

  /// The type of the attribute in a store's model.
  var attributeType: AttributeType {
    switch storage {
    case .plain(let type): type.attributeType
    case .coded: .binaryData
    case .composite: .composite
    case .transformed: .transformable
    }
  }

  /// What transforms the values; nil where nothing does.
  var transformed: TransformedValues? {
    if case .transformed(let values) = storage { values } else { nil }
  }

  /// The value of a column; nil for nothing, and for what is no value of the type.
  func value(of stored: StoredValue) -> Any? {
    switch storage {
    case .plain(let type): return type.init(stored: stored)
    case .coded:
      guard case .blob(let bytes) = stored else { return nil }
      return CodedValue.anyValue(type, of: Data(bytes))
    case .composite: return value(of: [stored])
    case .transformed(let values): return try? values.value(of: stored)
    }
  }

  /// The value of a composite's columns; nil for nothing.
  func value(of stored: [StoredValue]) -> Any? {
    guard case .composite(let shape) = storage else {
      return stored.first.flatMap { value(of: $0) }
    }
    let made = shape.value(of: type, stored)
    if made != nil, let readCases, let single = stored.first { readCases.insert(single) }
    return made
  }

  /// What the columns hold for a value.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` where they cannot hold it.
  func stored(_ value: Any, name: @autoclosure () -> String) throws -> [StoredValue] {
    let stored: [StoredValue]?
    do {
      switch storage {
      case .plain: stored = (value as? any StorableValue)?.stored.map { [$0] }
      case .coded:
        stored = try (value as? any Encodable).map { [.blob(Array(try CodedValue.data(of: $0)))] }
      case .composite(let shape):
        stored = try (value as? any Encodable).flatMap { try shape.stored($0) }
      case .transformed(let values): stored = [try values.stored(value)]
      }
    } catch {
      throw SwiftDataError(.modelValidationFailure, "\(name()) cannot be encoded: \(error)")
    }
    guard let stored else {
      throw SwiftDataError(
        .modelValidationFailure, "\(name()) has a value that a store cannot hold: \(value)")
    }
    return stored
  }

  /// The names of the columns' attributes.
  func paths(of name: String) -> [String] {
    guard case .composite(let shape) = storage else { return [name] }
    return shape.elements.map { name + "." + $0.name }
  }
}
