/// The model that a store's rows are shaped by: entities, their properties and how they inherit.
///
/// A store keeps its model in `Z_MODELCACHE`; ``ModelCache`` reads it.
public struct ManagedModel: Hashable, Sendable {
  /// The entities by name.
  public let entities: [String: ManagedEntity]
  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  public let versionIdentifiers: [String]

  /// How deep a hierarchy of entities may be; a deeper one is not a model that a framework made.
  static let deepestInheritance = 64

  /// A model of the given entities.
  public init(entities: [ManagedEntity], versionIdentifiers: [String] = []) {
    self.entities = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.versionIdentifiers = versionIdentifiers
  }

  /// An entity with all that it inherits from, the root first; nil where the entity, or one that it
  /// inherits from, is missing, or where inheritance runs in a circle.
  public func lineage(of entityName: String) -> [ManagedEntity]? {
    var lineage: [ManagedEntity] = []
    var next: String? = entityName
    while let name = next {
      guard lineage.count < ManagedModel.deepestInheritance, let entity = entities[name] else {
        return nil
      }
      lineage.append(entity)
      next = entity.superentityName
    }
    return lineage.reversed()
  }

  /// A relationship of an entity, its own or an inherited one.
  func relationship(_ name: String, of entityName: String) -> ManagedRelationship? {
    guard let lineage = lineage(of: entityName) else { return nil }
    for entity in lineage {
      if case .relationship(let relationship)? = entity.propertiesByName[name] {
        return relationship
      }
    }
    return nil
  }

  /// The slots of every entity whose order is known.
  public func entitySlots() -> [String: EntitySlots] {
    var order = SlotOrder(self)
    var slots: [String: EntitySlots] = [:]
    for name in entities.keys { slots[name] = order.slots(of: name) }
    return slots
  }
}

/// One entity: the properties that it adds to those of its super-entity.
public struct ManagedEntity: Hashable, Sendable {
  /// The entity's name; in SwiftData, that of the class.
  public let name: String
  /// The entity that this one inherits from.
  public let superentityName: String?
  /// Whether no object can be of exactly this entity.
  public let isAbstract: Bool
  /// What the entity adds to what it inherits.
  public let properties: [ManagedProperty]
  /// Lists of properties whose values together no two objects may share.
  public let uniquenessConstraints: [[String]]
  /// Lists of properties that a store has an index for; a model cache does not tell them.
  public let indexes: [[String]]
  /// The properties by name.
  let propertiesByName: [String: ManagedProperty]

  /// An entity.
  public init(
    name: String, superentityName: String? = nil, isAbstract: Bool = false,
    properties: [ManagedProperty], uniquenessConstraints: [[String]] = [],
    indexes: [[String]] = []
  ) {
    self.name = name
    self.superentityName = superentityName
    self.isAbstract = isAbstract
    self.properties = properties
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    propertiesByName = Dictionary(
      properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity's own attributes.
  public var attributes: [ManagedAttribute] { properties.compactMap(\.attribute) }
  /// The entity's own relationships.
  public var relationships: [ManagedRelationship] { properties.compactMap(\.relationship) }

  /// The properties that the store keeps.
  var storedProperties: [ManagedProperty] { properties.filter { !$0.isTransient } }
}

/// A property of an entity.
public enum ManagedProperty: Hashable, Sendable {
  /// A value.
  case attribute(ManagedAttribute)
  /// A link to other objects.
  case relationship(ManagedRelationship)
  /// A property without a column of its own: a fetched property, or a kind we do not know.
  case other(name: String, isTransient: Bool)

  /// The property's name.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .other(let name, _): name
    }
  }

  /// The attribute, if it is one.
  public var attribute: ManagedAttribute? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  /// The relationship, if it is one.
  public var relationship: ManagedRelationship? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }

  /// Whether the store does not keep it.
  public var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    case .other(_, let isTransient): isTransient
    }
  }
}

