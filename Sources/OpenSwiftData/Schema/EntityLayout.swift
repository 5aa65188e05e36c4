import Synchronization

/// What is known of a model's class: its properties by number, by name and by key path.
///
/// There is one for each class, made when it is first needed.
final class EntityLayout: @unchecked Sendable {
  let name: String
  let type: any PersistentModel.Type
  /// The layout of the model that the class inherits from.
  let superlayout: EntityLayout?
  /// Whether the class is marked with `@Model` itself.
  let isMarked: Bool
  /// The properties, those that are inherited first, in the order of the superclass.
  let properties: [PropertyLayout]
  /// How many properties are inherited.
  let inheritedCount: Int
  /// What the class itself declares unique.
  let uniquenessConstraints: [[String]]
  /// What must be unique among objects of the class, with the entity that declares it.
  let allUniquenessConstraints: [(entityName: String, names: [String])]
  /// What the class itself declares an index for.
  let indices: [[String]]
  /// What a new model has before anything is set.
  let blankValues: [PropertyValue]
  /// What a model has of which nothing but the identifier is known.
  let faultValues: [PropertyValue]
  /// The properties of a model's values as observers name them.
  let observedProperties: [KeyPath<ModelState, Void>]

  /// The numbers of the relationships.
  let relationshipPlaces: [Int]
  /// The numbers of the relationships to one object that are among what must be unique.
  let uniqueRelationshipPlaces: [Int]
  /// The numbers of the properties whose large values stand in files.
  let largePlaces: [Int]
  /// The numbers of the attributes that the store keeps.
  let storedPlaces: [Int]

  private let identifierKeyPaths: [AnyKeyPath]
  private let keyPathTable: KeyPathTable
  private let indexByKeyPath: [AnyKeyPath: Int]
  private let indexByName: [String: Int]
  /// The relationships that lead back, by property; found when first asked for.
  private let inverses = Mutex<[Int?]?>(nil)

  private static let known = Mutex<[ObjectIdentifier: EntityLayout]>([:])

  /// The layout of a class.
  static func of<Model: PersistentModel>(_ type: Model.Type) -> EntityLayout {
    let key = ObjectIdentifier(type)
    if let layout = known.withLock({ $0[key] }) { return layout }
    // Made outside the lock: a class's own description may run any code.
    let layout = EntityLayout(type)
    return known.withLock { layouts in
      if let first = layouts[key] { return first }
      layouts[key] = layout
      return layout
    }
  }

  /// The layout of a class that was used already, by the entity's name.
  ///
  /// Versions of a schema have classes of one name, of which that of a store which is open is meant;
  /// else the one with the fewest properties that has all those that are there.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - storeIdentifier: The store that a model of it is in; nil where it is in none.
  ///   - propertyNames: Properties that it must have.
  static func named(
    _ name: String, inStore storeIdentifier: String?, having propertyNames: [String]
  ) -> EntityLayout? {
    let schema = storeIdentifier.flatMap(ContainerRegistry.shared.schema(ofStore:))
    if let layout = schema?.layouts[name] { return layout }
    return known.withLock { layouts in
      layouts.values.filter { layout in
        layout.name == name && propertyNames.allSatisfy { layout.index(named: $0) != nil }
      }.min { $0.properties.count < $1.properties.count }
    }
  }

  /// The layout of a class.
  static func of(any type: any PersistentModel.Type) -> EntityLayout { of(type) }

  private init<Model: PersistentModel>(_ type: Model.Type) {
    self.type = type
    name = Schema.entityName(for: type)
    // Without its type it would be that of what a protocol asks for, which equals no other.
    let id: KeyPath<Model, PersistentIdentifier> = \Model.id
    identifierKeyPaths = [\Model.persistentModelID, id]
    let inheritance = type.schemaInheritance
    isMarked = inheritance.classes.last.map(ObjectIdentifier.init) == ObjectIdentifier(type)
    superlayout =
      isMarked ? inheritance.classes.dropLast().last.map { EntityLayout.of(any: $0) } : nil
    let inherited = superlayout?.properties ?? []
    var properties = zip(inherited, inheritance.properties).map { $0.inherited(as: $1.keypath) }
    inheritedCount = properties.count
    var constraints: [any SchemaConstraint] = []
    for metadata in type.schemaMetadata {
      if let constraint = metadata.metadata as? any SchemaConstraint {
        constraints.append(constraint)
      } else {
        properties.append(PropertyLayout(metadata))
      }
    }
    self.properties = properties
    indexByKeyPath = Dictionary(
      properties.enumerated().flatMap { index, property in
        property.keyPaths.map { ($0, index) }
      }, uniquingKeysWith: { first, _ in first })
    indexByName = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let indexByKeyPath = indexByKeyPath
    func lists(isUniqueness: Bool) -> [[String]] {
      constraints.filter { $0.isUniqueness == isUniqueness }.flatMap(\.keyPaths)
        .map { $0.compactMap { indexByKeyPath[$0].map { properties[$0].name } } }
        .filter { !$0.isEmpty }
    }
    // An attribute may be marked with .unique and named by #Unique as well.
    func withoutRepetitions(_ lists: [[String]]) -> [[String]] {
      var seen: Set<[String]> = []
      return lists.filter { seen.insert($0).inserted }
    }
    uniquenessConstraints = withoutRepetitions(
      properties[inheritedCount...].filter { $0.described?.isUnique ?? false }.map { [$0.name] }
        + lists(isUniqueness: true))
    allUniquenessConstraints =
      (superlayout?.allUniquenessConstraints ?? [])
      + uniquenessConstraints.map { [name] in (name, $0) }
    indices = withoutRepetitions(lists(isUniqueness: false))
    relationshipPlaces = properties.indices.filter { properties[$0].relationship != nil }
    let uniqueNames = Set(allUniquenessConstraints.flatMap(\.names))
    uniqueRelationshipPlaces = relationshipPlaces.filter { place in
      uniqueNames.contains(properties[place].name)
        && !(properties[place].relationship?.isToMany ?? true)
    }
    largePlaces = properties.indices.filter { properties[$0].keepsLargeValues }
    storedPlaces = properties.indices.filter {
      properties[$0].codec != nil && !properties[$0].isTransient
    }
    keyPathTable = KeyPathTable(propertyCount: properties.count)
    observedProperties = properties.indices.map { \ModelState[property: $0] }
    let blankValues: [PropertyValue] = properties.map { property in
      if let relationship = property.relationship {
        return relationship.isToMany ? .toMany([]) : .toOne(nil)
      }
      return property.defaultValue.flatMap(PropertyLayout.unwrapped).map(PropertyValue.value)
        ?? .null
    }
    self.blankValues = blankValues
    faultValues = zip(properties, blankValues).map { property, blank in
      // A list is read for itself, and what is changed about it before that is noted.
      if property.relationship?.isToMany ?? false { return .toManyFault(added: [], removed: []) }
      return property.isTransient ? blank : .fault
    }
  }

