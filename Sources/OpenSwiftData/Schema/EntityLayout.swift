import StoreFormat
import Synchronization

/// The properties of a model's class by index, name and key path; one object for each class.
final class EntityLayout: @unchecked Sendable {
  let name: String
  let temporaryOrigin: PersistentIdentifier.Origin
  let type: any PersistentModel.Type
  /// The layout of the superclass, if it is a model.
  let superlayout: EntityLayout?
  /// Whether the class itself is marked with `@Model`.
  let isMarked: Bool
  /// All properties, inherited ones first.
  let properties: [PropertyLayout]
  let inheritedCount: Int
  /// The uniqueness constraints that the class itself declares.
  let uniquenessConstraints: [[String]]
  /// All uniqueness constraints, with the entity that declares each.
  let allUniquenessConstraints: [(entityName: String, names: [String])]
  /// The indexes that the class itself declares.
  let indices: [[String]]
  /// The values of a new model.
  let blankValues: [PropertyValue]
  /// The column values of these, where the properties are plain or the values null.
  private let blankColumns: [StoredValue?]
  /// The values of a model of which only the identifier is known.
  let faultValues: [PropertyValue]
  /// The key paths under which the observers of a model's values are registered.
  let observedProperties: [KeyPath<ModelState, Void>]

  let relationshipPlaces: [Int]
  /// The to-one relationships in uniqueness constraints.
  let uniqueRelationshipPlaces: [Int]
  /// The attributes whose large values are in files.
  let largePlaces: [Int]
  let storedPlaces: [Int]
  /// The values that need no check, by property: copying a ``PropertyLayout`` for each value of each
  /// model takes time.
  private let usualValues: [(kind: AttributeCodec.UsualKind?, isNullUsual: Bool)]

  private let identifierKeyPaths: [AnyKeyPath]
  private let keyPathTable: KeyPathTable
  private let indexByKeyPath: [AnyKeyPath: Int]
  private let indexByName: [String: Int]
  /// The inverse relationships by property, found on first use.
  private let inverses = Mutex<[Int?]?>(nil)

  private static let known = Mutex<[ObjectIdentifier: EntityLayout]>([:])

  static func of<Model: PersistentModel>(_ type: Model.Type) -> EntityLayout {
    let key = ObjectIdentifier(type)
    if let layout = known.withLock({ $0[key] }) { return layout }
    // Created outside the lock, because a class's metadata may run any code.
    let layout = EntityLayout(type)
    return known.withLock { layouts in
      if let first = layouts[key] { return first }
      layouts[key] = layout
      return layout
    }
  }

  /// Returns the layout of a class that was used already, by the name of its entity.
  ///
  /// Versions of a schema can have several classes of a name: the class of an open store counts,
  /// else the one with the fewest properties that has all the given ones.
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

