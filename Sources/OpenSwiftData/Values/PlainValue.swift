import Foundation
import StoreFormat

/// Values of the commonest types, between what a property has and what a column holds.
///
/// What is done here is the same as what ``StorableValue`` does, for the types whose stored form gives
/// the value back exactly. It works without boxes and casts at run time, which take most of the time
/// that a model's properties cost.
enum PlainValue {
  /// What a column holds for a value; nil for a type that is not of these, and for a value that needs
  /// more care.
  @inline(__always)
  static func stored<Value>(_ value: Value) -> StoredValue? {
    if Value.self == String.self { return stored(text: same(value, as: String.self)) }
    if Value.self == Int.self { return .integer(Int64(same(value, as: Int.self))) }
    if Value.self == Double.self { return stored(number: same(value, as: Double.self)) }
    if Value.self == Bool.self { return .integer(same(value, as: Bool.self) ? 1 : 0) }
    if Value.self == Date.self {
      return stored(number: same(value, as: Date.self).timeIntervalSinceReferenceDate)
    }
    if Value.self == String?.self { return same(value, as: String?.self).flatMap(stored(text:)) }
    return nil
  }

  /// The value that a column holds; nil for a type that is not of these, and for what is no value of
  /// the type.
  @inline(__always)
  static func value<Value>(_ stored: StoredValue, as type: Value.Type) -> Value? {
    switch stored {
    case .text(let text):
      if Value.self == String.self { return same(text, as: Value.self) }
      if Value.self == String?.self { return same(Optional(text), as: Value.self) }
    case .integer(let number):
      if Value.self == Int.self { return same(Int(truncatingIfNeeded: number), as: Value.self) }
      if Value.self == Bool.self { return same(number != 0, as: Value.self) }
    case .real(let number):
      if Value.self == Double.self { return same(number, as: Value.self) }
      if Value.self == Date.self {
        return same(Date(timeIntervalSinceReferenceDate: number), as: Value.self)
      }
    case .null, .malformedText, .blob: break
    }
    return nil
  }

  private static func stored(text: String) -> StoredValue? {
    text.utf8.contains(0) ? nil : .text(text)
  }

  private static func stored(number: Double) -> StoredValue? {
    number.isNaN ? nil : .real(number)
  }

  /// A value as one of a type that was found to be its own.
  @inline(__always)
  private static func same<From, To>(_ value: From, as type: To.Type) -> To {
    precondition(From.self == To.self)
    return unsafeBitCast(value, to: To.self)
  }
}
