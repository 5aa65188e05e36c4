import PropertyLists

extension ManagedModel {
  /// Reads a model out of a keyed archive of NSManagedObjectModel.
  ///
  /// - Throws: ``PropertyListError`` or ``ModelArchiveError`` where the archive is not one, is larger
  ///   than any model, or contradicts itself.
  init(archive: KeyedArchive) throws {
    guard let root = try archive.root.flatMap({ try archive.object($0) }),
      let list = try root.object("NSEntities")
    else { throw ModelArchiveError.notAModel }
    let entities = try archive.pairs(of: list)
    guard entities.count <= ModelArchiveLimits.entities else { throw ModelArchiveError.tooLarge }

    var reader = ModelArchiveReader(archive: archive)
    for (name, value) in entities {
      guard let entity = try archive.object(value) else { continue }
      try reader.collect(entity, named: name)
    }
    let versions = try? root.object("NSVersionIdentifiers").map {
      try archive.elements(of: $0).compactMap { try archive.string($0) }
    }
    self.init(
      entities: try reader.entities(), versionIdentifiers: (versions ?? nil)?.sorted() ?? [])
  }
}

/// Why a keyed archive is not a usable model.
enum ModelArchiveError: Error, Hashable, CustomStringConvertible {
  case notAModel
  case tooLarge
  case endlessInheritance(entity: String)
  case missingSuperentity(entity: String, superentity: String)

  var description: String {
    switch self {
    case .notAModel: "the cached model is not an archive of a managed object model"
    case .tooLarge: "the cached model has more parts than any model"
    case .endlessInheritance(let entity):
      "in the cached model the entity \(entity) inherits from itself, or through more than "
        + "\(ManagedModel.deepestInheritance) others"
    case .missingSuperentity(let entity, let superentity):
      "in the cached model the entity \(entity) inherits from \(superentity), which is missing"
    }
  }
}

/// How large a model may be; the largest seen has 130 entities.
private enum ModelArchiveLimits {
  static let entities = 10_000
  static let properties = 200_000
  /// The properties of every entity with those of all its ancestors, each as often as it is listed.
  static let listedProperties = 1_000_000
  /// The columns that all entities have together, inherited ones counted at each of them.
  static let columns = 500_000
  static let elementDepth = 8
}

/// Gathers the entities of an archive and sorts out which of them introduces which property.
///
/// A sub-entity's archive also lists inherited properties, as copies or proxies; the description at the entity
/// that introduces a property counts.
private struct ModelArchiveReader {
  private struct Entity {
    let object: KeyedArchive.Object
    let superentityName: String?
    let properties: [(name: String, value: PropertyListValue)]
  }

  let archive: KeyedArchive
  private var collected: [String: Entity] = [:]
  private var order: [String] = []
  private var remainingProperties = ModelArchiveLimits.properties
  private var remainingListedProperties = ModelArchiveLimits.listedProperties
  /// Kinds by the index of the class, and texts that thousands of properties refer to by that of the
  /// text.
  private var knownKinds: [Int: PropertyKind] = [:]
  private var knownTexts: [Int: String?] = [:]

  init(archive: KeyedArchive) { self.archive = archive }

  mutating func collect(_ entity: KeyedArchive.Object, named name: String) throws {
    guard collected[name] == nil else { return }
    let properties = try entity.object("NSProperties").map { try archive.pairs(of: $0) } ?? []
    try spend(properties.count)
    collected[name] = Entity(
      object: entity,
      superentityName: try entity.object("NSSuperentity")?.string("NSEntityName"),
      properties: properties.map { (name: $0.key, value: $0.value) })
    order.append(name)
  }

  mutating func entities() throws -> [ManagedEntity] {
    var entities: [ManagedEntity] = []
    for name in order {
      guard let entity = collected[name] else { continue }
      var known = try inheritedNames(of: name)
      var properties: [ManagedProperty] = []
      for property in entity.properties where known.insert(property.name).inserted {
        properties.append(try self.property(property.value, named: property.name))
      }
      let inheritedConstraints =
        try entity.superentityName.flatMap { collected[$0] }
        .map { try constraints(of: $0) } ?? []
      entities.append(
        ManagedEntity(
          name: name, superentityName: entity.superentityName,
          isAbstract: try entity.object.boolean("NSIsAbstract") ?? false, properties: properties,
          uniquenessConstraints: try constraints(of: entity)
            .filter { !inheritedConstraints.contains($0) }))
    }
    try checkColumns(of: entities)
    return entities
  }

  /// Checks that the columns of all entities stay countable.
  ///
  /// A few bytes can add an entity that inherits everything, and every entity gets a list of its slots.
  private func checkColumns(of entities: [ManagedEntity]) throws {
    let own = Dictionary(
      keepingFirst: entities.map { entity in
        (entity.name, entity.properties.reduce(0) { $0 + ($1.attribute?.storedElementCount ?? 1) })
      })
    var remaining = ModelArchiveLimits.columns
    for entity in entities {
      var next: String? = entity.name
      while let name = next {
        remaining -= own[name] ?? 0
        guard remaining >= 0 else { throw ModelArchiveError.tooLarge }
        next = collected[name]?.superentityName
      }
    }
  }

  private mutating func constraints(of entity: Entity) throws -> [[String]] {
    guard let list = try entity.object.object("NSUniqueTuples") else { return [] }
    var constraints: [[String]] = []
    for value in try archive.elements(of: list) {
      try spend(1)
      guard let tuple = try archive.object(value) else { continue }
      let elements = try archive.elements(of: tuple)
      try spend(elements.count)
      let names = try elements.compactMap { try archive.string($0) }
      // A constraint on anything but names of properties is one that we do not know.
      if names.count == elements.count && !names.isEmpty { constraints.append(names) }
    }
    return constraints
  }

