import Foundation
import StoreFormat

/// The elements of a structure that a store keeps in a column each.
struct CompositeShape {
  /// One element.
  struct Element {
    let name: String
    /// The type; nil for an element that is kept as JSON.
    let type: (any StorableValue.Type)?

    var attributeType: AttributeType { type?.attributeType ?? .binaryData }
  }

  let elements: [Element]
  /// Whether the value is encoded as another one: the raw value of an enumeration.
  let isSingle: Bool

  /// Finds out what a type consists of by letting it decode itself from blank parts.
  ///
  /// - Returns: Nil where that does not tell: for lists, for enumerations with associated values, and
  ///   where the type refuses blank parts.
  init?(of type: any Decodable.Type, attributeName: String) {
    let recorder = Recorder()
    let isWhole = (try? type.init(from: ElementDecoder(source: recorder))) != nil
    if let single = recorder.single {
      // An enumeration refuses a blank raw value, but has told its type.
      guard let storable = single as? any StorableValue.Type else { return nil }
      elements = [Element(name: attributeName, type: storable)]
      isSingle = true
      return
    }
    guard isWhole, !recorder.elements.isEmpty,
      recorder.elements.allSatisfy({ Self.isName($0.name) }),
      Set(recorder.elements.map { $0.name.uppercased() }).count == recorder.elements.count
    else { return nil }
    elements = recorder.elements
    isSingle = false
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 95
    }
  }

  private struct Unmakeable: Error {}

  /// Remembers which parts a type asks for.
  private final class Recorder: ElementDecoder.Source {
    let names: [String] = []
    private(set) var elements: [Element] = []
    private(set) var single: Any.Type?

    func isThere(_ name: String?) -> Bool { true }

    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
      if let name {
        if !elements.contains(where: { $0.name == name }) {
          elements.append(Element(name: name, type: wrapped as? any StorableValue.Type))
        }
      } else {
        single = wrapped
      }
      guard let value = BlankValue.make(type) else { throw Unmakeable() }
      return value
    }
  }

  // MARK: - Values

  /// What the columns hold for a value; nil where they cannot hold it.
  func stored(_ value: any Encodable) throws -> [StoredValue]? {
    let parts = try ElementEncoder.parts(of: value)
    switch parts {
    case .single(let raw):
      guard isSingle, let stored = (raw as? any StorableValue)?.stored else { return nil }
      return [stored]
    case .named(let list):
      let named = Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      return try elements.map { element in
        guard let part = named[element.name] else { return .null }
        if element.type != nil {
          return
            ((part as? any StorableValue) ?? (part as? any OptionalValue)?.unwrapped
            as? any StorableValue)?.stored ?? .null
        }
        return .blob(Array(try CodedValue.data(of: part)))
      }
    case .none, .other: return nil
    }
  }

  /// The value that columns hold; nil where they do not hold one.
  func value(of type: any Decodable.Type, _ stored: [StoredValue]) -> Any? {
    guard stored.contains(where: { !$0.isNull }) else { return nil }
    return try? type.init(from: ElementDecoder(source: Replay(shape: self, stored: stored)))
  }

  private final class Replay: ElementDecoder.Source {
    let values: [String: StoredValue]
    let single: StoredValue?

    init(shape: CompositeShape, stored: [StoredValue]) {
      values = Dictionary(
        zip(shape.elements.map(\.name), stored), uniquingKeysWith: { first, _ in first })
      single = shape.isSingle ? stored.first : nil
    }

    var names: [String] { values.filter { !$0.value.isNull }.map(\.key) }

    func isThere(_ name: String?) -> Bool {
      let value = name.map { values[$0] } ?? single
      return value.map { !$0.isNull } ?? false
    }

    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      guard let stored = name.map({ values[$0] }) ?? single else { throw Unmakeable() }
      if let storable = type as? any StorableValue.Type {
        guard let value = storable.init(stored: stored) as? T else { throw Unmakeable() }
        return value
      }
      guard case .blob(let bytes) = stored else { throw Unmakeable() }
      return try CodedValue.value(type, of: Data(bytes))
    }
  }
}
