import Foundation

/// Gives a value its parts, one level deep, from whoever has them.
struct ElementDecoder: Decoder {
  /// Where the parts come from.
  protocol Source: AnyObject {
    /// The names of the parts that are there.
    var names: [String] { get }
    /// Whether there is a part; nil stands for the value as a whole.
    func isThere(_ name: String?) -> Bool
    /// A part, or the value as a whole.
    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T
    /// Whether a part that may be nil is nil.
    func isNil(_ name: String) -> Bool
    /// The key that a value has which has one of several; nil for what the names say.
    func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key?
    /// Whether a part has parts in turn, which come from the same place.
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

    func contains(_ key: Key) -> Bool { source.isThere(key.stringValue) }
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

    func decodeNil() -> Bool { !source.isThere(nil) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try source.value(type, nil) }
  }
}

extension ElementDecoder.Source {
  func isNil(_ name: String) -> Bool { !isThere(name) }
  func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key? { nil }
  var isNested: Bool { false }
}
