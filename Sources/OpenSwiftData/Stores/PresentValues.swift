import StoreFormat

/// The objects of a store that have the unique values of new ones already, read many at a time.
struct PresentValues {
  private typealias Found = (object: FetchedObjects.Object, names: FetchedObjects)

  /// So many keys are looked for with one question.
  private static let keysAtOnce = 200

  private let store: DefaultStore
  private var found: [UniqueKey: Found] = [:]

  init(_ store: DefaultStore) { self.store = store }

  /// Looks for objects with some keys.
  mutating func read(_ keys: [UniqueKey]) throws {
    struct Constraint: Hashable {
      let entityName: String
      let names: [String]
    }
    let groups = Dictionary(grouping: Set(keys)) {
      Constraint(entityName: $0.entityName, names: $0.names)
    }
    for (constraint, keys) in groups {
      for start in stride(from: 0, to: keys.count, by: Self.keysAtOnce) {
        try readOnce(
          keys[start..<min(start + Self.keysAtOnce, keys.count)], constraint.entityName)
      }
    }
  }

  private mutating func readOnce(_ keys: ArraySlice<UniqueKey>, _ entityName: String) throws {
    guard let first = keys.first, let condition = Self.anyOf(keys.map(\.condition)[...]) else {
      return
    }
    let objects = try store.fetcher.objects(ObjectFetch(entityName, where: condition))
    let wanted = Set(keys)
    for object in objects.objects {
      let values = Dictionary(
        zip(objects.attributes, object.values).map { ($0.path, $1) },
        uniquingKeysWith: { first, _ in first })
      let targets = Dictionary(
        zip(objects.references, object.references).map { ($0.path, $1?.primaryKey) },
        uniquingKeysWith: { first, _ in first })
      let key = UniqueKey(
        entityName: entityName, names: first.names,
        parts: first.names.map { name in
          targets[name]?.map(UniqueKey.Part.object) ?? .value(values[name] ?? .null)
        })
      if wanted.contains(key) {
        found[key] = (object, objects)
      } else if keys.count > 1 {
        // What SQLite takes for equal may look another way: whose it is shows when each is asked for.
        for key in keys { try readOnce([key], entityName) }
        return
      } else {
        found[first] = (object, objects)
      }
    }
  }

  /// One condition for several, nested no deeper than it must be.
  private static func anyOf(_ conditions: ArraySlice<ObjectExpression>) -> ObjectExpression? {
    guard conditions.count > 1 else { return conditions.first }
    let middle = conditions.startIndex + conditions.count / 2
    guard let left = anyOf(conditions[..<middle]), let right = anyOf(conditions[middle...]) else {
      return nil
    }
    return .or(left, right)
  }

  /// The object that has the values of a key already, and its values as far as another class has them;
  /// nil for none.
  func object(_ key: UniqueKey, as layout: EntityLayout) -> Present? {
    guard let (object, names) = found[key] else { return nil }
    let lineage = Set(layout.lineage.map(\.name))
    var values: [String: KnownValue] = [:]
    for (index, attribute) in names.attributes.enumerated()
    where lineage.contains(attribute.entityName) && values[attribute.path] == nil {
      values[attribute.path] = KnownValue(object.values[index], in: object.files[index])
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

  /// An object of the store, and what it has.
  struct Present {
    let object: StoreObject
    fileprivate let values: [String: KnownValue]
    /// The primary keys of the objects that its to-one relationships lead to.
    fileprivate let targets: [String: Int64]

    /// Whether it has a value in an attribute.
    func has(_ value: StoredValue, in attribute: String) -> Bool {
      values[attribute]?.isSame(as: value) ?? false
    }

    /// Whether a relationship of it leads to an object.
    func leads(to target: StoreObject, by relationship: String) -> Bool {
      // Whatever one relationship can lead to is in one table.
      target.primaryKey.map { targets[relationship] == $0 } ?? false
    }
  }

  /// What the store has in an attribute.
  fileprivate struct KnownValue {
    private let value: StoredValue
    private let file: LargeValueFile?

    init(_ value: StoredValue, in file: LargeValueFile?) {
      self.value = value
      self.file = file
    }

    func isSame(as other: StoredValue) -> Bool { file?.holds(other) ?? (value == other) }
  }
}