  /// The number of a property.
  ///
  /// A key path that leads to no stored property is a mistake in the program: nothing sensible could
  /// be read or written there.
  func index(of keyPath: AnyKeyPath) -> Int {
    if let index = keyPathTable.number(of: keyPath) { return index }
    guard let index = indexByKeyPath[keyPath] else {
      preconditionFailure("\(name) has no stored property \(keyPath)")
    }
    keyPathTable.remember(keyPath, number: index)
    return index
  }

  func indexIfAny(of keyPath: AnyKeyPath) -> Int? { indexByKeyPath[keyPath] }
  /// Whether a key path leads to the model's identifier, and not to an attribute of that name.
  func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
    indexByKeyPath[keyPath] == nil && identifierKeyPaths.contains(keyPath)
  }

  func index(named name: String) -> Int? { indexByName[name] }

  /// What there is where nothing is to be had: of what no store keeps, the value of a new model.
  func emptyValue(at index: Int) -> PropertyValue {
    guard let relationship = properties[index].relationship else {
      return properties[index].isTransient ? blankValues[index] : .null
    }
    return relationship.isToMany ? .toMany([]) : .toOne(nil)
  }

  // MARK: - Inverses

  /// The number, among the destination's properties, of the relationship that leads back.
  func inverseIndex(of index: Int) -> Int? {
    if let found = inverses.withLock({ $0?[index] }) { return found }
    let found = properties.indices.map { findInverse(of: $0) }
    inverses.withLock { $0 = found }
    return found[index]
  }

  func inverse(of index: Int) -> (layout: EntityLayout, index: Int)? {
    guard let relationship = properties[index].relationship, let inverse = inverseIndex(of: index)
    else { return nil }
    return (relationship.destinationLayout, inverse)
  }

  /// The relationship that leads back: the one that either end names, or else the only one that can.
  private func findInverse(of index: Int) -> Int? {
    if index < inheritedCount { return superlayout?.inverseIndex(of: index) }
    guard let relationship = properties[index].relationship else { return nil }
    let destination = relationship.destinationLayout
    if let keyPath = relationship.inverseKeyPath { return destination.indexIfAny(of: keyPath) }
    let back = destination.properties.indices.filter { place in
      destination.properties[place].relationship?.destinationLayout === self
    }
    if let named = back.first(where: {
      properties[index].isNamed(by: destination.properties[$0].relationship?.inverseKeyPath)
    }) {
      return named
    }
    func isFree(_ place: Int, of layout: EntityLayout, claimedBy other: EntityLayout) -> Bool {
      layout.properties[place].relationship?.inverseKeyPath == nil
        && !other.properties.contains {
          layout.properties[place].isNamed(by: $0.relationship?.inverseKeyPath)
        }
    }
    let candidates = back.filter { isFree($0, of: destination, claimedBy: self) }
    let rivals = properties.indices.filter { place in
      properties[place].relationship?.destinationLayout === destination
        && isFree(place, of: self, claimedBy: destination)
    }
    guard candidates.count == 1, rivals == [index], destination !== self else { return nil }
    return candidates[0]
  }
}

extension EntityLayout: Hashable {
  /// Whether both are of the same class.
  static func == (left: EntityLayout, right: EntityLayout) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PropertyLayout {
  /// Whether a key path leads to the property.
  fileprivate func isNamed(by keyPath: AnyKeyPath?) -> Bool {
    keyPath.map(keyPaths.contains) ?? false
  }

  /// A value without the optional around it; nil for nothing.
  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.unwrapped.flatMap(unwrapped)
  }
}

extension EntityLayout {
  /// A relationship as a schema describes it; nil for an attribute.
  func relationshipDescription(at index: Int) -> Schema.Relationship? {
    let property = properties[index]
    return property.relationship.map { relationship in
      Schema.Relationship(
        name: property.name, valueType: property.valueType,
        destination: relationship.destinationLayout.name,
        inverseName: inverse(of: index).map { $0.layout.properties[$0.index].name },
        described: property.described as? Schema.Relationship)
    }
  }
}
