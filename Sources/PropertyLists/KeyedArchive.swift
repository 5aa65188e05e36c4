/// The object graph that NSKeyedArchiver wrote into a property list.
///
/// The objects of a binary archive are decoded only when they are asked for; every look-up costs
/// what it returns.  References between objects may form cycles: nothing here follows them on its
/// own, and callers can remember objects they have been to by their `Reference`.  Making an archive
/// checks that a visit to every object once stays within a multiple of the archive's size.
///
/// Nothing is trusted: class names are only text to compare, and a reference out of range is an
/// error wherever it is followed.
package struct KeyedArchive: Sendable {
  /// The identity of an object within its archive.
  package struct Reference: Hashable, Sendable {
    /// The index into the archive's objects, as stored; 0 is the null object.
    package let index: Int

    /// The object of an index.
    package init(index: Int) {
      self.index = index
    }

    /// The object that a value refers to, or nil when the value is no uid.
    package init?(_ value: PropertyListValue) {
      guard case .uid(let index) = value else { return nil }
      self.index = index
    }

    /// The reference as a value of a property list.
    package var value: PropertyListValue { .uid(index) }
  }

  /// Where the objects are.
  private enum Source: Sendable {
    case binary(BinaryPropertyList, objects: BinaryPropertyList.Header)
    case values([PropertyListValue])
  }

  /// One reference count for everything, because every `Object` holds the archive.
  private final class Storage: Sendable {
    let source: Source
    let top: [String: PropertyListValue]

    init(source: Source, top: [String: PropertyListValue]) {
      self.source = source
      self.top = top
    }
  }

  private let storage: Storage

  private static let objectsKey = "$objects"
  private static let nullText = "$null"

  /// Takes an archive in the binary or the XML format.
  ///
  /// Throws when the bytes are no property list, the property list is no keyed archive, or it goes
  /// beyond the limits.
  package init(
    bytes: [UInt8], limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    if BinaryPropertyList.isBinary(bytes) {
      try self.init(try BinaryPropertyList(bytes, limits: limits))
    } else {
      try self.init(try XMLPropertyList.value(of: bytes, limits: limits))
    }
  }

  private init(_ list: BinaryPropertyList) throws(PropertyListError) {
    let limits = list.limits
    let root = try list.header(at: list.rootIndex)
    guard root.kind == .dictionary else { throw Self.noArchive("no dictionary") }
    func value(_ key: String, depth: Int) throws(PropertyListError) -> PropertyListValue? {
      guard let index = list.index(ofKey: key, in: root) else { return nil }
      return try list.value(at: index, depth: depth)
    }
    let top = try Self.top(
      archiver: try value("$archiver", depth: 0), version: try value("$version", depth: 0),
      top: try value("$top", depth: limits.depth))
    guard let index = list.index(ofKey: Self.objectsKey, in: root) else {
      throw Self.noArchive("no $objects")
    }
    let objects = try list.header(at: index)
    guard objects.kind == .array else { throw Self.noArchive("no array as $objects") }
    try list.checkWeight(of: objects)
    storage = Storage(source: .binary(list, objects: objects), top: top)
  }

  /// Takes an archive that is already read.
  ///
  /// Throws when the property list is no keyed archive.
  package init(_ propertyList: PropertyListValue) throws(PropertyListError) {
    guard let root = propertyList.dictionary else { throw Self.noArchive("no dictionary") }
    let top = try Self.top(
      archiver: root["$archiver"], version: root["$version"], top: root["$top"])
    guard let objects = root[Self.objectsKey]?.array else {
      throw Self.noArchive("no array as $objects")
    }
    storage = Storage(source: .values(objects), top: top)
  }

  /// Checks the frame of an archive and returns its entry points.
  private static func top(
    archiver: PropertyListValue?, version: PropertyListValue?, top: PropertyListValue?
  ) throws(PropertyListError) -> [String: PropertyListValue] {
    guard archiver == .string("NSKeyedArchiver") else {
      throw noArchive("no \"NSKeyedArchiver\" as $archiver")
    }
    guard version == .integer(100_000) else { throw noArchive("no 100000 as $version") }
    guard let top = top?.dictionary else { throw noArchive("no dictionary as $top") }
    return top
  }

  private static func noArchive(_ found: String) -> PropertyListError {
    .damaged(found, expected: "a keyed archive")
  }
}

extension KeyedArchive {
  /// The number of objects, the null object included; references are below it.
  package var objectCount: Int {
    switch storage.source {
    case .binary(_, let objects): objects.count
    case .values(let objects): objects.count
    }
  }

