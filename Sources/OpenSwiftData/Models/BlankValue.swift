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
    make(type) ?? (type is any RawRepresentable.Type ? firstCase(type) : nil)
      ?? (try? T(from: ElementDecoder(source: Source(isNested: true))))
  }

  /// Returns the first case of an enumeration that is not `CaseIterable`.
  ///
  /// Enumerations without associated values take one byte, or none with a single case, and number
  /// their cases from 0. A zero byte is valid in every other type of that size.
  private static func firstCase<T>(_ type: T.Type) -> T? {
    switch MemoryLayout<T>.size {
    case 0: unsafeBitCast((), to: T.self)
    case 1: unsafeBitCast(UInt8(0), to: T.self)
    default: nil
    }
  }

  static func isMakeable<T: Decodable>(_ type: T.Type) -> Bool { make(type) != nil }

  static func fewValues(of type: Any.Type) -> [Any]? {
    func all<T: CaseIterable>(_ type: T.Type) -> [Any] { type.allCases.map { $0 } }
    if type == Bool.self { return [false, true] }
    return (type as? any CaseIterable.Type).map { all($0) }
  }

  private static func first<T: CaseIterable>(of type: T.Type) -> T? { type.allCases.first }

  private struct Unmakeable: Error {}

  /// Gives all elements blank values; a nested source also gives those of ``makeAny(_:)``.
  private final class Source: ElementDecoder.Source {
    let isNested: Bool
    let names: [String] = []

    init(isNested: Bool) { self.isNested = isNested }

    func isThere(_ name: String?) -> Bool { true }
    func isNil(_ name: String) -> Bool { true }
    func value<T: Decodable>(_ type: T.Type, _ name: String?) throws -> T {
      guard let value = isNested ? BlankValue.makeAny(type) : BlankValue.make(type) else {
        throw Unmakeable()
      }
      return value
    }
    // An enumeration with associated values decodes its only key, and what is nested in it.
    func onlyKey<Key: CodingKey>(_ type: Key.Type) -> Key? {
      isNested ? BlankValue.firstCase(type) : nil
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
