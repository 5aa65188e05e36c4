import Foundation
import StoreFormat

/// The elements of a structure or an enumeration, each of which has a column.
struct CompositeShape {
  enum Form {
    case structure
    /// A value that is encoded as a single other one, such as the raw value of an enumeration.
    case single
    /// An enumeration without raw and associated values: the column of a case holds its name, and
    /// the others are null.
    case cases
  }

  struct Element {
    let name: String
    /// The type that decoding asks for.
    let valueType: Any.Type
    /// The type without optional, or `nil` for an element stored as JSON.
    let type: (any StorableValue.Type)?

    var attributeType: AttributeType { type?.attributeType ?? .binaryData }
  }

  let elements: [Element]
  let form: Form
  /// The kind of enumeration for the model of a store, or `nil` for a structure.
  let enumeration: ManagedAttribute.Enumeration?
  private let isOptional: Bool

  /// Finds the elements of a type by letting it decode itself from blank ones.
  ///
  /// - Returns: `nil` for arrays, for enumerations with associated values, for types that refuse
  ///   blank elements, for types whose elements depend on the value of another, and for types that
  ///   encode themselves otherwise than they are decoded first.
  init?(of type: any Decodable.Type, attributeName: String, isOptional: Bool) {
    self.isOptional = isOptional
    let isEnumeration = Enumerations.isEnumeration(type)
    let recorder = Recorder()
    recorder.chosenCase = isEnumeration ? 0 : nil
    let blank = try? type.init(from: ElementDecoder(source: recorder))
    if !recorder.caseNames.isEmpty {
      guard let names = Self.caseNames(of: type, first: recorder) else { return nil }
      elements = names.map { Element(name: $0, valueType: String.self, type: String.self) }
      (form, enumeration) = (.cases, .cases)
      return
    }
    if let single = recorder.single {
      // An enumeration refuses a blank raw value after asking for its type.
      guard let storable = single as? any StorableValue.Type,
        Self.isEncoded(
          blank, { if case .single(let raw) = $0 { raw is any StorableValue } else { false } })
      else { return nil }
      elements = [Element(name: attributeName, valueType: single, type: storable)]
      (form, enumeration) = (.single, isEnumeration ? .rawValue : nil)
      return
    }
    guard let blank, Self.areNames(recorder.elements.map(\.name)),
      Self.isEncoded(blank, { if case .named = $0 { true } else { false } })
    else { return nil }
    elements = recorder.elements
    (form, enumeration) = (.structure, nil)
    let names = Set(elements.map(\.name))
    for (name, count) in recorder.caseCounts.sorted(by: { $0.key < $1.key }) {
      for number in 1..<max(1, min(count, Self.mostCases)) {
        let other = Recorder(choosing: number, for: name)
        _ = try? type.init(from: ElementDecoder(source: other))
        guard other.elements.allSatisfy({ names.contains($0.name) }) else { return nil }
      }
    }
  }

  private static let mostCases = 64

  /// Returns whether a value encodes itself in some form, as far as that is known: a type may read an
  /// older form first that it no longer writes.
  private static func isEncoded(
    _ value: Any?, _ isForm: (ElementEncoder.Parts) -> Bool
  ) -> Bool {
    guard let value = value as? any Encodable, let parts = try? ElementEncoder.parts(of: value)
    else { return true }
    return isForm(parts)
  }

  /// Returns the names of an enumeration's cases, or `nil` if one has associated values.
  private static func caseNames(
    of type: any Decodable.Type, first: Recorder
  ) -> [String]? {
    for number in first.caseNames.indices {
      let recorder = Recorder()
      recorder.chosenCase = number
      guard let value = try? type.init(from: ElementDecoder(source: recorder)),
        recorder.elements.isEmpty, recorder.single == nil, let value = value as? any Encodable,
        case .oneCase(first.caseNames[number])? = try? ElementEncoder.parts(of: value)
      else { return nil }
    }
    return areNames(first.caseNames) ? first.caseNames : nil
  }

