import StoreFormat

/// Finds out which new models of a save are one object, and which of these objects a store has already.
///
/// Where a unique key has a relationship, what a model becomes depends on what the one becomes that it
/// leads to: that one comes first then. Of a circle of such models one has no such key.
struct UniqueIdentities {
  /// The number of the object that each model becomes, in the order of the models.
  private(set) var numbers: [Int]
  /// How many objects the models become.
  var count: Int { objects.count }

  /// An object that models become.
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
  /// The places of the models; empty where no unique key has a relationship.
  private var places: [PersistentIdentifier: Int] = [:]

  private static let unresolved = -1

  /// - Parameters:
  ///   - snapshots: The new models.
  ///   - contents: Their attributes' values.
  ///   - updated: The models that the save changes as well.
  ///   - doomed: The objects that it deletes.
  ///   - store: The store.
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
      : Dictionary(
        updated.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    present = PresentValues(store)
    numbers = Array(repeating: Self.unresolved, count: snapshots.count)
    guard snapshots.contains(where: { !$0.layout.uniqueRelationshipPlaces.isEmpty }) else {
      try resolve(Array(snapshots.indices), contents)
      return
    }
    places = Dictionary(
      snapshots.enumerated().map { ($1.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first })
    var queue = DependencyQueue(snapshots.map(newTargets))
    while let ready = queue.next() { try resolve(ready, contents) }
  }

  /// What the store has of an object; nil for a new one.
  func present(_ number: Int) -> PresentValues.Present? { objects[number].present }

  /// The places of the new models that the unique keys of a new one lead to.
  private func newTargets(_ snapshot: DefaultSnapshot) -> [Int] {
    snapshot.layout.uniqueRelationshipPlaces.compactMap { index in
      guard case .toOne(let reference?) = snapshot.values[index] else { return nil }
      return places[reference.identifier]
    }
  }

  /// Finds out what some models become; what they lead to is known.
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

  /// The object that a model becomes.
  private mutating func number(of snapshot: DefaultSnapshot, _ keys: [UniqueKey]) throws -> Int {
    for key in keys {
      if let number = byKey[key] {
        try check(objects[number].entityName, against: snapshot, key)
        return number
      }
      guard let found = present.object(key, as: snapshot.layout), !doomed.contains(found.object),
        try !leaves(found.object, key)
      else { continue }
      try check(found.object.entityName, against: snapshot, key)
      if let number = byPresent[found.object] { return number }
      byPresent[found.object] = objects.count
      return append(Object(entityName: found.object.entityName, present: found))
    }
    return append(Object(entityName: snapshot.layout.name, present: nil))
  }

  private mutating func append(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  /// What a relationship of a model leads to, in terms of keys.
  private func target(of snapshot: DefaultSnapshot, at index: Int) throws -> UniqueKey.Part? {
    guard case .toOne(let reference?) = snapshot.values[index] else { return nil }
    guard let place = places[reference.identifier] else {
      return try store.object(reference.identifier).primaryKey.map(UniqueKey.Part.object)
    }
    guard numbers[place] != Self.unresolved else { return nil }
    return objects[numbers[place]].present?.object.primaryKey.map(UniqueKey.Part.object)
      ?? .new(numbers[place])
  }

  /// Whether this save gives an object other values than those that it was found by.
  private func leaves(_ present: StoreObject, _ key: UniqueKey) throws -> Bool {
    guard let snapshot = updated[store.persistentIdentifier(present)] else { return false }
    let changed = snapshot.changedPlaces
    let values = try snapshot.storedAttributes(at: changed)
    return try zip(key.names, key.parts).contains { name, part in
      if case .value(let value) = part { return values[name].map { $0 != value } ?? false }
      guard let index = snapshot.layout.index(named: name), changed.contains(index) else {
        return false
      }
      // What has not been read was not changed either.
      if case .fault = snapshot.values[index] { return false }
      return try target(of: snapshot, at: index) != part
    }
  }

  /// Checks that the object which has the unique values can become what is to be inserted: the class
  /// of an object cannot change.
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
