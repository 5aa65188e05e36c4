/// The model that a store's rows are shaped by: entities, their properties and how they inherit.
///
/// A store keeps its model in `Z_MODELCACHE`; ``ModelCache`` reads it.
package struct ManagedModel: Hashable, Sendable {
  package let entities: [String: ManagedEntity]
  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  package let versionIdentifiers: [String]

  /// The maximum depth of inheritance; models of frameworks have fewer levels.
  static let deepestInheritance = 64

  package init(entities: [ManagedEntity], versionIdentifiers: [String] = []) {
    self.entities = Dictionary(keepingFirst: entities.map { ($0.name, $0) })
    self.versionIdentifiers = versionIdentifiers
  }

  /// Returns an entity and those that it inherits from, the root first, or `nil` where one of them is missing
  /// or inheritance is cyclic.
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

  /// The attributes of an entity, its own and inherited ones, that the store calculates from others. No change
  /// of them is recorded.
  package func derivedAttributes(of entityName: String) -> Set<String> {
    Set((lineage(of: entityName) ?? []).flatMap(\.attributes).filter(\.isDerived).map(\.name))
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
  package let superentityName: String?
  /// Whether no object can be of exactly this entity.
  package let isAbstract: Bool
  /// The properties that it adds to inherited ones.
  package let properties: [ManagedProperty]
  /// Lists of properties whose values together no two objects may share.
  package let uniquenessConstraints: [[String]]
  /// Lists of properties that a store has an index for; a model cache does not contain them.
  package let indexes: [[String]]
  package let propertiesByName: [String: ManagedProperty]
  /// The properties that a store keeps, by name.
  package let storedProperties: [ManagedProperty]

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
    propertiesByName = Dictionary(keepingFirst: properties.map { ($0.name, $0) })
    storedProperties = properties.filter { !$0.isTransient }.sortedByName()
  }

  package var attributes: [ManagedAttribute] { properties.compactMap(\.attribute) }
  var relationships: [ManagedRelationship] { properties.compactMap(\.relationship) }
}

/// A property of an entity.
///
/// Each is kept once, wherever its entity refers to it: many models may be in memory together.
package indirect enum ManagedProperty: Hashable, Sendable {
  case attribute(ManagedAttribute)
  case relationship(ManagedRelationship)
  /// A property without a column of its own: a fetched property, or a kind we do not know.
  case other(name: String, isTransient: Bool)

  package var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    case .other(let name, _): name
    }
  }

  package var attribute: ManagedAttribute? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

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
package struct ManagedAttribute: Hashable, Sendable {
  package let name: String
  package let type: AttributeType
  /// Whether it may be `nil`.
  package let isOptional: Bool
  /// Whether the store does not keep it.
  package let isTransient: Bool
  /// Whether a deleted object leaves the value behind (`@Attribute(.preserveValueOnDeletion)`).
  package let preservesValueOnDeletion: Bool
  /// Whether large values are kept in files beside the store (`@Attribute(.externalStorage)`).
  package let allowsExternalStorage: Bool
  /// Whether the store computes the value from others, in a way that only the frameworks know.
  package let isDerived: Bool
  /// The class of the value as the app's language names it, such as `Array<String>`.
  package let valueClassName: String?
  /// The name of the transformer that makes data of the values of a transformable attribute.
  package let valueTransformerName: String?
  /// The value of new objects, as a store keeps it, or `nil` for none or for a value that only the app can
  /// make.
  package let defaultValue: StoredValue?
  package let elements: [ManagedAttribute]
  /// The kind of a composite attribute that is an enumeration; a model from a store does not have it.
  package let enumeration: Enumeration?
  /// Its former name, if it was renamed; a model from a store does not have it.
  package let renamingIdentifier: String?
  /// Marks another version of the model although the attribute is the same.
  package let versionHashModifier: String?

  package enum Enumeration: Hashable, Sendable {
    /// One element has the raw value.
    case rawValue
    /// Each case is an element, whose value is the name of the case or null.
    case cases
  }

  package init(
    name: String, type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false, allowsExternalStorage: Bool = false,
    isDerived: Bool = false,
    valueClassName: String? = nil, valueTransformerName: String? = nil,
    defaultValue: StoredValue? = nil,
    elements: [ManagedAttribute] = [], enumeration: Enumeration? = nil,
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil
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
    self.enumeration = enumeration
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.versionHashModifier = versionHashModifier
  }

  /// How many columns it takes: those of its elements, or one.
  var storedElementCount: Int {
    elements.isEmpty ? 1 : elements.reduce(0) { $0 + $1.storedElementCount }
  }

  /// The attribute of each of its columns: itself, or the elements of a composite one, named
  /// `attribute.element`.
  package var storedElements: [ManagedAttribute] {
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
  package let name: String
  package let destinationName: String?
  package let inverseName: String?
  /// Whether it leads to any number of objects.
  package let isToMany: Bool
  /// Whether a to-many relationship keeps an order.
  package let isOrdered: Bool
  /// Whether the store does not keep it.
  package let isTransient: Bool
  /// Whether it may be `nil` or empty.
  package let isOptional: Bool
  /// The effect of deleting the object on those at the other end.
  package let deleteRule: DeleteRule
  /// Its former name, if it was renamed; a model from a store does not have it.
  package let renamingIdentifier: String?
  /// Marks another version of the model although the relationship is the same.
  package let versionHashModifier: String?

  /// The effect of deleting an object on those at the other end, by the number in a model's archive.
  package enum DeleteRule: Int64, Hashable, Sendable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    /// As long as there are any, the object cannot be deleted.
    case deny = 3
  }

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
