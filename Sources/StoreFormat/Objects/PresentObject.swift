/// The current state of an object in its store.
package struct PresentObject: Hashable, Sendable {
  package struct Value: Hashable, Sendable {
    /// The attribute; an element of a composite one as `attribute.element`.
    package let name: String
    /// Its type; ``AttributeType/undefined`` without a model.
    package let type: AttributeType
    /// The value as it is stored, ``StoredValue/null`` for `nil`, and for one that is left out.
    package let value: StoredValue
    /// How many bytes a text or data has, or `nil` for all else, and for data in a file.
    package let byteCount: Int?
    /// The name of the file beside the store that holds the data; the files of the store `NAME` are
    /// in `.NAME_SUPPORT/_EXTERNAL_DATA`.
    package let externalFile: String?
    /// Why a value in a file cannot be read: the file is missing or unreadable, or the column does not
    /// name a file.
    package let problem: StoreError?

    /// Whether there is a value, but not here: it is longer than ``ObjectReader/longestValue``, or
    /// is kept in a file.
    package var isLeftOut: Bool { value.isNull && (byteCount != nil || externalFile != nil) }

    /// Whether this is data: bytes, and not those of a UUID.
    package var isData: Bool {
      guard case .blob = value, case .plain = value.meaning(as: type) else { return false }
      return true
    }
  }

  package struct Reference: Hashable, Sendable {
    package let name: String
    /// The other object's own entity, or `nil` where there is no other object, and where the store does not
    /// name its number.
    package let entityName: String?
    /// The other object's primary key, or `nil` where there is no other object.
    package let primaryKey: Int64?
  }

  package struct Count: Hashable, Sendable {
    package let name: String
    package let count: Int64
  }

  package let entityNumber: Int64
  /// The object's own entity, or `nil` where the store does not name its number.
  package let entityName: String?
  package let primaryKey: Int64
  /// How often the object was saved, as the frameworks count it to notice conflicts, or `nil` where the
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
  /// Interprets a column.
  ///
  /// - Parameters:
  ///   - stored: The column's value; null where that is too long.
  ///   - byteCount: The length of a text or a blob in the column.
  ///   - large: Interprets columns whose values may be in files, or `nil` for any other column.
  ///   - object: The object, for messages.
  init(
    name: String, type: AttributeType, stored: StoredValue, byteCount: Int?,
    large: LargeValueReader?, object: StoreObject
  ) {
    self.name = name
    self.type = type
    let (content, file) = large?.value(of: stored, in: object, name) ?? (stored, nil)
    externalFile = file?.fileName
    problem = file?.problem
    // A column that names no file is shown as it is.
    value = file != nil && externalFile == nil ? stored : content
    if externalFile != nil {
      self.byteCount = nil
    } else if case .blob(let bytes) = value {
      self.byteCount = bytes.count
    } else {
      // The first byte of a value that is too long to read is its mark.
      let isMarked = large != nil && type != .string && stored.isNull
      self.byteCount = isMarked ? byteCount.map { $0 - 1 } : byteCount
    }
  }

  /// ``problem`` in words, without the object and the file.
  package var problemReason: String? {
    switch problem {
    case .largeValue(_, _, _, let reason): reason
    case .damaged(_, _, let detail): detail
    default: problem?.message
    }
  }
}
