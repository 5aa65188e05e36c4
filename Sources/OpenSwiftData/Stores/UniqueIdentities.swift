import Foundation
import StoreFormat

/// The objects that the new models of a save become: models with the same unique values become one
/// object, which may already be in the store.
///
/// If a unique key contains a relationship, the target comes first, because the key depends on what
/// it becomes. In a cycle, one of the models has no such key.
struct UniqueIdentities {
  private(set) var numbers: [Int]
  var count: Int { objects.count }

  private struct Object {
    let entityName: String
    let present: PresentValues.Present?
  }

  private let store: DefaultStore
  private let snapshots: [DefaultSnapshot]
  private let updated: [PersistentIdentifier: DefaultSnapshot]
  private let doomed: Set<StoreObject>
  private var objects: [Object] = []
  private var byKey: [UniqueKey: Int] = [:]
  private var byPresent: [StoreObject: Int] = [:]
  private var present: PresentValues
  /// The indices of the models; empty unless a unique key contains a relationship.
  private var places: [PersistentIdentifier: Int] = [:]

  private static let unresolved = -1

  init(
    _ snapshots: [DefaultSnapshot], _ contents: [[String: StoredValue]],
    updated: [DefaultSnapshot], deleted doomed: Set<StoreObject>, store: DefaultStore
  ) throws {
    self.store = store
    self.snapshots = snapshots
    self.doomed = doomed
    self.updated =
      snapshots.isEmpty
      ? [:]
      : Dictionary(keepingFirst: updated.map { ($0.persistentIdentifier, $0) })
    present = PresentValues(store)
    numbers = Array(repeating: Self.unresolved, count: snapshots.count)
    guard snapshots.contains(where: { !$0.layout.uniqueRelationshipPlaces.isEmpty }) else {
      try resolve(Array(snapshots.indices), contents)
      return
    }
    places = Dictionary(keepingFirst: snapshots.enumerated().map { ($1.persistentIdentifier, $0) })
    var queue = DependencyQueue(snapshots.map(newTargets))
    while let ready = queue.next() { try resolve(ready, contents) }
  }

  func present(_ number: Int) -> PresentValues.Present? { objects[number].present }

  private func newTargets(_ snapshot: DefaultSnapshot) -> [Int] {
    snapshot.layout.uniqueRelationshipPlaces.compactMap { index in
      guard case .toOne(let reference?) = snapshot.values[index] else { return nil }
      return places[reference.identifier]
    }
  }

  private mutating func resolve(_ ready: [Int], _ contents: [[String: StoredValue]]) throws {
    let keys = try ready.map { place in
      let snapshot = snapshots[place]
      return try UniqueKey.keys(of: snapshot.layout, contents[place]) {
        try target(of: snapshot, at: $0)
      }
    }
    try present.read(keys.joined().filter(\.mayBePresent))
    for (place, keys) in zip(ready, keys) {
      let number = try number(of: snapshots[place], keys)
      numbers[place] = number
      for key in keys where byKey[key] == nil { byKey[key] = number }
    }
  }

  private mutating func number(of snapshot: DefaultSnapshot, _ keys: [UniqueKey]) throws -> Int {
    var first: (number: Int, key: UniqueKey)?
    for key in keys {
      guard let number = try number(of: snapshot, key) else { continue }
      if let first, first.number != number { throw collision(of: snapshot, first, (number, key)) }
      first = first ?? (number, key)
    }
    return first?.number ?? append(Object(entityName: snapshot.layout.name, present: nil))
  }

  /// Returns the number of the object that has a key, if there is one.
  private mutating func number(of snapshot: DefaultSnapshot, _ key: UniqueKey) throws -> Int? {
    if let number = byKey[key] {
      try check(objects[number].entityName, against: snapshot, key)
      return number
    }
    guard let found = present.object(key, as: snapshot.layout), !doomed.contains(found.object),
      try !leaves(found.object, key)
    else { return nil }
    try check(found.object.entityName, against: snapshot, key)
    if let number = byPresent[found.object] { return number }
    byPresent[found.object] = objects.count
    return append(Object(entityName: found.object.entityName, present: found))
  }

