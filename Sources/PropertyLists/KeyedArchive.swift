/// The object graph that NSKeyedArchiver wrote into a property list.
///
/// References may form cycles; nothing here follows them by itself, and callers can recognize objects by
/// their `Reference`. Class names are only compared as text, and following a reference out of range is an
/// error.
package struct KeyedArchive: Sendable {
  /// The identity of an object in its archive.
  package struct Reference: Hashable, Sendable {
    /// The index into the archive's objects; 0 is the null object.
    package let index: Int

    init(index: Int) { self.index = index }

    /// The reference in a value, or `nil` if it is not a uid.
    package init?(_ value: PropertyListValue) {
      guard case .uid(let index) = value else { return nil }
      self.index = index
    }

    package var value: PropertyListValue { .uid(index) }
  }

  private let objects: [PropertyListValue]
  private let top: [String: PropertyListValue]

  /// Reads an archive in the binary or the XML format.
  package init(
    bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    try self.init(PropertyListValue(propertyList: bytes, limits: limits))
  }

  /// Interprets a property list as an archive.
  package init(_ propertyList: PropertyListValue) throws(PropertyListError) {
    func noArchive(_ found: String) -> PropertyListError {
      .damaged(found, expected: "a keyed archive")
    }
    guard let root = propertyList.dictionary else { throw noArchive("no dictionary") }
    guard root["$archiver"] == .string("NSKeyedArchiver") else {
      throw noArchive("no \"NSKeyedArchiver\" as $archiver")
    }
    guard root["$version"] == .integer(100_000) else { throw noArchive("no 100000 as $version") }
    guard let top = root["$top"]?.dictionary else { throw noArchive("no dictionary as $top") }
    guard let objects = root["$objects"]?.array else { throw noArchive("no array as $objects") }
    self.top = top
    self.objects = objects
  }

  /// The number of objects, including the null object.
  package var objectCount: Int { objects.count }

  /// The archived object, or `nil` if the archive has no such entry point or it is null.
  package var root: Reference? {
    guard let reference = top("root").flatMap({ Reference($0) }) else { return nil }
    return objects.indices.contains(reference.index) && objects[reference.index] == Self.null
      ? nil : reference
  }

  /// The value of an entry point, unresolved: usually a uid.
  func top(_ key: String) -> PropertyListValue? { top[key] }

  /// Returns the object of a reference, or `nil` for null.
  package func object(_ reference: Reference) throws(PropertyListError) -> Object? {
    let value = try element(reference)
    return value == Self.null ? nil : Object(archive: self, reference: reference, value: value)
  }

  /// Returns the object that a value refers to, or `nil` for null and for a value that is not a uid.
  package func object(_ value: PropertyListValue) throws(PropertyListError) -> Object? {
    guard let reference = Reference(value) else { return nil }
    return try object(reference)
  }

  /// Returns the value, or the value that it refers to if it is a uid, or `nil` for null.
  package func resolve(_ value: PropertyListValue) throws(PropertyListError) -> PropertyListValue? {
    guard let reference = Reference(value) else { return value }
    let value = try element(reference)
    return value == Self.null ? nil : value
  }

  /// Returns the text of a string or NSMutableString, or of a reference to one, or `nil` for anything else.
  package func string(_ value: PropertyListValue) throws(PropertyListError) -> String? {
    switch try resolve(value) {
    case .string(let text): return text
    case .dictionary(let fields):
      // One level only: the content of a string object is never another string object.
      guard let text = fields["NS.string"] else { return nil }
      return try resolve(text)?.string
    default: return nil
    }
  }

  private static let null = PropertyListValue.string("$null")

  private func element(_ reference: Reference) throws(PropertyListError) -> PropertyListValue {
    guard objects.indices.contains(reference.index) else {
      throw .damaged(
        "a reference to archived object \(reference.index)", expected: "one below \(objects.count)")
    }
    return objects[reference.index]
  }
}

