import Libc

/// One value as SQLite stores it, with its storage class.
public enum StoredValue: Hashable, Sendable {
  /// Nothing.
  case null
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// A floating point number; never a NaN, which SQLite stores as null.
  case real(Double)
  /// A text of valid UTF-8 without a NUL.
  case text(String)
  /// The bytes of a text that is invalid UTF-8 or contains a NUL.
  case malformedText([UInt8])
  /// Bytes.
  case blob([UInt8])
}

extension StoredValue {
  /// Whether the two are the same value of the same storage class, bit for bit.
  ///
  /// `0.0` and `-0.0` differ, as do composed and decomposed texts.
  public static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.malformedText(let left), .malformedText(let right)): left == right
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  /// Hashes what ``==(_:_:)`` compares.
  ///
  /// Bytes are hashed together: one by one, those of a large value take longer than reading it.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value.bitPattern)
    case .text(var value):
      hasher.combine(3)
      hasher.combine(value.utf8.count)
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .malformedText(let bytes):
      hasher.combine(4)
      hasher.combine(bytes.count)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .blob(let bytes):
      hasher.combine(5)
      hasher.combine(bytes.count)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// Creates a text from its bytes, which may be malformed.
  package init(text bytes: UnsafeRawBufferPointer) {
    // Takes a third of the time of `String(validating:as:)`, and repairs what is invalid.
    var text = String(decoding: bytes, as: UTF8.self)
    let isValid = text.withUTF8 { utf8 in
      guard utf8.count == bytes.count else { return false }
      guard let start = utf8.baseAddress, let stored = bytes.baseAddress, !bytes.isEmpty else {
        return true
      }
      return memcmp(start, stored, utf8.count) == 0 && memchr(start, 0, utf8.count) == nil
    }
    if isValid {
      self = .text(text)
    } else {
      // Both copies would take twice the memory.
      text = ""
      self = .malformedText(Array(bytes))
    }
  }

  /// Whether this is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension StoredValue {
  /// About how many bytes the value takes in a row.
  package var byteCount: Int {
    switch self {
    case .null: 0
    case .integer(let value):
      switch value {
      case 0, 1: 0
      case -128...127: 1
      case -32_768...32_767: 2
      case -2_147_483_648...2_147_483_647: 4
      default: 8
      }
    case .real: 8
    case .text(let text): text.utf8.count
    case .malformedText(let bytes), .blob(let bytes): bytes.count
    }
  }
}

/// A value in a page of the file, which is read without an allocation.
///
/// The bytes are valid while the call lasts that lends them.
package enum LentValue {
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// A floating point number; never a NaN.
  case real(Double)
  /// The bytes of a text, which may be invalid UTF-8 or contain a NUL.
  case text(UnsafeRawBufferPointer)
  /// Bytes.
  case blob(UnsafeRawBufferPointer)

  /// A copy of the value.
  package var stored: StoredValue {
    switch self {
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .blob(let bytes): return .blob(Array(bytes))
    case .text(let bytes): return StoredValue(text: bytes)
    }
  }
}

/// A text in a store, which may be invalid UTF-8.
///
/// An app may set any author, bundle, process or context. `string` is for display and comparison. A
/// text with invalid UTF-8 or a NUL keeps its `malformedBytes` too, so that it can be written back
/// unchanged.
public struct RecordedText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The text, with U+FFFD for invalid parts.
  package let string: String
  /// The bytes as stored; `nil` if ``string`` has the same.
  package let malformedBytes: [UInt8]?

  package init(_ string: String) {
    self.string = string
    malformedBytes = nil
  }

  package init(malformedBytes bytes: [UInt8]) {
    string = String(decoding: bytes, as: UTF8.self)
    malformedBytes = bytes
  }

  /// Makes a text from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Makes a text from a stored value; `nil` for null and for values of another storage class.
  package init?(_ value: StoredValue) {
    switch value {
    case .text(let string):
      self.init(string)
    case .malformedText(let bytes):
      self.init(malformedBytes: bytes)
    default:
      return nil
    }
  }

  /// The text as it is stored.
  package var storedValue: StoredValue {
    malformedBytes.map(StoredValue.malformedText) ?? .text(string)
  }

  /// Whether the two have the same bytes, as SQLite compares them: composed and decomposed texts differ.
  public static func == (left: RecordedText, right: RecordedText) -> Bool {
    left.storedValue == right.storedValue
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) { storedValue.hash(into: &hasher) }

  /// The same as `string`.
  public var description: String { string }
}

/// A column that the layout does not know, or one with a value of an unexpected storage class.
///
/// Such values are kept under the column's name, so that nothing of a row is lost.
package struct ExtraColumn: Hashable, Sendable {
  /// The column's name in its table.
  package let column: String
  package let value: StoredValue

  package init(column: String, value: StoredValue) {
    self.column = column
    self.value = value
  }
}