  private mutating func append(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  private func target(of snapshot: DefaultSnapshot, at index: Int) throws -> UniqueKey.Part? {
    guard case .toOne(let reference?) = snapshot.values[index] else { return nil }
    guard let place = places[reference.identifier] else {
      return try store.object(reference.identifier).primaryKey.map(UniqueKey.Part.object)
    }
    guard numbers[place] != Self.unresolved else { return nil }
    return objects[numbers[place]].present?.object.primaryKey.map(UniqueKey.Part.object)
      ?? .new(numbers[place])
  }

  private func leaves(_ present: StoreObject, _ key: UniqueKey) throws -> Bool {
    guard let snapshot = updated[store.persistentIdentifier(present)] else { return false }
    let changed = snapshot.changedPlaces
    let values = try snapshot.storedAttributes(at: changed)
    return try zip(key.names, key.parts).contains { name, part in
      switch part {
      case .value(let value): return values[name].map { $0 != value } ?? false
      case .element(let path, let value): return values[path].map { $0 != value } ?? false
      case .object, .new: break
      }
      guard let index = snapshot.layout.index(named: name), changed.contains(index) else {
        return false
      }
      // An unread property was not changed.
      if case .fault = snapshot.values[index] { return false }
      return try target(of: snapshot, at: index) != part
    }
  }

  /// The error of a model that would have to become two objects at once.
  private func collision(
    of snapshot: DefaultSnapshot, _ first: (number: Int, key: UniqueKey),
    _ second: (number: Int, key: UniqueKey)
  ) -> SwiftDataError {
    func other(_ number: Int) -> String {
      objects[number].present?.object.primaryKey.map { "\(objects[number].entityName)/p\($0)" }
        ?? "a new \(objects[number].entityName)"
    }
    let stored = [first.number, second.number].compactMap { objects[$0].present?.object }
    return SwiftDataError(
      .modelValidationFailure,
      "a \(snapshot.layout.name) cannot be saved, because it has the unique values of two others: "
        + "\(first.key.text) of \(other(first.number)), and \(second.key.text) of "
        + "\(other(second.number)); change one of the values, or delete one of the others first",
      identifiers: stored.map(store.persistentIdentifier))
  }

  /// Throws an error if an existing object is of another class: the class of an object cannot
  /// change.
  private func check(
    _ entityName: String, against snapshot: DefaultSnapshot, _ key: UniqueKey
  ) throws {
    guard entityName != snapshot.layout.name else { return }
    throw SwiftDataError(
      .modelValidationFailure,
      "a \(snapshot.layout.name) cannot be saved, for a \(entityName) has the same "
        + "\(key.names.joined(separator: ", ")), which \(key.entityName) declares unique; change "
        + "the value, or delete the other model first")
  }
}

/// Values that no two objects may share.
struct UniqueKey: Hashable {
  enum Part: Hashable {
    case value(StoredValue)
    /// The value of an enumeration, in its only column or in that of a case.
    case element(path: String, StoredValue)
    /// The primary key of a relationship's target.
    case object(Int64)
    /// The number of a relationship's target that the same save inserts.
    case new(Int)
  }

  let entityName: String
  let names: [String]
  let parts: [Part]

  /// Returns the keys of a new object.
  ///
  /// - Parameter target: Returns the target of a relationship, or `nil` if it has none or a yet
  ///   unknown one.
  static func keys(
    of layout: EntityLayout, _ values: [String: StoredValue], target: (Int) throws -> Part?
  ) rethrows -> [UniqueKey] {
    try layout.allUniquenessConstraints.compactMap { entityName, names in
      var parts: [Part] = []
      parts.reserveCapacity(names.count)
      for name in names {
        if let value = values[name] {
          // Null never equals null in a unique index.
          guard !value.isNull else { return nil }
          parts.append(.value(value))
        } else if let paths = layout.elementPaths(of: name) {
          guard let part = Part(elements: paths, in: values) else { return nil }
          parts.append(part)
        } else if let place = layout.index(named: name), let part = try target(place) {
          parts.append(part)
        } else {
          return nil
        }
      }
      return UniqueKey(entityName: entityName, names: names, parts: parts)
    }
  }