extension KeyedArchive {
  /// One object of an archive: an instance with named fields, or a plain string, number, date or data.
  package struct Object: Sendable {
    let archive: KeyedArchive
    let reference: Reference
    /// The object as it is stored: its fields, with uids unresolved, or the plain value.
    let value: PropertyListValue

    /// The name of the object's class, or `nil` for plain values and objects without one.
    package var className: String? {
      get throws(PropertyListError) {
        guard let description = try object("$class") else { return nil }
        return try description["$classname"]?.string
      }
    }

    /// The names of the class and its superclasses, from the class upwards; empty for plain values.
    var classNames: [String] {
      get throws(PropertyListError) {
        guard let description = try object("$class") else { return [] }
        return try description["$classes"]?.array?.compactMap(\.string) ?? []
      }
    }

    /// Returns a field as it is stored, with a uid unresolved.
    package func field(_ key: String) -> PropertyListValue? {
      guard case .dictionary(let fields) = value else { return nil }
      return fields[key]
    }

    /// A field, resolved if it is a uid, or `nil` if it is missing or null.
    package subscript(key: String) -> PropertyListValue? {
      get throws(PropertyListError) {
        guard let value = field(key) else { return nil }
        return try archive.resolve(value)
      }
    }

    /// Returns the object that a field refers to, or `nil` if it is missing, null, or not a uid.
    package func object(_ key: String) throws(PropertyListError) -> Object? {
      guard let value = field(key) else { return nil }
      return try archive.object(value)
    }

    /// Returns a string field, an NSMutableString included, or `nil` for anything else.
    package func string(_ key: String) throws(PropertyListError) -> String? {
      guard let value = field(key) else { return nil }
      return try archive.string(value)
    }

    /// Returns a field with a whole number, or `nil` for anything else.
    package func integer(_ key: String) throws(PropertyListError) -> Int64? {
      try self[key]?.integer
    }

    /// Returns a field with a truth value, or a number in its place, or `nil` for anything else.
    package func boolean(_ key: String) throws(PropertyListError) -> Bool? {
      guard let value = try self[key] else { return nil }
      return value.boolean ?? value.integer.map { $0 != 0 }
    }
  }

  /// Returns the elements of an archived array, set or ordered set, unresolved: usually uids.
  package func elements(of object: Object) throws(PropertyListError) -> [PropertyListValue] {
    if let elements = object.field("NS.objects") {
      guard let elements = elements.array else {
        throw Self.wrong(object, expected: "an array as NS.objects")
      }
      return elements
    }
    // Ordered sets number their elements; an empty one has no fields at all.
    guard let fields = object.value.dictionary, fields["$class"] != nil else {
      throw Self.wrong(object, expected: "a collection")
    }
    var elements: [PropertyListValue] = []
    while let element = fields["NS.object.\(elements.count)"] {
      elements.append(element)
    }
    let isOrderedSet = try object.classNames.contains("NSOrderedSet")
    guard isOrderedSet || !elements.isEmpty else {
      throw Self.wrong(object, expected: "a collection")
    }
    return elements
  }

  /// Returns the keys and values of an archived dictionary in its order; the values are unresolved: usually
  /// uids.
  ///
  /// Reads ordinary dictionaries and Core Data's NSKnownKeysDictionary1, whose keys are in a mapping that
  /// several dictionaries share; its slots without a value are left out.
  package func pairs(
    of object: Object
  ) throws(PropertyListError) -> [(key: String, value: PropertyListValue)] {
    let keys: [PropertyListValue]
    let values: [PropertyListValue]
    var empty: PropertyListValue?
    if let stored = object.field("NS.keys") {
      guard let stored = stored.array else {
        throw Self.wrong(object, expected: "an array as NS.keys")
      }
      keys = stored
      values = try elements(of: object)
    } else if let mapping = try object.object("searchMapping") {
      guard let names = try mapping.object("keys"), let stored = try object.object("values") else {
        throw Self.wrong(object, expected: "keys and values of known keys")
      }
      keys = try elements(of: names)
      values = try elements(of: stored)
      empty = object.field("emptyToken")
    } else {
      throw Self.wrong(object, expected: "a dictionary")
    }
    guard keys.count == values.count else {
      throw Self.wrong(
        object, expected: "as many values as keys, not \(values.count) for \(keys.count)")
    }
    var pairs: [(key: String, value: PropertyListValue)] = []
    pairs.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) where value != empty {
      guard let name = try string(key) else {
        throw Self.wrong(object, expected: "strings as keys")
      }
      pairs.append((name, value))
    }
    return pairs
  }

  private static func wrong(_ object: Object, expected: String) -> PropertyListError {
    let name = ((try? object.className) ?? nil).map { String($0.prefix(80)) } ?? "plain value"
    return .damaged(
      "archived object \(object.reference.index) (\(name))", expected: expected)
  }
}
