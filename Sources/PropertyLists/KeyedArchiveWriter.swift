/// Builds property lists in the shape that NSKeyedArchiver writes.
///
/// The caller says what each object is; the writer numbers objects in the order they are added,
/// writes every class once, and equal strings and other plain values once.
package struct KeyedArchiveWriter: Sendable {
  /// The class of an object: its name and those of its superclasses, from the class upwards.
  package struct Class: Hashable, Sendable {
    let name: String
    /// The names of the class and its superclasses.
    let names: [String]

    /// A class and its superclasses, from the class upwards to NSObject.
    package init(_ name: String, _ superclasses: String...) {
      self.name = name
      names = [name] + superclasses
    }

    /// A class by its name and the names of it and its superclasses.
    init(name: String, names: [String]) {
      self.name = name
      self.names = names
    }

    package static let array = Class("NSArray", "NSObject")
    package static let mutableArray = Class("NSMutableArray", "NSArray", "NSObject")
    package static let set = Class("NSSet", "NSObject")
    package static let dictionary = Class("NSDictionary", "NSObject")
    package static let mutableDictionary = Class(
      "NSMutableDictionary", "NSDictionary", "NSObject")
  }

  /// The null object, for fields that are `nil`.
  package static let null = KeyedArchive.Reference(index: 0)

  /// The objects; `nil` for one that is reserved and not filled yet.
  private var objects: [PropertyListValue?] = [.string("$null")]
  private var classes: [Class: Int] = [:]
  /// Strings by their bytes: Swift treats differently composed ones as equal.
  private var strings: [[UInt8]: Int] = [:]
  private var plainValues: [PropertyListValue: Int] = [:]

  /// An archive with nothing in it but null.
  package init() {}

  /// Adds a string, once for equal strings.
  package mutating func add(string: String) -> KeyedArchive.Reference {
    let key = Array(string.utf8)
    if let known = strings[key] { return KeyedArchive.Reference(index: known) }
    let index = append(.string(string))
    strings[key] = index
    return KeyedArchive.Reference(index: index)
  }

  /// Adds a number, truth value, data, string or date as an object of its own, once for equal ones.
  package mutating func add(plain value: PropertyListValue) -> KeyedArchive.Reference {
    switch value {
    case .string(let text):
      return add(string: text)
    case .array, .dictionary, .real(0), .date(0):
      // Equality does not distinguish 0.0 from -0.0, or arrays of differently composed strings.
      return KeyedArchive.Reference(index: append(value))
    default:
      if let known = plainValues[value] { return KeyedArchive.Reference(index: known) }
      let index = append(value)
      plainValues[value] = index
      return KeyedArchive.Reference(index: index)
    }
  }

  /// Adds an object of a class with the given fields; a field "$class" is replaced.
  ///
  /// Fields are plain values, `Reference.value` of other objects, or arrays of these.
  package mutating func add(
    object className: Class, fields: [String: PropertyListValue]
  ) -> KeyedArchive.Reference {
    let reference = reserve()
    objects[reference.index] = instance(of: className, fields)
    return reference
  }

  /// Adds an object of the class with a name and, from itself upwards, its class names.
  mutating func add(
    object className: String, classes: [String], fields: [String: PropertyListValue]
  ) -> KeyedArchive.Reference {
    add(object: Class(name: className, names: classes), fields: fields)
  }

  package mutating func add(
    elements: [KeyedArchive.Reference], as className: Class
  ) -> KeyedArchive.Reference {
    add(object: className, fields: ["NS.objects": .array(elements.map(\.value))])
  }

  package mutating func add(
    pairs: [(key: KeyedArchive.Reference, value: KeyedArchive.Reference)], as className: Class
  ) -> KeyedArchive.Reference {
    add(
      object: className,
      fields: [
        "NS.keys": .array(pairs.map(\.key.value)),
        "NS.objects": .array(pairs.map(\.value.value)),
      ])
  }

  /// Reserves the number of an object whose fields are not known yet, so that others can refer to it.
  package mutating func reserve() -> KeyedArchive.Reference {
    objects.append(nil)
    return KeyedArchive.Reference(index: objects.count - 1)
  }

  /// Sets the class and fields of a reserved object.
  package mutating func fill(
    _ reference: KeyedArchive.Reference, object className: Class,
    fields: [String: PropertyListValue]
  ) throws(PropertyListError) {
    guard objects.indices.contains(reference.index), objects[reference.index] == nil else {
      throw .unwritable(
        "fields for archived object \(reference.index)", expected: "an object that is reserved")
    }
    objects[reference.index] = instance(of: className, fields)
  }

  /// The archive, with its entry points by name: usually the one object "root".
  package func finish(
    top: [String: KeyedArchive.Reference]
  ) throws(PropertyListError) -> PropertyListValue {
    var complete: [PropertyListValue] = []
    complete.reserveCapacity(objects.count)
    for (index, object) in objects.enumerated() {
      guard let object else {
        throw .unwritable("the reserved object \(index)", expected: "one that is filled")
      }
      try check(object)
      complete.append(object)
    }
    let entryPoints = top.mapValues(\.value)
    try check(.dictionary(entryPoints))
    return .dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(entryPoints), "$objects": .array(complete),
    ])
  }

  private mutating func append(_ value: PropertyListValue) -> Int {
    objects.append(value)
    return objects.count - 1
  }

  private mutating func instance(
    of className: Class, _ fields: [String: PropertyListValue]
  ) -> PropertyListValue {
    var fields = fields
    fields["$class"] = .uid(index(of: className))
    return .dictionary(fields)
  }

  private mutating func index(of className: Class) -> Int {
    if let known = classes[className] { return known }
    let index = append(
      .dictionary([
        "$classname": .string(className.name),
        "$classes": .array(className.names.map { .string($0) }),
      ]))
    classes[className] = index
    return index
  }

  private func check(_ value: PropertyListValue) throws(PropertyListError) {
    switch value {
    case .uid(let index):
      guard objects.indices.contains(index) else {
        throw .unwritable("a reference to archived object \(index)", expected: "an added object")
      }
    case .array(let elements):
      for element in elements { try check(element) }
    case .dictionary(let fields):
      for field in fields.values { try check(field) }
    default: break
    }
  }
}
