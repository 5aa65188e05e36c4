extension KeyedArchive {
  /// The elements of an archived array, set or ordered set, mutable or not, unresolved: usually uids.
  ///
  /// Throws when the object is no such collection or damaged.
  package func elements(of object: Object) throws(PropertyListError) -> [PropertyListValue] {
    if let elements = try object.field("NS.objects") {
      guard let elements = elements.array else {
        throw Self.wrong(object, expected: "an array as NS.objects")
      }
      return elements
    }
    // Ordered sets number their elements; an empty one has no fields at all.
    guard let fields = try object.value.dictionary, fields["$class"] != nil else {
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

  /// The keys and values of an archived dictionary, in the order of the archive; the values are
  /// unresolved: usually uids.
  ///
  /// Ordinary dictionaries and Core Data's NSKnownKeysDictionary1, whose keys are in a mapping shared
  /// by several dictionaries, are read; slots of the latter without a value are left out.
  ///
  /// Throws when the object is no dictionary, a key is no string, or it is damaged.
  package func pairs(
    of object: Object
  ) throws(PropertyListError) -> [(key: String, value: PropertyListValue)] {
    let keys: [PropertyListValue]
    let values: [PropertyListValue]
    var empty: PropertyListValue?
    if let stored = try object.field("NS.keys") {
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
      empty = try object.field("emptyToken")
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