/// An attribute of an entity.
public struct ManagedAttribute: Hashable, Sendable {
  /// The attribute's name.
  public let name: String
  /// Its type.
  public let type: AttributeType
  /// Whether it may be nil.
  public let isOptional: Bool
  /// Whether the store does not keep it.
  public let isTransient: Bool
  /// Whether a deleted object leaves the value behind (`@Attribute(.preserveValueOnDeletion)`).
  public let preservesValueOnDeletion: Bool
  /// Whether large values stand in files beside the store (`@Attribute(.externalStorage)`).
  public let allowsExternalStorage: Bool
  /// Whether the store works the value out from others; how it does, only the frameworks can tell.
  public let isDerived: Bool
  /// The class of the value as the app's language names it, such as `Array<String>`.
  public let valueClassName: String?
  /// The name of the transformer that makes data of the values of a transformable attribute.
  public let valueTransformerName: String?
  /// What a new object has there, as a store keeps it; nil for nothing, or for a kind of value that
  /// only the app can make.
  public let defaultValue: StoredValue?
  /// The elements of a composite attribute.
  public let elements: [ManagedAttribute]
  /// The name that it had in the model before, where that was another; a model that was read from a
  /// store does not tell.
  public let renamingIdentifier: String?
  /// What makes a version of the model another one although the attribute is the same.
  public let versionHashModifier: String?

  /// An attribute.
  public init(
    name: String, type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false, allowsExternalStorage: Bool = false,
    isDerived: Bool = false,
    valueClassName: String? = nil, valueTransformerName: String? = nil,
    defaultValue: StoredValue? = nil,
    elements: [ManagedAttribute] = [], renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.allowsExternalStorage = allowsExternalStorage
    self.isDerived = isDerived
    self.valueClassName = valueClassName
    self.valueTransformerName = valueTransformerName
    self.defaultValue = defaultValue
    self.elements = elements
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.versionHashModifier = versionHashModifier
  }

  /// How many columns it takes: those of its elements, or one.
  var storedElementCount: Int {
    elements.isEmpty ? 1 : elements.reduce(0) { $0 + $1.storedElementCount }
  }

  /// What its columns hold: itself, or the elements of a composite one, each named
  /// `attribute.element`.
  var storedElements: [ManagedAttribute] {
    elements.isEmpty ? [self] : elements.flatMap { $0.storedElements(in: name, of: self) }
  }

  private func storedElements(
    in path: String, of attribute: ManagedAttribute
  ) -> [ManagedAttribute] {
    let path = path + "." + name
    guard elements.isEmpty else {
      return elements.flatMap { $0.storedElements(in: path, of: attribute) }
    }
    return [
      ManagedAttribute(
        name: path, type: type, isOptional: isOptional,
        preservesValueOnDeletion: attribute.preservesValueOnDeletion,
        allowsExternalStorage: allowsExternalStorage, valueClassName: valueClassName)
    ]
  }

  /// The name of the property that a path leads to, which is its own or `attribute.element`.
  static func propertyName(ofPath path: String) -> String {
    path.split(separator: ".").first.map(String.init) ?? path
  }
}

/// A relationship of an entity.
public struct ManagedRelationship: Hashable, Sendable {
  /// The relationship's name.
  public let name: String
  /// The entity at its other end.
  public let destinationName: String?
  /// The relationship that leads back.
  public let inverseName: String?
  /// Whether it leads to any number of objects.
  public let isToMany: Bool
  /// Whether a to-many relationship keeps an order.
  public let isOrdered: Bool
  /// Whether the store does not keep it.
  public let isTransient: Bool
  /// Whether it may be nil or empty.
  public let isOptional: Bool
  /// What becomes of the objects at its other end when this one is deleted.
  public let deleteRule: DeleteRule
  /// The name that it had in the model before, where that was another; a model that was read from a
  /// store does not tell.
  public let renamingIdentifier: String?
  /// What makes a version of the model another one although the relationship is the same.
  public let versionHashModifier: String?

  /// What becomes of the objects at the other end when an object is deleted, by the numbers that a
  /// model's archive gives the rules.
  public enum DeleteRule: Int64, Hashable, Sendable {
    /// They stay as they are.
    case noAction = 0
    /// They no longer lead back.
    case nullify = 1
    /// They are deleted as well.
    case cascade = 2
    /// As long as there are any, the object cannot be deleted.
    case deny = 3
  }

  /// A relationship.
  public init(
    name: String, destinationName: String?, inverseName: String? = nil, isToMany: Bool = false,
    isOrdered: Bool = false, isTransient: Bool = false, isOptional: Bool = true,
    deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil
  ) {
    self.name = name
    self.destinationName = destinationName
    self.inverseName = inverseName
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isTransient = isTransient
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.versionHashModifier = versionHashModifier
  }
}
