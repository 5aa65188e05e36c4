/// The model that a store's rows are shaped by: entities, their properties and how they inherit.
///
/// A store keeps its model in `Z_MODELCACHE`; ``ModelCache`` reads it.
package struct ManagedModel: Hashable, Sendable {
  /// The entities by name.
  package let entities: [String: ManagedEntity]
  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  package let versionIdentifiers: [String]

  /// How deep a hierarchy of entities may be; a deeper one is not a model that a framework made.
  static let deepestInheritance = 64

  /// A model of the given entities.
  package init(entities: [ManagedEntity], versionIdentifiers: [String] = []) {
    self.entities = Dictionary(
      entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.versionIdentifiers = versionIdentifiers
  }

  /// An entity with all that it inherits from, the root first; nil where the entity, or one that it
  /// inherits from, is missing, or where inheritance runs in a circle.
  package func lineage(of entityName: String) -> [ManagedEntity]? {
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
  package func relationship(_ name: String, of entityName: String) -> ManagedRelationship? {
    guard let lineage = lineage(of: entityName) else { return nil }
    for entity in lineage {
      if case .relationship(let relationship)? = entity.propertiesByName[name] {
        return relationship
      }
    }
    return nil
  }

  /// The slots of every entity whose order is known.
  package func entitySlots() -> [String: EntitySlots] {
    var order = SlotOrder(self)
    var slots: [String: EntitySlots] = [:]
    for name in entities.keys { slots[name] = order.slots(of: name) }
    return slots
  }
}

/// One entity: the properties that it adds to those of its super-entity.
package struct ManagedEntity: Hashable, Sendable {
  /// The entity's name; in SwiftData, that of the class.
  package let name: String
  /// The entity that this one inherits from.
  package let superentityName: String?
  /// Whether no object can be of exactly this entity.
  package let isAbstract: Bool
  /// What the entity adds to what it inherits.
  package let properties: [ManagedProperty]
  /// Lists of properties whose values together no two objects may share.
  package let uniquenessConstraints: [[String]]
  /// Lists of properties that a store has an index for; a model cache does not tell them.
  package let indexes: [[String]]
  /// The properties by name.
  package let propertiesByName: [String: ManagedProperty]

  /// An entity.
  package init(
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
  package var attributes: [ManagedAttribute] { properties.compactMap(\.attribute) }
  /// The entity's own relationships.
  package var relationships: [ManagedRelationship] { properties.compactMap(\.relationship) }

  /// The properties that the store keeps.
  package var storedProperties: [ManagedProperty] { properties.filter { !$0.isTransient } }
}

/// A property of an entity.
package enum ManagedProperty: Hashable, Sendable {
  /// A value.
  case attribute(ManagedAttribute)
  /// A link to other objects.
  case relationship(ManagedRelationship)
  /// A property without a column of its own: a fetched property, or a kind we do not know.
  case other(name: String, isTransient: Bool)

  /// The property's name.
  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .other(let name, _): name
    }
  }

  /// The attribute, if it is one.
  package var attribute: ManagedAttribute? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  /// The relationship, if it is one.
  package var relationship: ManagedRelationship? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }

  /// Whether the store does not keep it.
  package var isTransient: Bool {
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
  package let type: AttributeType
  /// Whether it may be nil.
  package let isOptional: Bool
  /// Whether the store does not keep it.
  package let isTransient: Bool
  /// Whether a deleted object leaves the value behind (`@Attribute(.preserveValueOnDeletion)`).
  package let preservesValueOnDeletion: Bool
  /// Whether large values stand in files beside the store (`@Attribute(.externalStorage)`).
  package let allowsExternalStorage: Bool
  /// Whether the store works the value out from others; how it does, only the frameworks can tell.
  package let isDerived: Bool
  /// The class of the value as the app's language names it, such as `Array<String>`.
  package let valueClassName: String?
  /// The name of the transformer that makes data of the values of a transformable attribute.
  package let valueTransformerName: String?
  /// What a new object has there, as a store keeps it; nil for nothing, or for a kind of value that
  /// only the app can make.
  package let defaultValue: StoredValue?
  /// The elements of a composite attribute.
  package let elements: [ManagedAttribute]
  /// The name that it had in the model before, where that was another; a model that was read from a
  /// store does not tell.
  package let renamingIdentifier: String?
  /// What makes a version of the model another one although the attribute is the same.
  package let versionHashModifier: String?

  /// An attribute.
  package init(
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
  package static func propertyName(ofPath path: String) -> String {
    path.split(separator: ".").first.map(String.init) ?? path
  }
}

/// A relationship of an entity.
package struct ManagedRelationship: Hashable, Sendable {
  /// The relationship's name.
  package let name: String
  /// The entity at its other end.
  package let destinationName: String?
  /// The relationship that leads back.
  package let inverseName: String?
  /// Whether it leads to any number of objects.
  package let isToMany: Bool
  /// Whether a to-many relationship keeps an order.
  package let isOrdered: Bool
  /// Whether the store does not keep it.
  package let isTransient: Bool
  /// Whether it may be nil or empty.
  package let isOptional: Bool
  /// What becomes of the objects at its other end when this one is deleted.
  package let deleteRule: DeleteRule
  /// The name that it had in the model before, where that was another; a model that was read from a
  /// store does not tell.
  package let renamingIdentifier: String?
  /// What makes a version of the model another one although the relationship is the same.
  package let versionHashModifier: String?

  /// What becomes of the objects at the other end when an object is deleted, by the numbers that a
  /// model's archive gives the rules.
  package enum DeleteRule: Int64, Hashable, Sendable {
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
  package init(
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
