/// What an update changed a value from, and to.
public struct RecordedValue: Hashable, Sendable {
  /// What kind of value it is, which tells how people write it.
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
  /// What kind of value it is.
  package var kind: Kind
  /// What stood in the store before the save.
  public var old: RecordedContent
  /// What the save put there.
  public var new: RecordedContent

  /// A recorded value.
  package init(name: String, kind: Kind, old: RecordedContent, new: RecordedContent) {
    self.name = name
    self.kind = kind
    self.old = old
    self.new = new
  }

  /// How much memory its contents take, but for a few bytes.
  package var byteCount: Int { old.byteCount + new.byteCount }

  /// The attribute or relationship that it belongs to: of an element that of the whole.
  package var property: String {
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
