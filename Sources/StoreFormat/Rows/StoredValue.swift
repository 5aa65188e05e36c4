/// One value as SQLite stores it, with its storage class.
public enum StoredValue: Hashable, Sendable {
  /// Nothing.
  case null
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// A floating point number; never a NaN, which SQLite stores as null.
  case real(Double)
  /// A text that is clean UTF-8 and holds no NUL.
  case text(String)
  /// A text that is not clean UTF-8, or that holds a NUL, byte by byte.
  case malformedText([UInt8])
  /// Bytes.
  case blob([UInt8])
}

extension StoredValue {
  /// Whether the two are the same value of the same storage class, bit for bit.
  ///
  /// `0.0` and `-0.0` differ here, and composed and decomposed texts do as well.
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

  /// Feeds what ``==(_:_:)`` compares into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): value.utf8.forEach { hasher.combine($0) }
    case .malformedText(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }

  /// Whether this is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

/// A text that a store holds, which need not be clean UTF-8.
///
/// Authors, bundles, processes and contexts are whatever an app set. `string` is what to show and
/// compare; a text with broken UTF-8 or a NUL in it keeps its `malformedBytes` too, so that it can
/// be written back as it was.
public struct RecordedText: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The text, broken parts replaced by U+FFFD.
  package let string: String
  /// The bytes as stored, only where ``string`` does not give them back.
  package let malformedBytes: [UInt8]?

  /// A clean text.
  package init(_ string: String) {
    self.string = string
    malformedBytes = nil
  }

  /// A text that is not clean UTF-8, or that holds a NUL.
  package init(malformedBytes bytes: [UInt8]) {
    string = String(decoding: bytes, as: UTF8.self)
    malformedBytes = bytes
  }

  /// A text out of a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// A stored value as a text; nil for null and for values of another storage class.
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

  /// The same as `string`.
  public var description: String { string }
}

/// A column of a row that carries more than its place in the layout says.
///
/// Nothing of a row is ever dropped: a column that no layout knows, or a known one with a value of
/// an unexpected storage class, is kept under its own name.
package struct ExtraColumn: Hashable, Sendable {
  /// The column's name in its table.
  package let column: String
  /// What it holds.
  package let value: StoredValue

  /// An extra column.
  package init(column: String, value: StoredValue) {
    self.column = column
    self.value = value
  }
}
