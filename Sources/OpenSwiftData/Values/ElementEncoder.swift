import Foundation

/// Takes the parts of a value as it encodes itself, one level deep and without encoding them.
final class ElementEncoder: Encoder {
  /// What a value consists of.
  enum Parts {
    /// Nothing was encoded.
    case none
    /// Parts by name.
    case named([(name: String, value: any Encodable)])
    /// The value is encoded as another one.
    case single(any Encodable)
    /// Something else, such as a list.
    case other
  }

  fileprivate(set) var parts = Parts.none
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// The parts of a value.
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
    guard case .named(var list) = parts else { return }
    list.append((name, value))
    parts = .named(list)
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ElementEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      encoder.add(key.stringValue, value)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      let nested = ElementEncoder()
      encoder.parts = .other
      return nested.container(keyedBy: keyType)
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