  private init<Model: PersistentModel>(_ type: Model.Type) {
    self.type = type
    name = Schema.entityName(for: type)
    temporaryOrigin = PersistentIdentifier.Origin(name, in: nil)
    // Without its type the key path would be one of the protocol, which equals no other.
    let id: KeyPath<Model, PersistentIdentifier> = \Model.id
    identifierKeyPaths = [\Model.persistentModelID, id]
    let inheritance = type.schemaInheritance
    isMarked = inheritance.classes.last.map(ObjectIdentifier.init) == ObjectIdentifier(type)
    superlayout =
      isMarked ? inheritance.classes.dropLast().last.map { EntityLayout.of($0) } : nil
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
      keepingFirst: properties.enumerated().flatMap { index, property in
        property.keyPaths.map { ($0, index) }
      })
    indexByName = Dictionary(keepingFirst: properties.enumerated().map { ($1.name, $0) })
    let indexByKeyPath = indexByKeyPath
    func lists(isUniqueness: Bool) -> [[String]] {
      constraints.filter { $0.isUniqueness == isUniqueness }.flatMap(\.keyPaths)
        .map { $0.compactMap { indexByKeyPath[$0].map { properties[$0].name } } }
        .filter { !$0.isEmpty }
    }
    let marked = properties[inheritedCount...].filter { $0.described?.isUnique ?? false }
    // An attribute may be marked with .unique and named by #Unique.
    uniquenessConstraints = (marked.map { [$0.name] } + lists(isUniqueness: true)).uniqued { $0 }
    allUniquenessConstraints =
      (superlayout?.allUniquenessConstraints ?? [])
      + uniquenessConstraints.map { [name] in (name, $0) }
    indices = lists(isUniqueness: false).uniqued { $0 }
    relationshipPlaces = properties.indices.filter { properties[$0].relationship != nil }
    let uniqueNames = Set(allUniquenessConstraints.flatMap(\.names))
    uniqueRelationshipPlaces = relationshipPlaces.filter { place in
      uniqueNames.contains(properties[place].name) && properties[place].isToOne
    }
    largePlaces = properties.indices.filter { properties[$0].keepsLargeValues }
    storedPlaces = properties.indices.filter {
      properties[$0].codec != nil && !properties[$0].isTransient
    }
    usualValues = properties.map { ($0.codec?.usualKind, !$0.needsValue) }
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
    blankColumns = zip(properties, blankValues).map { property, blank in
      switch blank {
      case .null: .null
      case .value(let value) where property.isPlain:
        try? property.codec?.stored(value, name: property.name).first
      default: nil
      }
    }
    faultValues = zip(properties, blankValues).map { property, blank in
      // A list is read separately, and can be changed before.
      if property.isToMany { return .toManyFault(added: [], removed: []) }
      return property.isTransient ? blank : .fault
    }
  }

  /// Returns the index of a property. A key path that leads to no stored property is a programming
  /// error.
  func index(of keyPath: AnyKeyPath) -> Int {
    if let index = keyPathTable.number(of: keyPath) { return index }
    guard let index = indexByKeyPath[keyPath] else {
      preconditionFailure("\(name) has no stored property \(keyPath)")
    }
    keyPathTable.remember(keyPath, number: index)
    return index
  }

  func indexIfAny(of keyPath: AnyKeyPath) -> Int? { indexByKeyPath[keyPath] }
  func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
    indexByKeyPath[keyPath] == nil && identifierKeyPaths.contains(keyPath)
  }

  /// Returns whether a value of an attribute can be used without a check.
  func isUsual(_ value: PropertyValue, at index: Int) -> Bool {
    switch value {
    case .null: usualValues[index].isNullUsual
    case .stored(let stored): usualValues[index].kind?.isKind(of: stored) ?? false
    default: false
    }
  }

  /// Returns whether an attribute of a new model has a value anyway.
  func isInitial<Value>(_ value: Value, at index: Int) -> Bool {
    guard let blank = blankColumns[index] else { return false }
    return blank.isNull ? PlainValue.isNil(value) : PlainValue.stored(value) == blank
  }

  func index(named name: String) -> Int? { indexByName[name] }

  func emptyValue(at index: Int) -> PropertyValue {
    guard let relationship = properties[index].relationship else {
      return properties[index].isTransient ? blankValues[index] : .null
    }
    return relationship.isToMany ? .toMany([]) : .toOne(nil)
  }

  // MARK: - Inverses

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

  func inverseProperty(of index: Int) -> PropertyLayout? {
    inverse(of: index).map { $0.layout.properties[$0.index] }
  }

  private func findInverse(of index: Int) -> Int? {
    if index < inheritedCount { return superlayout?.inverseIndex(of: index) }
    guard let relationship = properties[index].relationship else { return nil }
    let destination = relationship.destinationLayout
    if let keyPath = relationship.inverseKeyPath {
      guard let inverse = destination.indexIfAny(of: keyPath) else { return nil }
      // Of several relationships with one inverse, the one that the inverse names has it, or the
      // first.
      let rivals = properties.indices.filter {
        properties[$0].relationship?.inverseKeyPath == keyPath
      }
      let named = rivals.first {
        properties[$0].isNamed(by: destination.properties[inverse].relationship?.inverseKeyPath)
      }
      return index == named ?? rivals.first ? inverse : nil
    }
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
  static func == (left: EntityLayout, right: EntityLayout) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PropertyLayout {
  fileprivate func isNamed(by keyPath: AnyKeyPath?) -> Bool {
    keyPath.map(keyPaths.contains) ?? false
  }

  static func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.unwrapped.flatMap(unwrapped)
  }
}

extension EntityLayout {
  func relationshipDescription(at index: Int) -> Schema.Relationship? {
    let property = properties[index]
    return property.relationship.map { relationship in
      Schema.Relationship(
        name: property.name, keypath: property.keyPath, valueType: property.valueType,
        destination: relationship.destinationLayout.name,
        inverseName: inverseProperty(of: index)?.name,
        described: property.described as? Schema.Relationship)
    }
  }
}

extension EntityLayout {
  /// The layouts from the class itself to the root of its hierarchy.
  var lineage: [EntityLayout] {
    var lineage = [self]
    while let next = lineage.last?.superlayout { lineage.append(next) }
    return lineage
  }

  func isKind(of other: EntityLayout) -> Bool { lineage.contains { $0 === other } }

  func declaringLayout(of index: Int) -> EntityLayout {
    lineage.last { index < $0.properties.count } ?? self
  }
}

extension EntityLayout {
  /// The columns of an attribute that has others than one of its own name; at most one has a value in an
  /// enumeration.
  func elementPaths(of name: String) -> [String]? {
    guard let index = index(named: name), case .composite? = properties[index].codec?.storage else {
      return nil
    }
    return properties[index].columnPaths
  }
}
