/// An object as its store holds it now.
package struct PresentObject: Hashable, Sendable {
  /// A value of an attribute.
  package struct Value: Hashable, Sendable {
    /// The attribute; an element of a composite one as `attribute.element`.
    package let name: String
    /// Its type; ``AttributeType/undefined`` where no model tells.
    package let type: AttributeType
    /// The value as it is stored, ``StoredValue/null`` for nil, and for one that is left out.
    package let value: StoredValue
    /// How many bytes a text or data has; nil for all else, and for data in a file.
    package let byteCount: Int?
    /// The name of the file that holds the data, where it stands beside the store; the files of the
    /// store `NAME` are in `.NAME_SUPPORT/_EXTERNAL_DATA`.
    package let externalFile: String?

    /// Whether there is a value, but not here: it is longer than ``ObjectReader/longestValue``, or
    /// stands in a file.
    package var isLeftOut: Bool { value.isNull && (byteCount != nil || externalFile != nil) }

    /// Whether this is data: bytes, and not those of a UUID.
    package var isData: Bool {
      guard case .blob(let bytes) = value else { return false }
      return type != .uuid || bytes.count != 16
    }
  }

  /// A to-one relationship.
  package struct Reference: Hashable, Sendable {
    /// The relationship.
    package let name: String
    /// The other object's own entity; nil where there is no other object, and where the store does not
    /// name its number.
    package let entityName: String?
    /// The other object's primary key; nil where there is no other object.
    package let primaryKey: Int64?
  }

  /// A to-many relationship.
  package struct Count: Hashable, Sendable {
    /// The relationship.
    package let name: String
    /// How many objects it leads to.
    package let count: Int64
  }

  /// The number of the object's own entity.
  package let entityNumber: Int64
  /// The object's own entity; nil where the store does not name its number.
  package let entityName: String?
  /// The object's primary key.
  package let primaryKey: Int64
  /// How often the object was saved, as the frameworks count it to notice conflicts; nil where the
  /// row holds no number there.
  package let version: Int64?
  /// Whether the names are those of the model. Without one they are those of the table's columns,
  /// relationships are numbers among the values, and there are no counts.
  package let isNamedByModel: Bool
  /// The attributes, inherited ones first and then by name; without a model only those columns that
  /// are not null.
  package let values: [Value]
  /// The to-one relationships, in the same order.
  package let references: [Reference]
  /// The to-many relationships, in the same order; none where they were not to be counted.
  package let counts: [Count]
  /// Properties of the model for which the table has no column.
  package let missingProperties: [String]
}

extension PresentObject.Value {
  /// What a column says.
  ///
  /// Data that may stand in a file begins with a byte of its own in the column: 1 before the data
  /// itself, 2 before the name of the file, which is a UUID.
  ///
  /// - Parameters:
  ///   - stored: What the column holds; null where that is too long.
  ///   - byteCount: How many bytes a text or a blob has in the column.
  init(
    name: String, type: AttributeType, allowsExternalStorage: Bool, stored: StoredValue,
    byteCount: Int?
  ) {
    self.name = name
    self.type = type
    var column: LargeValueColumn?
    if allowsExternalStorage, case .blob(let bytes) = stored {
      column = try? LargeValueColumn(bytes)
    }
    switch column {
    case .file(let name):
      externalFile = name.text
      value = .null
      self.byteCount = nil
    case .inline(let bytes):
      externalFile = nil
      value = .blob(bytes)
      self.byteCount = bytes.count
    case nil:
      externalFile = nil
      value = stored
      // Of a value that is too long to be read, the first byte is no part.
      let isMarked = allowsExternalStorage && type != .string && stored.isNull
      self.byteCount = isMarked ? byteCount.map { $0 - 1 } : byteCount
    }
  }
}
