import StoreFormat
import StoreWriting

/// The objects of a store that have unique values of new models, read in batches.
struct PresentValues {
  private struct Found {
    let object: StoreObject
    let values: [(property: EntityTables.Property, value: KnownValue)]
    /// The targets of its to-one relationships.
    let targets: [(property: EntityTables.Property, target: StoreObject?)]

    /// Reads the present row.
    init(_ rows: FetchedRows) {
      object = rows.object
      values = rows.columns.attributes.enumerated().map { place, property in
        let (value, file) = rows.largeValue(at: place)
        return (property, KnownValue(value: value, file: file))
      }
      targets = rows.columns.references.enumerated().map { ($1, rows.target(at: $0)) }
    }
  }

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
    let objects = try store.fetcher.read(ObjectFetch(first.entityName, where: condition)) { rows in
      var objects: [Found] = []
      while try rows.next() { objects.append(Found(rows)) }
      return objects
    }
    let wanted = Set(keys)
    for object in objects {
      let values = Dictionary(
        keepingFirst: object.values.map { ($0.property.path, $0.value.value) })
      let targets = Dictionary(
        keepingFirst: object.targets.map { ($0.property.path, $0.target?.primaryKey) })
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
        found[key] = object
      } else if keys.count > 1 {
        // SQLite may treat different values as equal; reading one by one shows which key an object has.
        for key in keys { try readOnce([key]) }
        return
      } else {
        found[first] = object
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
    guard let found = found[key] else { return nil }
    let lineage = Set(layout.lineage.map(\.name))
    func own<Value>(_ all: [(property: EntityTables.Property, Value)]) -> [String: Value] {
      Dictionary(
        keepingFirst: all.lazy.filter { lineage.contains($0.property.entityName) }
          .map { ($0.property.path, $0.1) })
    }
    return Present(
      object: found.object, values: own(found.values),
      targets: own(found.targets).compactMapValues { $0?.primaryKey })
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