  /// The object that was archived; nil when the archive has no entry point of that name or it is
  /// null.
  package var root: Reference? {
    guard let reference = top("root").flatMap({ Reference($0) }), !isNull(reference) else {
      return nil
    }
    return reference
  }

  /// The value of an entry point, unresolved: usually a uid.
  package func top(_ key: String) -> PropertyListValue? {
    storage.top[key]
  }

  /// The object of a reference; nil for null.
  ///
  /// Throws when the reference is out of range or the object damaged.
  package func object(_ reference: Reference) throws(PropertyListError) -> Object? {
    switch storage.source {
    case .binary(let list, let objects):
      let index = try slot(reference, list, objects)
      let header = try list.header(at: index)
      if header.kind == .dictionary {
        return Object(archive: self, reference: reference, content: .binary(index, header))
      }
      if header.kind == .ascii, Self.isNull(index, list) { return nil }
      let value = try list.value(at: index, depth: list.limits.depth)
      return Object(archive: self, reference: reference, content: .value(value))
    case .values(let objects):
      let value = try element(reference, objects)
      if value == .string(Self.nullText) { return nil }
      return Object(archive: self, reference: reference, content: .value(value))
    }
  }

  /// The object that a value refers to; nil for null and for a value that is no uid.
  ///
  /// Throws when the reference is out of range or the object damaged.
  package func object(_ value: PropertyListValue) throws(PropertyListError) -> Object? {
    guard let reference = Reference(value) else { return nil }
    return try object(reference)
  }

  /// The value itself, or what it refers to when it is a uid, not resolved any further; nil for null.
  ///
  /// Throws when the reference is out of range or the object damaged.
  package func resolve(_ value: PropertyListValue) throws(PropertyListError) -> PropertyListValue? {
    guard let reference = Reference(value) else { return value }
    switch storage.source {
    case .binary(let list, let objects):
      let index = try slot(reference, list, objects)
      if Self.isNull(index, list) { return nil }
      return try list.value(at: index, depth: list.limits.depth)
    case .values(let objects):
      let value = try element(reference, objects)
      return value == .string(Self.nullText) ? nil : value
    }
  }

  /// The text of a value that is a string, or refers to a string or an NSMutableString; nil for
  /// anything else.
  ///
  /// Throws when the reference is out of range or the object damaged.
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

  /// A field of an object whose content is a dictionary of the binary list.
  func field(
    _ key: String, in dictionary: BinaryPropertyList.Header
  ) throws(PropertyListError) -> PropertyListValue? {
    guard case .binary(let list, _) = storage.source,
      let index = list.index(ofKey: key, in: dictionary)
    else { return nil }
    return try list.value(at: index, depth: list.limits.depth)
  }

  /// All fields of an object whose content is object `index` of the binary list.
  func fields(at index: Int) throws(PropertyListError) -> PropertyListValue {
    guard case .binary(let list, _) = storage.source else { return .null }
    return try list.value(at: index, depth: list.limits.depth)
  }

  private func isNull(_ reference: Reference) -> Bool {
    switch storage.source {
    case .binary(let list, let objects):
      guard let index = try? slot(reference, list, objects) else { return false }
      return Self.isNull(index, list)
    case .values(let objects):
      return objects.indices.contains(reference.index)
        && objects[reference.index] == .string(Self.nullText)
    }
  }

  private static func isNull(_ index: Int, _ list: BinaryPropertyList) -> Bool {
    var text = nullText
    return text.withUTF8 { list.matches(index, $0) }
  }

  /// The index in the property list of an object of the archive.
  private func slot(
    _ reference: Reference, _ list: BinaryPropertyList, _ objects: BinaryPropertyList.Header
  ) throws(PropertyListError) -> Int {
    guard reference.index >= 0, reference.index < objects.count else {
      throw Self.outOfRange(reference, objects.count)
    }
    return list.reference(reference.index, of: objects)
  }

  private func element(
    _ reference: Reference, _ objects: [PropertyListValue]
  ) throws(PropertyListError) -> PropertyListValue {
    guard objects.indices.contains(reference.index) else {
      throw Self.outOfRange(reference, objects.count)
    }
    return objects[reference.index]
  }

  private static func outOfRange(_ reference: Reference, _ count: Int) -> PropertyListError {
    .damaged("a reference to archived object \(reference.index)", expected: "one below \(count)")
  }
}
