import StoreFormat

/// Values that together no two objects may share.
struct UniqueKey: Hashable {
  let entityName: String
  let names: [String]
  let values: [StoredValue]

  /// The keys of a new object.
  static func keys(of layout: EntityLayout, _ values: [String: StoredValue]) -> [UniqueKey] {
    layout.allUniquenessConstraints.compactMap { entityName, names in
      let stored = names.compactMap { values[$0] }
      // Nothing is never equal to nothing in a unique index.
      guard stored.count == names.count, !stored.contains(.null) else { return nil }
      return UniqueKey(entityName: entityName, names: names, values: stored)
    }
  }

  fileprivate var condition: ObjectExpression {
    let conditions = zip(names, values).map { name, value in
      ObjectExpression.compare(
        .equal, .attribute(ObjectPath(variable: 0), name), .constant(value))
    }
    return conditions.dropFirst().reduce(conditions.first ?? .constant(.integer(0))) {
      .and($0, $1)
    }
  }
}

/// The objects of a store that have the unique values of new ones already, read many at a time.
struct PresentValues {
  private typealias Found = (object: FetchedObjects.Object, attributes: [FetchedObjects.Property])

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
    guard let condition = Self.anyOf(keys.map(\.condition)[...]) else { return }
    let objects = try store.fetcher.objects(ObjectFetch(entityName, where: condition))
    let wanted = Set(keys)
    for object in objects.objects {
      let values = Dictionary(
        zip(objects.attributes, object.values).map { ($0.path, $1) },
        uniquingKeysWith: { first, _ in first })
      let key = keys.first.map { first in
        UniqueKey(
          entityName: entityName, names: first.names,
          values: first.names.map { values[$0] ?? .null })
      }
      if let key, wanted.contains(key) {
        found[key] = (object, objects.attributes)
      } else if keys.count > 1 {
        // What SQLite takes for equal may look another way: whose it is shows when each is asked for.
        for key in keys { try readOnce([key], entityName) }
        return
      } else if let only = keys.first {
        found[only] = (object, objects.attributes)
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
  func object(
    _ key: UniqueKey, as layout: EntityLayout
  ) -> (object: StoreObject, values: [String: KnownValue])? {
    guard let (object, attributes) = found[key] else { return nil }
    let lineage = Set(layout.lineage.map(\.name))
    let values = attributes.enumerated().filter { lineage.contains($1.entityName) }
    return (
      StoreObject(entityName: object.entityName, primaryKey: object.primaryKey),
      Dictionary(
        values.map { index, attribute in
          (attribute.path, KnownValue(object.values[index], in: object.files[index]))
        }, uniquingKeysWith: { first, _ in first })
    )
  }

  /// What the store has in an attribute.
  struct KnownValue {
    private let value: StoredValue
    private let file: LargeValueFile?

    fileprivate init(_ value: StoredValue, in file: LargeValueFile?) {
      self.value = value
      self.file = file
    }

    func isSame(as other: StoredValue) -> Bool { file?.holds(other) ?? (value == other) }
  }
}
