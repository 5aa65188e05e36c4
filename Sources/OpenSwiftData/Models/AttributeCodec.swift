import Foundation
import StoreFormat
import Synchronization

/// The form of an attribute's values in a store.
struct AttributeCodec {
  enum Storage {
    /// One column with the value itself.
    case plain(any StorableValue.Type)
    /// A column for each element.
    case composite(CompositeShape)
    /// One column with JSON.
    case coded
    /// One column with the data of a transformer.
    case transformed(TransformedValues)
  }

  /// The type of the values without optional; `Data` for transformed values.
  let type: any (Decodable & Encodable).Type
  let storage: Storage
  /// Whether a decoded value is worth keeping: decoding takes time, and values can be compared
  /// without it.
  let isWorthKeeping: Bool
  /// The kind of column value that is always valid, or `nil` if it must be decoded to find out.
  private(set) var usualKind: UsualKind?
  /// The column values of an enumeration's cases that were decoded so far.
  private var readCases: ReadCases?

  enum UsualKind {
    case text, integer, real, uuid, data

    func isKind(of stored: StoredValue) -> Bool {
      switch (self, stored) {
      case (.text, .text), (.integer, .integer), (.real, .real), (.data, .blob): true
      case (.uuid, .blob(let bytes)): bytes.count == 16
      default: false
      }
    }
  }

  private final class ReadCases: Sendable {
    private static let mostCases = 256
    private let values = Mutex<Set<StoredValue>>([])

    func contains(_ value: StoredValue) -> Bool { values.withLock { $0.contains(value) } }
    func insert(_ value: StoredValue) {
      values.withLock { if $0.count < Self.mostCases { $0.insert(value) } }
    }
  }

  /// - Parameter isCodable: Whether an enumeration without raw values, or a structure, is stored as JSON.
  init?(
    valueType: Any.Type, attributeName: String, transformer: TransformerReference?,
    isCodable: Bool = false
  ) {
    let wrapped = (valueType as? any OptionalValue.Type)?.wrappedType ?? valueType
    if let transformer {
      type = Data.self
      storage = .transformed(TransformedValues(reference: transformer, type: wrapped))
      isWorthKeeping = true
      return
    }
    guard let type = wrapped as? any (Decodable & Encodable).Type else { return nil }
    self.type = type
    if let storable = wrapped as? any StorableValue.Type {
      storage = .plain(storable)
    } else if let shape = CompositeShape(
      of: type, attributeName: attributeName, isOptional: valueType is any OptionalValue.Type),
      !isCodable || shape.form == .single
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
      case is UUID.Type: .uuid
      case is Data.Type: .data
      default: nil
      }
    switch storage {
    case .composite(let shape) where shape.form == .single:
      readCases = ReadCases()
      isWorthKeeping = false
    case .composite, .coded: isWorthKeeping = wrapped is any Equatable.Type
    case .plain, .transformed: isWorthKeeping = false
    }
  }

  func isKnownToRead(_ stored: StoredValue) -> Bool {
    usualKind?.isKind(of: stored) ?? readCases?.contains(stored) ?? false
  }

  var attributeType: AttributeType {
    switch storage {
    case .plain(let type): type.attributeType
    case .coded: .binaryData
    case .composite: .composite
    case .transformed: .transformable
    }
  }

  var transformed: TransformedValues? {
    if case .transformed(let values) = storage { values } else { nil }
  }

  func value(of stored: StoredValue) -> Any? {
    switch storage {
    case .plain(let type): return type.init(stored: stored)
    case .coded:
      guard case .blob(let bytes) = stored else { return nil }
      return Self.anyValue(type, of: Data(bytes))
    case .composite: return value(of: [stored])
    case .transformed(let values): return try? values.value(of: stored)
    }
  }

  func value(of stored: [StoredValue]) -> Any? {
    guard case .composite(let shape) = storage else {
      return stored.first.flatMap { value(of: $0) }
    }
    let made = shape.value(of: type, stored)
    if made != nil, let readCases, let single = stored.first { readCases.insert(single) }
    return made
  }

  /// Returns the column values of a value.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if the columns cannot hold it.
  func stored(_ value: Any, name: @autoclosure () -> String) throws -> [StoredValue] {
    let stored: [StoredValue]?
    do {
      switch storage {
      case .plain: stored = (value as? any StorableValue)?.stored.map { [$0] }
      case .coded:
        stored = try (value as? any Encodable).map { [.blob(Array(try Self.data(of: $0)))] }
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

  func paths(of name: String) -> [String] {
    guard case .composite(let shape) = storage else { return [name] }
    return shape.elements.map { name + "." + $0.name }
  }
}

/// Values stored as JSON, as SwiftData does with arrays.
extension AttributeCodec {
  static func data(of value: any Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // Equal values give equal bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  private static func anyValue(_ type: any Decodable.Type, of data: Data) -> Any? {
    try? value(type, of: data)
  }

  static func value<T: Decodable>(_ type: T.Type, of data: Data) throws -> T {
    try JSONDecoder().decode(type, from: data)
  }
}
