import DurableFiles

/// Where the values of a change come from.
public enum ValueSource: String, Hashable, Sendable {
  /// The program that saved recorded them.
  case program
  /// The states of the store in its write-ahead log, before and after the save.
  case log
}

/// The old and the new value of an attribute or to-one relationship that a change set.
public struct RecordedValue: Hashable, Sendable {
  /// The kind of a value, which determines how it is written.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A text.
    case text
    /// A whole number.
    case integer
    /// A floating point number.
    case real
    /// A decimal number, in whichever form the store keeps it.
    case decimal
    /// 0 or 1.
    case boolean
    /// Seconds since 2001.
    case date
    /// Sixteen bytes.
    case uuid
    /// Bytes.
    case data
    /// The object at the other end of a to-one relationship, as the text `Trip/p12`.
    case object
    /// A value of an attribute whose type is not known.
    case other
  }

  /// The attribute or to-one relationship; an element of a composite attribute is named
  /// `attribute.element`.
  public var name: String
  package var kind: Kind
  /// The value before the save; `nil` if it is not known, and for an insert.
  public var old: RecordedContent?
  /// The value after the save; `nil` if it is not known, and for a delete.
  public var new: RecordedContent?

  package init(name: String, kind: Kind, old: RecordedContent?, new: RecordedContent?) {
    self.name = name
    self.kind = kind
    self.old = old
    self.new = new
  }

  /// About how many bytes of memory its contents take.
  package var byteCount: Int { (old?.byteCount ?? 0) + (new?.byteCount ?? 0) }

  /// The attribute or relationship that it belongs to: of an element that of the whole.
  package var property: String { Self.property(of: name) }

  /// Returns the attribute or relationship that a name belongs to: of an element that of the whole.
  package static func property(of name: String) -> String {
    name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name
  }
}

extension RecordedValue.Kind {
  /// The kind of the values of an attribute.
  package init(_ type: AttributeType) {
    self =
      switch type {
      case .integer16, .integer32, .integer64: .integer
      case .decimal: .decimal
      case .double, .float: .real
      case .string, .uri: .text
      case .boolean: .boolean
      case .date: .date
      case .uuid: .uuid
      case .binaryData, .transformable: .data
      case .undefined, .objectIdentifier, .composite, .unknown: .other
      }
  }

  /// An attribute's type whose values are written in the same way.
  package var attributeType: AttributeType {
    switch self {
    case .text, .object: .string
    case .integer: .integer64
    case .real: .double
    case .decimal: .decimal
    case .boolean: .boolean
    case .date: .date
    case .uuid: .uuid
    case .data: .binaryData
    case .other: .undefined
    }
  }
}

/// A value before or after an update, or the digest of a long one.
public enum RecordedContent: Hashable, Sendable {
  /// The value as the store keeps it.
  case value(StoredValue)
  /// The SHA-256 and the length of a text or data that is too long to keep.
  case digest([UInt8], byteCount: Int64)

  /// The longest text or data that is kept as it is, in bytes.
  static let longestValue = 1 << 16
  /// How many bytes a digest has.
  package static let digestLength = SHA256Hasher.byteCount

  /// Takes a value, or its digest where it is too long.
  package init(_ value: StoredValue) {
    switch value {
    case .text(var text) where text.utf8.count > Self.longestValue:
      self = text.withUTF8 { Self.digest(of: UnsafeRawBufferPointer($0)) }
    case .malformedText(let bytes) where bytes.count > Self.longestValue,
      .blob(let bytes) where bytes.count > Self.longestValue:
      self = bytes.withUnsafeBytes { Self.digest(of: $0) }
    default: self = .value(value)
    }
  }

  private static func digest(of bytes: UnsafeRawBufferPointer) -> RecordedContent {
    var hasher = SHA256Hasher()
    hasher.update(bytes)
    return .digest(hasher.digest, byteCount: Int64(bytes.count))
  }

  /// The value, or `nil` where only its digest is kept.
  public var value: StoredValue? {
    if case .value(let value) = self { value } else { nil }
  }

  /// About how many bytes of memory it takes.
  package var byteCount: Int {
    switch self {
    case .value(.text(let text)): text.utf8.count
    case .value(.blob(let bytes)), .value(.malformedText(let bytes)): bytes.count
    case .value, .digest: 32
    }
  }
}
