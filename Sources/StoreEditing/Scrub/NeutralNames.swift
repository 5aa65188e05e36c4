import StoreFormat

/// Neutral names for the entities and properties of a model.
///
/// They sort like the names that they replace, because the order of entities determines their numbers, and that of
/// properties the columns of tables, the values of tombstones and most slots of a mask. Only the slots of to-many
/// relationships depend on a hash of their names, so masks are translated.
struct NeutralNames: Sendable {
  let entities: [String: String]
  /// The names of properties, and of the elements of composite attributes, whatever entity has them.
  let properties: [String: String]
  /// Words in the names of classes and value transformers.
  private let classes: [String: String]

  init(_ model: ManagedModel?, entityNames: some Sequence<String>) {
    let modelEntities = model.map { Array($0.entities.values) } ?? []
    let attributes = modelEntities.flatMap(\.attributes).flatMap(\.withElements)
    entities = Self.numbered(
      "Entity", Set(entityNames).union(modelEntities.map(\.name)), by: EntityNumbering.precedes)
    properties = Self.numbered(
      "property",
      Set(modelEntities.flatMap(\.properties).map(\.name)).union(attributes.map(\.name)),
      by: ordinally)
    let classNames = attributes.flatMap { [$0.valueClassName, $0.valueTransformerName] }
    classes = Self.numbered(
      "Class", Set(classNames.flatMap { Self.words(in: $0 ?? "") }).subtracting(Self.knownClasses),
      by: ordinally)
  }

  private static func numbered(
    _ stem: String, _ names: Set<String>, by precedes: (String, String) -> Bool
  ) -> [String: String] {
    let width = max(2, String(names.count).count)
    let numbers = names.sorted(by: precedes).enumerated().map { index, name in
      let digits = String(index + 1)
      return (name, stem + String(repeating: "0", count: width - digits.count) + digits)
    }
    return Dictionary(keepingFirst: numbers)
  }

  /// The path of a property, or of an element of a composite attribute.
  func path(_ path: String) -> String? {
    let names = path.split(separator: ".").map { properties[String($0)] }
    return names.contains(nil) ? nil : names.compactMap { $0 }.joined(separator: ".")
  }

  // MARK: - Classes

  /// The names of classes and value transformers that reveal nothing about an app.
  private static let knownClasses: Set<String> = [
    "Any", "AnyHashable", "Array", "Bool", "Codable", "Data", "Date", "Decimal", "Dictionary",
    "Double", "Float", "Foundation", "Int", "Int16", "Int32", "Int64", "Int8", "Optional", "Set",
    "String", "Swift", "SwiftData", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "URL", "UUID",
    "NSArray", "NSAttributedString", "NSData", "NSDate", "NSDecimalNumber", "NSDictionary",
    "NSNumber", "NSObject", "NSOrderedSet", "NSSet", "NSString", "NSURL", "NSUUID",
    "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
    "NSSecureUnarchiveFromDataTransformerName", "NSUnarchiveFromData",
    "NSUnarchiveFromDataTransformerName",
  ]

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || !character.isASCII
  }

  private static func words(in name: String) -> [String] {
    name.split { !isPartOfWord($0) }.map(String.init)
  }

  private func className(_ name: String) -> String {
    var renamed = ""
    var rest = name[...]
    while let first = rest.first {
      let word = rest.prefix(while: Self.isPartOfWord)
      renamed += word.isEmpty ? String(first) : classes[String(word)] ?? String(word)
      rest = rest.dropFirst(max(word.count, 1))
    }
    return renamed
  }

  // MARK: - The model

  /// Returns a model with the neutral names.
  ///
  /// - Parameter replace: Returns the new default value of an attribute of a type.
  func model(
    _ model: ManagedModel, versionIdentifiers: [String],
    replacingDefaults replace: (StoredValue, AttributeType) -> StoredValue = { value, _ in value }
  ) -> ManagedModel {
    ManagedModel(
      entities: model.entities.values.map { entity in
        ManagedEntity(
          name: entities[entity.name] ?? "",
          superentityName: entity.superentityName.flatMap { entities[$0] },
          isAbstract: entity.isAbstract,
          properties: entity.properties.map { property($0, replace) },
          uniquenessConstraints: entity.uniquenessConstraints.compactMap { constraint in
            let paths = constraint.compactMap { path($0) }
            return paths.count == constraint.count ? paths : nil
          })
      }, versionIdentifiers: Self.identifiers(versionIdentifiers))
  }

  /// Keeps version identifiers of digits; others are names and are replaced.
  static func identifiers(_ identifiers: [String]) -> [String] {
    identifiers.enumerated().map { index, identifier in
      identifier.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
        ? identifier : "Version\(index + 1)"
    }
  }

  private func property(
    _ property: ManagedProperty, _ replace: (StoredValue, AttributeType) -> StoredValue
  ) -> ManagedProperty {
    switch property {
    case .attribute(let attribute): .attribute(self.attribute(attribute, replace))
    case .relationship(let relationship):
      .relationship(
        ManagedRelationship(
          name: properties[relationship.name] ?? "",
          destinationName: relationship.destinationName.flatMap { entities[$0] },
          inverseName: relationship.inverseName.flatMap { properties[$0] },
          isToMany: relationship.isToMany, isOrdered: relationship.isOrdered,
          isTransient: relationship.isTransient, isOptional: relationship.isOptional,
          deleteRule: relationship.deleteRule))
    case .other(let name, let isTransient):
      .other(name: properties[name] ?? "", isTransient: isTransient)
    }
  }

  private func attribute(
    _ attribute: ManagedAttribute, _ replace: (StoredValue, AttributeType) -> StoredValue
  ) -> ManagedAttribute {
    ManagedAttribute(
      name: properties[attribute.name] ?? "", type: attribute.type,
      isOptional: attribute.isOptional, isTransient: attribute.isTransient,
      preservesValueOnDeletion: attribute.preservesValueOnDeletion,
      allowsExternalStorage: attribute.allowsExternalStorage, isDerived: attribute.isDerived,
      valueClassName: attribute.valueClassName.map(className),
      valueTransformerName: attribute.valueTransformerName.map(className),
      defaultValue: attribute.defaultValue.map { replace($0, attribute.type) },
      elements: attribute.elements.map { self.attribute($0, replace) })
  }
}

extension ManagedAttribute {
  fileprivate var withElements: [ManagedAttribute] { [self] + elements.flatMap(\.withElements) }
}
