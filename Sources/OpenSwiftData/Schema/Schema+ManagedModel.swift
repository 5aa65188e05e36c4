import StoreFormat

extension Schema {
  /// Returns the model of a store with these entities.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for an entity that cannot be stored.
  func managedModel() throws -> ManagedModel {
    ManagedModel(
      entities: try layouts.values.sorted { $0.name < $1.name }.map { try $0.managedEntity() },
      versionIdentifiers: [version.description])
  }
}

extension EntityLayout {
  fileprivate func managedEntity() throws -> ManagedEntity {
    try checkConstraints()
    return ManagedEntity(
      name: name, superentityName: superlayout?.name,
      properties: try properties.indices[inheritedCount...].map { try managedProperty(at: $0) },
      uniquenessConstraints: uniquenessConstraints, indexes: indices)
  }

  /// Refuses a constraint that would apply to other classes too, because a hierarchy shares one
  /// table.
  private func checkConstraints() throws {
    for names in uniquenessConstraints {
      guard let superlayout, names.allSatisfy({ superlayout.index(named: $0) != nil }) else {
        continue
      }
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(name) declares \(names.joined(separator: ", ")) unique, which it inherits from "
          + "\(superlayout.name) as other models do; declare that in the class that has the "
          + "property, or name a property of \(name) as well")
    }
  }

  private func managedProperty(at index: Int) throws -> ManagedProperty {
    let property = properties[index]
    if let relationship = property.relationship {
      return .relationship(
        ManagedRelationship(
          name: property.name, destinationName: relationship.destinationLayout.name,
          inverseName: inverseProperty(of: index)?.name,
          isToMany: relationship.isToMany, isOptional: property.isOptional,
          deleteRule: relationship.deleteRule.managed,
          renamingIdentifier: property.originalName, versionHashModifier: property.hashModifier))
    }
    guard let codec = property.codec else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(name).\(property.name) is of type \(property.valueType), which is neither Codable nor a "
          + "model; make the type Codable, let a transformer make data of it with "
          + "@Attribute(.transformable(by:)), or mark the property with @Transient")
    }
    try checkExternalStorage(property)
    try checkEphemeral(property)
    return .attribute(try managedAttribute(property, codec))
  }

  private func checkExternalStorage(_ property: PropertyLayout) throws {
    guard property.options.contains(.externalStorage), !property.isTransient else { return }
    guard property.keepsLargeValues else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(name).\(property.name) is marked with .externalStorage and of type "
          + "\(property.valueType), whose values are not kept as data; leave the option out")
    }
    guard !uniquenessConstraints.joined().contains(property.name) else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "\(name).\(property.name) is marked with .externalStorage and must be unique; values in "
          + "files are not compared, so leave out one of the two")
    }
  }

  private func checkEphemeral(_ property: PropertyLayout) throws {
    guard property.isTransient, !property.hasBlankValue, property.defaultValue == nil else {
      return
    }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "\(name).\(property.name) is marked with .ephemeral, so that a fetched model has only the "
        + "value that it is declared with, and it has none; give it a value where it is declared, "
        + "or make it optional")
  }

  private func managedAttribute(
    _ property: PropertyLayout, _ codec: AttributeCodec
  ) throws -> ManagedAttribute {
    var elements: [ManagedAttribute] = []
    var enumeration: ManagedAttribute.Enumeration?
    if case .composite(let shape) = codec.storage {
      elements = shape.elements.map {
        ManagedAttribute(
          name: $0.name, type: $0.attributeType, valueClassName: $0.attributeType.valueClassName)
      }
      enumeration = shape.enumeration
    }
    var defaultValue: StoredValue?
    // A model has the value itself, which cannot be archived here.
    if codec.transformed == nil, let value = property.defaultValue.flatMap(PropertyLayout.unwrapped)
    {
      let stored = try codec.stored(value, name: "\(name).\(property.name)")
      if elements.isEmpty {
        defaultValue = stored.first
      } else {
        elements = zip(elements, stored).map { element, value in
          ManagedAttribute(
            name: element.name, type: element.type, valueClassName: element.valueClassName,
            defaultValue: value.isNull ? nil : value)
        }
      }
    }
    return ManagedAttribute(
      name: property.name, type: codec.attributeType, isOptional: property.isOptional,
      isTransient: property.isTransient,
      preservesValueOnDeletion: property.options.contains(.preserveValueOnDeletion),
      allowsExternalStorage: property.keepsLargeValues,
      valueClassName: codec.valueClassName,
      valueTransformerName: codec.transformed?.reference.name, defaultValue: defaultValue,
      elements: elements, enumeration: enumeration,
      renamingIdentifier: property.originalName, versionHashModifier: property.hashModifier)
  }
}

extension Schema.Relationship.DeleteRule {
  fileprivate var managed: ManagedRelationship.DeleteRule {
    switch self {
    case .noAction: .noAction
    case .nullify: .nullify
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}

extension AttributeCodec {
  /// The class of the values in the frameworks.
  fileprivate var valueClassName: String {
    switch storage {
    case .coded: return "NSData"
    case .composite: return "NSDictionary"
    case .transformed(let values): return String(describing: values.type)
    case .plain(let storable): return storable.attributeType.valueClassName
    }
  }
}

extension AttributeType {
  /// The class of the values in the frameworks.
  fileprivate var valueClassName: String {
    switch self {
    case .string: "NSString"
    case .date: "NSDate"
    case .binaryData: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .decimal: "NSDecimalNumber"
    default: "NSNumber"
    }
  }
}
