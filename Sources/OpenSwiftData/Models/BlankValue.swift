import Foundation
import StoreFormat

/// Makes blank values: zero, the empty text, structures of blank values.
enum BlankValue {
  static func make<T: Decodable>(_ type: T.Type) -> T? {
    if let storable = type as? any StorableValue.Type { return storable.blank as? T }
    if let optional = type as? any OptionalValue.Type { return optional.none as? T }
    if let cases = type as? any CaseIterable.Type { return first(of: cases) as? T }
    if let collection = type as? any RangeReplaceableCollection.Type {
      return collection.init() as? T
    }
    return try? T(from: ElementDecoder(source: Source(isNested: false)))
  }

  /// Returns a blank value or, of a type without one, the first case of an enumeration, or a
  /// structure of such.
  static func makeAny<T: Decodable>(_ type: T.Type) -> T? {
    make(type) ?? (type is any RawRepresentable.Type ? Enumerations.cases(of: type).first : nil)
      ?? (try? T(from: ElementDecoder(source: Source(isNested: true))))
  }

  static func isMakeable<T: Decodable>(_ type: T.Type) -> Bool { make(type) != nil }

  static func fewValues(of type: Any.Type) -> [Any]? {
    func all<T: CaseIterable>(_ type: T.Type) -> [Any] { type.allCases.map { $0 } }
    if type == Bool.self { return [false, true] }
    return (type as? any CaseIterable.Type).map { all($0) }
  }

  private static func first<T: CaseIterable>(of type: T.Type) -> T? { type.allCases.first }

  struct Unmakeable: Error {}

  /// Gives all elements blank values; a nested source also gives those of ``makeAny(_:)``.
  private final class Source: ElementDecoder.Source {
    let isNested: Bool
    let names: [String] = []

    init(isNested: Bool) { self.isNested = isNested }

    func exists(_ name: String?) -> Bool { true }
    func isNil(_ name: String) -> Bool { true }
    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      guard let value = isNested ? BlankValue.makeAny(type) : BlankValue.make(type) else {
        throw Unmakeable()
      }
      return value
    }
    // An enumeration with associated values decodes its only key, and what is nested in it.
    func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key? {
      isNested ? Enumerations.cases(of: type).first : nil
    }
  }
}

/// The cases of enumerations that are not `CaseIterable`, as the Swift ABI lays them out.
enum Enumerations {
  /// The kind of an enumeration's metadata.
  private static let metadataKind = 0x201

  static func isEnumeration(_ type: Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<Int>.self).pointee == metadataKind
  }

  /// Returns the cases of an enumeration without associated values, in the order of their
  /// declaration; none of other types.
  ///
  /// Such an enumeration takes one byte, or none with a single case, and numbers its cases from 0.
  /// The next number is that of `nil` in an optional of it. Up to 255 cases are found.
  static func cases<T>(of type: T.Type) -> [T] {
    guard isEnumeration(type) else { return [] }
    switch (MemoryLayout<T>.size, MemoryLayout<T?>.size) {
    case (0, 1): return [unsafeBitCast((), to: T.self)]
    case (1, 1):
      return (0..<unsafeBitCast(T?.none, to: UInt8.self)).map { unsafeBitCast($0, to: T.self) }
    default: return []
    }
  }
}

extension StorableValue {
  fileprivate static var blank: Self? {
    let values: [StoredValue] = [
      .integer(0), .real(0), .text(""), .blob([]), .blob(Array(repeating: 0, count: 16)),
      .text("about:blank"),
    ]
    for value in values {
      if let blank = Self(stored: value) { return blank }
    }
    return nil
  }
}
