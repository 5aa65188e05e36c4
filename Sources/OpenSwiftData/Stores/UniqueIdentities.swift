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
  private let deleted: Set<StoreObject>
  private var objects: [Object] = []
  private var byKey: [UniqueKey: Int] = [:]
  private var byPresent: [StoreObject: Int] = [:]
  private var present: PresentValues
  /// The indices of the models; empty unless a unique key contains a relationship.
  private var places: [PersistentIdentifier: Int] = [:]

  private static let unresolved = -1

  init(
    _ snapshots: [DefaultSnapshot], _ contents: [[String: StoredValue]],
    updated: [DefaultSnapshot], deleted: Set<StoreObject>, store: DefaultStore
  ) throws {
    self.store = store
    self.snapshots = snapshots
    self.deleted = deleted
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
    for ready in snapshots.map(newTargets).batchesByDependency() { try resolve(ready, contents) }
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
    guard let found = present.object(key, as: snapshot.layout), !deleted.contains(found.object),
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
      "a new \(snapshot.layout.name) cannot be saved, because it has the unique values of two others: "
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
      "a new \(snapshot.layout.name) cannot be saved, because an object of \(entityName) has the same "
        + "\(key.names.joined(separator: ", ")), which \(key.entityName) declares unique; change "
        + "the value, or delete the other model first")
  }
}
