import Foundation

/// Decodes a value from its elements, one level deep.
struct ElementDecoder: Decoder {
  protocol Source: AnyObject {
    var names: [String] { get }
    func exists(_ name: String?) -> Bool
    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T
    func isNil(_ name: String) -> Bool
    func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key?
    /// Whether elements have elements of their own, from the same source.
    var isNested: Bool { get }
  }

  let source: any Source
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(source: source))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unsupported }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    Single(source: source)
  }

  private static var unsupported: DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "only named parts are there"))
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: any Source
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] {
      source.onlyKey(Key.self).map { [$0] } ?? source.names.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { source.exists(key.stringValue) }
    func decodeNil(forKey key: Key) throws -> Bool { source.isNil(key.stringValue) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try source.value(type, key.stringValue)
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      source.isNil(key.stringValue) ? nil : try source.value(type, key.stringValue)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      guard source.isNested else { throw ElementDecoder.unsupported }
      return KeyedDecodingContainer(Keyed<NestedKey>(source: source))
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw ElementDecoder.unsupported
    }
    func superDecoder() throws -> any Decoder { throw ElementDecoder.unsupported }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw ElementDecoder.unsupported }
  }

  private struct Single: SingleValueDecodingContainer {
    let source: any Source
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { !source.exists(nil) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.value(type, nil) }
  }
}

extension ElementDecoder.Source {
  func isNil(_ name: String) -> Bool { !exists(name) }
  func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key? { nil }
  var isNested: Bool { false }
}

/// Takes the elements of a value as it encodes itself, one level deep, without encoding them.
final class ElementEncoder: Encoder {
  enum Parts {
    case none
    case named([(name: String, value: any Encodable)])
    /// The value is encoded as another one.
    case single(any Encodable)
    /// The value is a case of an enumeration without associated values.
    case oneCase(String)
    /// Another form, such as an array.
    case other
  }

  fileprivate(set) var parts = Parts.none
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  static func parts(of value: any Encodable) throws -> Parts {
    let encoder = ElementEncoder()
    try value.encode(to: encoder)
    return encoder.parts
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .none = parts { parts = .named([]) }
    return KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    parts = .other
    return Unkeyed(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  fileprivate func add(_ name: String, _ value: any Encodable) {
    guard case .named(var list) = parts else {
      // An enumeration's case has associated values.
      parts = .other
      return
    }
    list.append((name, value))
    parts = .named(list)
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ElementEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
      if case .oneCase = encoder.parts { encoder.parts = .other }
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      encoder.add(key.stringValue, value)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      guard case .named(let list) = encoder.parts, list.isEmpty else {
        encoder.parts = .other
        return ElementEncoder().container(keyedBy: keyType)
      }
      encoder.parts = .oneCase(key.stringValue)
      return KeyedEncodingContainer(Keyed<NestedKey>(encoder: encoder))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.unkeyedContainer()
    }
    func superEncoder() -> any Encoder { other() }
    func superEncoder(forKey key: Key) -> any Encoder { other() }
    private func other() -> any Encoder {
      encoder.parts = .other
      return ElementEncoder()
    }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: ElementEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {}
    func encode<T: Encodable>(_ value: T) throws { encoder.parts = .single(value) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let encoder: ElementEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws {}
    func encode<T: Encodable>(_ value: T) throws {}
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { ElementEncoder().container(keyedBy: keyType) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      ElementEncoder().unkeyedContainer()
    }
    func superEncoder() -> any Encoder { ElementEncoder() }
  }
}