  private mutating func inheritedNames(of name: String) throws -> Set<String> {
    var names: Set<String> = []
    var depth = 0
    var current = name
    while let superentity = collected[current]?.superentityName {
      depth += 1
      guard depth < ManagedModel.deepestInheritance else {
        throw ModelArchiveError.endlessInheritance(entity: name)
      }
      guard let entity = collected[superentity] else {
        throw ModelArchiveError.missingSuperentity(entity: current, superentity: superentity)
      }
      remainingListedProperties -= entity.properties.count
      guard remainingListedProperties >= 0 else { throw ModelArchiveError.tooLarge }
      names.formUnion(entity.properties.lazy.map(\.name))
      current = superentity
    }
    return names
  }

  private mutating func property(
    _ value: PropertyListValue, named name: String
  ) throws -> ManagedProperty {
    guard let object = try archive.object(value) else {
      return .other(name: name, isTransient: false)
    }
    switch try kind(of: object) {
    case .relationship: return .relationship(try relationship(object, name))
    case .attribute: return .attribute(try attribute(object, name, isDerived: false))
    case .derivedAttribute: return .attribute(try attribute(object, name, isDerived: true))
    case .other:
      return .other(name: name, isTransient: try object.boolean("NSIsTransient") ?? false)
    }
  }

  /// Returns the kind of a property by its class; thousands of properties share a few classes.
  private mutating func kind(of object: KeyedArchive.Object) throws -> PropertyKind {
    guard let reference = object.field("$class").flatMap(KeyedArchive.Reference.init) else {
      return .other
    }
    if let known = knownKinds[reference.index] { return known }
    let kind = PropertyKind(className: try object.className ?? "")
    knownKinds[reference.index] = kind
    return kind
  }

  private mutating func text(
    _ key: String, of object: KeyedArchive.Object
  ) throws -> String? {
    guard let value = object.field(key) else { return nil }
    guard let reference = KeyedArchive.Reference(value) else { return try archive.string(value) }
    if let known = knownTexts[reference.index] { return known }
    let text = try archive.string(value)
    knownTexts[reference.index] = .some(text)
    return text
  }

  private mutating func relationship(
    _ object: KeyedArchive.Object, _ name: String
  ) throws -> ManagedRelationship {
    ManagedRelationship(
      name: name,
      destinationName: try text("_NSDestinationEntityName", of: object)
        ?? object.object("NSDestinationEntity")?.string("NSEntityName"),
      inverseName: try text("_NSInverseRelationshipName", of: object),
      isToMany: try object.integer("NSMaxCount") != 1,
      isOrdered: try object.boolean("NSIsOrdered") ?? false,
      isTransient: try object.boolean("NSIsTransient") ?? false,
      isOptional: try object.boolean("NSIsOptional") ?? false,
      deleteRule: try object.integer("NSDeleteRule").flatMap(
        ManagedRelationship.DeleteRule.init(rawValue:)) ?? .nullify,
      versionHashModifier: try text("NSVersionHashModifier", of: object))
  }

  private mutating func attribute(
    _ object: KeyedArchive.Object, _ name: String, isDerived: Bool, depth: Int = 0
  ) throws -> ManagedAttribute {
    var elements: [ManagedAttribute] = []
    if let list = try object.object("NSCompositeElements") {
      guard depth < ModelArchiveLimits.elementDepth else { throw ModelArchiveError.tooLarge }
      for value in try archive.elements(of: list) {
        try spend(1)
        guard let element = try archive.object(value) else { continue }
        elements.append(
          try attribute(
            element, try element.string("NSPropertyName") ?? "", isDerived: false, depth: depth + 1)
        )
      }
    }
    let flags = try object.integer("NSFlagsKey") ?? 0
    let type = AttributeType(number: try object.integer("NSAttributeType") ?? 0)
    return ManagedAttribute(
      name: name,
      type: type,
      // Archives leave the flag out where it is false.
      isOptional: try object.boolean("NSIsOptional") ?? false,
      isTransient: try object.boolean("NSIsTransient") ?? false,
      preservesValueOnDeletion: flags & AttributeFlags.preservesValueOnDeletion != 0,
      allowsExternalStorage: flags & AttributeFlags.allowsExternalStorage != 0,
      isDerived: isDerived,
      valueClassName: try text("NSAttributeValueClassName", of: object),
      valueTransformerName: try text("NSValueTransformerName", of: object),
      defaultValue: try DefaultValue.read(object, type: type),
      elements: elements,
      versionHashModifier: try text("NSVersionHashModifier", of: object))
  }

  private mutating func spend(_ count: Int) throws {
    remainingProperties -= count
    guard remainingProperties >= 0 else { throw ModelArchiveError.tooLarge }
  }
}

/// The kind of a property, by the name of its class. Composite attributes are attributes.
enum PropertyKind {
  case attribute
  case derivedAttribute
  case relationship
  case other

  /// The class of attributes whose values the store works out.
  static let derivedClassName = "NSDerivedAttributeDescription"

  init(className: String) {
    if className.contains("Relationship") {
      self = .relationship
    } else if className == Self.derivedClassName {
      self = .derivedAttribute
    } else if className.contains("Attribute") {
      self = .attribute
    } else {
      self = .other
    }
  }
}

/// The bits of `NSFlagsKey` that history depends on.
enum AttributeFlags {
  static let allowsExternalStorage: Int64 = 4
  static let preservesValueOnDeletion: Int64 = 16
}