  private static func areNames(_ names: [String]) -> Bool {
    !names.isEmpty && names.allSatisfy(isName)
      && Set(names.map { $0.uppercased() }).count == names.count
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 95
    }
  }

  /// An element that decoding did not ask for, so that it has no column.
  private struct UnknownPart: Error, CustomStringConvertible {
    let name: String

    var description: String {
      "it has a part \(name) that decoding it from blank parts does not ask for; let it decode the "
        + "same parts always, or be one part"
    }
  }

  /// Records the elements that a type asks for.
  private final class Recorder: ElementDecoder.Source {
    let names: [String] = []
    private(set) var elements: [Element] = []
    private(set) var single: Any.Type?
    /// The number of values of elements that have few.
    private(set) var caseCounts: [String: Int] = [:]
    /// The number of the case that an enumeration is to have.
    var chosenCase: Int?
    /// The names of its cases, if the enumeration asked for the one key.
    private(set) var caseNames: [String] = []
    private let choice: (name: String, number: Int)?

    init() { choice = nil }

    /// Gives an element another value than the first one.
    init(choosing number: Int, for name: String) { choice = (name, number) }

    func exists(_ name: String?) -> Bool { true }
    var isNested: Bool { !caseNames.isEmpty }
    func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key? {
      guard let chosenCase, caseNames.isEmpty else { return nil }
      let keys = Enumerations.cases(of: type)
      caseNames = keys.map(\.stringValue)
      return keys.indices.contains(chosenCase) ? keys[chosenCase] : nil
    }

    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      let wrapped = (type as? any OptionalValue.Type)?.wrappedType ?? type
      if let name {
        if !elements.contains(where: { $0.name == name }) {
          elements.append(
            Element(
              name: name, valueType: type, type: wrapped as? any StorableValue.Type))
        }
        if let values = BlankValue.fewValues(of: wrapped) {
          caseCounts[name] = values.count
          if let choice, choice.name == name, values.indices.contains(choice.number),
            let value = values[choice.number] as? T
          {
            return value
          }
        }
      } else {
        single = wrapped
      }
      guard let value = BlankValue.make(type) else { throw BlankValue.Unmakeable() }
      return value
    }
  }

  // MARK: - Values

  /// Returns the column values of a value, or `nil` if the columns cannot hold it.
  ///
  /// - Throws: The errors of encoding, also for an element without a column.
  func stored(_ value: any Encodable) throws -> [StoredValue]? {
    let parts = try ElementEncoder.parts(of: value)
    switch parts {
    case .oneCase(let name):
      guard form == .cases else { return nil }
      return elements.map { $0.name == name ? .text(name) : .null }
    case .single(let raw):
      guard form == .single, let stored = (raw as? any StorableValue)?.stored else { return nil }
      return [stored]
    case .named(let list):
      var named: [String: any Encodable] = [:]
      for (name, value) in list where PropertyLayout.unwrapped(value) != nil {
        named[name] = value
      }
      var columns: [StoredValue] = []
      for element in elements {
        guard let part = named.removeValue(forKey: element.name) else {
          columns.append(.null)
          continue
        }
        guard element.type != nil else {
          columns.append(.blob(Array(try AttributeCodec.data(of: part))))
          continue
        }
        guard let value = PropertyLayout.unwrapped(part) as? any StorableValue,
          let stored = value.stored
        else { return nil }
        columns.append(stored)
      }
      if let name = named.keys.min() { throw UnknownPart(name: name) }
      return columns
    case .none, .other: return nil
    }
  }

  func value(of type: any Decodable.Type, _ stored: [StoredValue]) -> Any? {
    // All elements of a structure can be nil, so nil columns mean nil only for an optional.
    guard !isOptional || stored.contains(where: { !$0.isNull }) else { return nil }
    return try? type.init(from: ElementDecoder(source: Replay(shape: self, stored: stored)))
  }

  private final class Replay: ElementDecoder.Source {
    let values: [String: StoredValue]
    let single: StoredValue?
    let isNested: Bool

    init(shape: CompositeShape, stored: [StoredValue]) {
      values = Dictionary(keepingFirst: zip(shape.elements.map(\.name), stored))
      single = shape.form == .single ? stored.first : nil
      isNested = shape.form == .cases
    }

    var names: [String] {
      let present = values.filter { !$0.value.isNull }
      // The column of a case has no value but the name of the case.
      guard !isNested || present.allSatisfy({ $1 == .text($0) }) else { return [] }
      return Array(present.keys)
    }

    func exists(_ name: String?) -> Bool {
      let value = name.map { values[$0] } ?? single
      return value.map { !$0.isNull } ?? false
    }

    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      guard let stored = name.map({ values[$0] }) ?? single else { throw BlankValue.Unmakeable() }
      if let storable = type as? any StorableValue.Type {
        guard let value = storable.init(stored: stored) as? T else { throw BlankValue.Unmakeable() }
        return value
      }
      guard case .blob(let bytes) = stored else { throw BlankValue.Unmakeable() }
      return try AttributeCodec.value(type, of: Data(bytes))
    }
  }
}