  /// Whether an object of the store can have the key; none refers to an object that is still to be
  /// inserted.
  var mayBePresent: Bool {
    !parts.contains { if case .new = $0 { true } else { false } }
  }

  var condition: ObjectExpression {
    let object = ObjectPath(variable: 0)
    let conditions = zip(names, parts).map { name, part in
      switch part {
      case .value(let value):
        ObjectExpression.compare(.equal, .attribute(object, name), .constant(value))
      case .element(let path, let value):
        ObjectExpression.compare(.equal, .attribute(object, path), .constant(value))
      case .object(let primaryKey):
        ObjectExpression.compare(
          .equal, .primaryKey(object.following(name)), .constant(.integer(primaryKey)))
      case .new: ObjectExpression.constant(.integer(0))
      }
    }
    return conditions.dropFirst().reduce(conditions.first ?? .constant(.integer(0))) {
      .and($0, $1)
    }
  }
}

extension UniqueKey.Part {
  /// The filled column of an enumeration, or `nil` if all are null.
  fileprivate init?(elements paths: [String], in values: [String: StoredValue]) {
    let filled = paths.lazy.compactMap { path in
      values[path].flatMap { $0.isNull ? nil : (path: path, value: $0) }
    }
    guard let found = filled.first else { return nil }
    self = .element(path: found.path, found.value)
  }
}

extension UniqueKey {
  /// The names and values, for an error message.
  fileprivate var text: String {
    zip(names, parts).map { name, part in
      switch part {
      case .value(let value), .element(_, let value): "\(name) \(value.shortText)"
      case .object(let primaryKey): "\(name) p\(primaryKey)"
      case .new: "\(name) of this save"
      }
    }.joined(separator: ", ")
  }
}

extension StoredValue {
  fileprivate var shortText: String {
    switch self {
    case .null: return "nil"
    case .integer(let number): return "\(number)"
    case .real(let number): return "\(number)"
    case .text(let text): return "\"\(text.count > 80 ? text.prefix(80) + "…" : text)\""
    case .malformedText(let bytes), .blob(let bytes):
      return bytes.count == 16
        ? NSUUID(uuidBytes: bytes).uuidString : "of \(bytes.count) bytes"
    }
  }
}

/// The objects of a store that have unique values of new models, read in batches.
struct PresentValues {
  private typealias Found = (object: FetchedObjects.Object, names: FetchedObjects)

  private static let keysAtOnce = 200

  private let store: DefaultStore
  private var found: [UniqueKey: Found] = [:]

  init(_ store: DefaultStore) { self.store = store }

  mutating func read(_ keys: [UniqueKey]) throws {
    let byConstraint = Dictionary(grouping: Set(keys)) { [$0.entityName] + $0.names }
    for keys in byConstraint.values {
      for keys in keys.chunks(of: Self.keysAtOnce) { try readOnce(keys) }
    }
  }

  /// Reads the objects with keys of one constraint.
  private mutating func readOnce(_ keys: [UniqueKey]) throws {
    guard let first = keys.first, let condition = Self.anyOf(keys.map(\.condition)[...]) else {
      return
    }
    let objects = try store.fetcher.objects(ObjectFetch(first.entityName, where: condition))
    let wanted = Set(keys)
    for object in objects.objects {
      let values = Dictionary(
        keepingFirst: zip(objects.attributes, object.values).map { ($0.path, $1) })
      let targets = Dictionary(
        keepingFirst: zip(objects.references, object.references).map { ($0.path, $1?.primaryKey) })
      let key = UniqueKey(
        entityName: first.entityName, names: first.names,
        parts: zip(first.names, first.parts).map { name, part in
          if case .element = part {
            // The paths of all objects with this attribute begin with its name.
            let paths = values.keys.filter { ManagedAttribute.propertyName(ofPath: $0) == name }
            return UniqueKey.Part(elements: paths, in: values) ?? .value(.null)
          }
          return targets[name]?.map(UniqueKey.Part.object) ?? .value(values[name] ?? .null)
        })
      if wanted.contains(key) {
        found[key] = (object, objects)
      } else if keys.count > 1 {
        // SQLite may treat different values as equal; reading one by one shows which key an object has.
        for key in keys { try readOnce([key]) }
        return
      } else {
        found[first] = (object, objects)
      }
    }
  }

