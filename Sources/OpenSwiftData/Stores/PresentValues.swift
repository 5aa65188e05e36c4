import StoreFormat
import StoreWriting

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
