extension KeyedArchive {
  /// One object of an archive: an instance with named fields, or a plain string, number, date or
  /// data.
  package struct Object: Sendable {
    /// Where the fields are.
    enum Content: Sendable {
      /// A dictionary of the archive's binary list, by its object index there.
      case binary(Int, BinaryPropertyList.Header)
      /// Anything else, decoded.
      case value(PropertyListValue)
    }

    /// The archive that the object is in.
    package let archive: KeyedArchive

    /// What tells the object apart from the others of its archive.
    package let reference: Reference

    let content: Content

    /// The object as it is stored: its fields, with uids unresolved, or the plain value.
    ///
    /// Throws when it is damaged or goes beyond the limits.
    package var value: PropertyListValue {
      get throws(PropertyListError) {
        switch content {
        case .binary(let index, _): try archive.fields(at: index)
        case .value(let value): value
        }
      }
    }

    /// The name of the object's class; nil for plain values and objects without one.
    ///
    /// Throws when the class description is out of range or damaged.
    package var className: String? {
      get throws(PropertyListError) {
        guard let description = try object("$class") else { return nil }
        return try description["$classname"]?.string
      }
    }

    /// The names of the object's class and its superclasses, from the class upwards; empty for plain
    /// values.
    ///
    /// Throws when the class description is out of range or damaged.
    package var classNames: [String] {
      get throws(PropertyListError) {
        guard let description = try object("$class") else { return [] }
        return try description["$classes"]?.array?.compactMap(\.string) ?? []
      }
    }

    /// A field as it is stored: a uid is not resolved; nil when the object has no such field.
    ///
    /// Throws when the field is damaged or goes beyond the limits.
    package func field(_ key: String) throws(PropertyListError) -> PropertyListValue? {
      switch content {
      case .binary(_, let header): return try archive.field(key, in: header)
      case .value(.dictionary(let fields)): return fields[key]
      case .value: return nil
      }
    }

    /// A field, resolved when it is a uid; nil when the object has no such field or it is null.
    ///
    /// Throws when the reference is out of range or the value damaged.
    package subscript(key: String) -> PropertyListValue? {
      get throws(PropertyListError) {
        guard let value = try field(key) else { return nil }
        return try archive.resolve(value)
      }
    }

    /// The object that a field refers to; nil when the object has no such field, it is null, or no
    /// uid.
    ///
    /// Throws when the reference is out of range or the object damaged.
    package func object(_ key: String) throws(PropertyListError) -> Object? {
      guard let value = try field(key) else { return nil }
      return try archive.object(value)
    }

    /// A field that is a string or refers to one, an NSMutableString included; nil for anything else.
    ///
    /// Throws when the reference is out of range or the value damaged.
    package func string(_ key: String) throws(PropertyListError) -> String? {
      guard let value = try field(key) else { return nil }
      return try archive.string(value)
    }

    /// A field that is a whole number or refers to one; nil for anything else.
    ///
    /// Throws when the reference is out of range or the value damaged.
    package func integer(_ key: String) throws(PropertyListError) -> Int64? {
      try self[key]?.integer
    }

    /// A field that is a truth value, or a whole number in its place, or refers to one; nil for
    /// anything else.
    ///
    /// Throws when the reference is out of range or the value damaged.
    package func boolean(_ key: String) throws(PropertyListError) -> Bool? {
      guard let value = try self[key] else { return nil }
      return value.boolean ?? value.integer.map { $0 != 0 }
    }
  }
}