  private static func anyOf(_ conditions: ArraySlice<ObjectExpression>) -> ObjectExpression? {
    guard conditions.count > 1 else { return conditions.first }
    let middle = conditions.startIndex + conditions.count / 2
    guard let left = anyOf(conditions[..<middle]), let right = anyOf(conditions[middle...]) else {
      return nil
    }
    return .or(left, right)
  }

  func object(_ key: UniqueKey, as layout: EntityLayout) -> Present? {
    guard let (object, names) = found[key] else { return nil }
    let lineage = Set(layout.lineage.map(\.name))
    var values: [String: KnownValue] = [:]
    for (index, attribute) in names.attributes.enumerated()
    where lineage.contains(attribute.entityName) && values[attribute.path] == nil {
      values[attribute.path] = KnownValue(
        value: object.values[index], file: object.files[index])
    }
    var targets: [String: Int64] = [:]
    for (relationship, target) in zip(names.references, object.references)
    where lineage.contains(relationship.entityName) && targets[relationship.path] == nil {
      targets[relationship.path] = target?.primaryKey
    }
    return Present(
      object: StoreObject(entityName: object.entityName, primaryKey: object.primaryKey),
      values: values, targets: targets)
  }

  struct Present {
    let object: StoreObject
    fileprivate let values: [String: KnownValue]
    /// The primary keys of the targets of its to-one relationships.
    fileprivate let targets: [String: Int64]

    func has(_ value: StoredValue, in attribute: String) -> Bool {
      values[attribute]?.isSame(as: value) ?? false
    }

    func leads(to target: StoreObject, by relationship: String) -> Bool {
      // All targets of a relationship are in one table.
      target.primaryKey.map { targets[relationship] == $0 } ?? false
    }
  }

  fileprivate struct KnownValue {
    let value: StoredValue
    let file: LargeValueFile?

    func isSame(as other: StoredValue) -> Bool { file?.holds(other) ?? (value == other) }
  }
}

/// Orders indices so that each comes after those it depends on. Indices that can come at the same
/// time are returned together; in a cycle, one comes before its dependencies.
struct DependencyQueue {
  private let dependencies: [[Int]]
  /// The indices that depend on each.
  private var followers: [Int: [Int]] = [:]
  /// The number of dependencies each waits for; negative when it was returned.
  private var waiting: [Int]
  private var ready: [Int]
  /// All indices below this one were returned.
  private var first = 0

  init(_ dependencies: [[Int]]) {
    self.dependencies = dependencies
    waiting = dependencies.map(\.count)
    ready = dependencies.indices.filter { dependencies[$0].isEmpty }
    for (place, others) in dependencies.enumerated() {
      for other in others { followers[other, default: []].append(place) }
    }
  }

  mutating func next() -> [Int]? {
    let batch = ready.isEmpty ? placeInCircle().map { [$0] } ?? [] : ready
    guard !batch.isEmpty else { return nil }
    ready = []
    for place in batch { waiting[place] = -1 }
    for place in batch {
      for follower in followers[place] ?? [] where waiting[follower] > 0 {
        waiting[follower] -= 1
        if waiting[follower] == 0 { ready.append(follower) }
      }
    }
    ready.sort()
    return batch
  }

  private mutating func placeInCircle() -> Int? {
    while first < waiting.count, waiting[first] < 0 { first += 1 }
    guard first < waiting.count else { return nil }
    var place = first
    var seen: Set<Int> = []
    while seen.insert(place).inserted {
      guard let next = dependencies[place].first(where: { waiting[$0] >= 0 }) else { break }
      place = next
    }
    return place
  }
}
