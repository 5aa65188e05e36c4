import PropertyLists

extension ManagedModel {
  /// The model as a keyed archive of NSManagedObjectModel, not yet packed.
  ///
  /// - Throws: `PropertyListError` where a value cannot be written.
  package func archive() throws -> [UInt8] {
    var writer = ModelArchiveWriter(self)
    return try BinaryPropertyListWriter.bytes(of: writer.archive())
  }

  /// The content of a model cache: the archive, deflated.
  ///
  /// - Throws: `PropertyListError` where a value cannot be written.
  package func cacheContent() throws -> [UInt8] { RawDeflate.deflate(try archive()) }
}

/// Adds the parts of a model to an archive, in the shape that the frameworks write.
private struct ModelArchiveWriter {
  private let model: ManagedModel
  private var writer = KeyedArchiveWriter()
  private var references: [String: KeyedArchive.Reference] = [:]

  init(_ model: ManagedModel) { self.model = model }

  mutating func archive() throws -> PropertyListValue {
    let names = model.entities.keys.sorted()
    for name in names { references[name] = writer.reserve() }
    for name in names { try add(entityNamed: name) }
    let entities = writer.add(pairs: pairs(names), as: .dictionary)
    let versions = writer.add(
      elements: model.versionIdentifiers.map { writer.add(string: $0) }, as: .set)
    let root = writer.add(
      object: .init("NSManagedObjectModel", "NSObject"),
      fields: ["NSEntities": entities.value, "NSVersionIdentifiers": versions.value])
    return try writer.finish(top: ["root": root])
  }

  private mutating func pairs(
    _ names: [String]
  ) -> [(key: KeyedArchive.Reference, value: KeyedArchive.Reference)] {
    names.compactMap { name in
      references[name].map { (key: writer.add(string: name), value: $0) }
    }
  }

  private mutating func add(entityNamed name: String) throws {
    guard let entity = model.entities[name], let reference = references[name] else { return }
    // A sub-entity lists what it inherits too, as a proxy.
    let inherited = (model.lineage(of: name) ?? [entity]).dropLast()
    var properties = inherited.flatMap(\.properties).map { property in
      (
        key: writer.add(string: property.name),
        value: writer.add(object: .init("_NSPropertyDescriptionProxy", "NSObject"), fields: [:])
      )
    }
    for property in entity.properties {
      properties.append((key: writer.add(string: property.name), value: add(property)))
    }
    let subentities = model.entities.values.filter { $0.superentityName == name }.map(\.name)
      .sorted()
    let constraints = entity.uniquenessConstraints.map { constraint in
      writer.add(elements: constraint.map { writer.add(string: $0) }, as: .array)
    }
    let superentity = entity.superentityName.flatMap { references[$0] }
    let fields: [String: PropertyListValue] = [
      "NSEntityName": writer.add(string: name).value,
      "NSSuperentity": (superentity ?? KeyedArchiveWriter.null).value,
      "NSSubentities":
        writer.add(pairs: pairs(subentities), as: .mutableDictionary).value,
      "NSIsAbstract": .boolean(entity.isAbstract),
      "NSProperties": writer.add(pairs: properties, as: .mutableDictionary).value,
      "NSUniqueTuples": writer.add(elements: constraints, as: .mutableArray).value,
      "NSRenamingIdentifier": writer.add(string: name).value,
    ]
    try writer.fill(reference, object: .init("NSEntityDescription", "NSObject"), fields: fields)
  }

  private mutating func add(_ property: ManagedProperty) -> KeyedArchive.Reference {
    switch property {
    case .attribute(let attribute): return add(attribute)
    case .relationship(let relationship):
      return writer.add(
        object: .init("NSRelationshipDescription", "NSPropertyDescription", "NSObject"),
        fields: [
          "NSPropertyName": writer.add(string: relationship.name).value,
          "NSMinCount": .integer(0),
          "NSMaxCount": .integer(relationship.isToMany ? 0 : 1),
          "NSDeleteRule": .integer(relationship.deleteRule.rawValue),
          "NSIsOrdered": .boolean(relationship.isOrdered),
          "NSIsTransient": .boolean(relationship.isTransient),
          "NSIsOptional": .boolean(relationship.isOptional),
          "NSRenamingIdentifier": text(relationship.renamingIdentifier ?? relationship.name),
          "NSVersionHashModifier": text(relationship.versionHashModifier),
          "_NSDestinationEntityName": text(relationship.destinationName),
          "_NSInverseRelationshipName": text(relationship.inverseName),
        ])
    case .other(let name, let isTransient):
      return writer.add(
        object: .init("NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"),
        fields: [
          "NSPropertyName": writer.add(string: name).value, "NSIsTransient": .boolean(isTransient),
        ])
    }
  }

  private mutating func add(_ attribute: ManagedAttribute) -> KeyedArchive.Reference {
    let flags =
      (attribute.preservesValueOnDeletion ? AttributeFlags.preservesValueOnDeletion : 0)
      | (attribute.allowsExternalStorage ? AttributeFlags.allowsExternalStorage : 0)
    var fields: [String: PropertyListValue] = [
      "NSPropertyName": writer.add(string: attribute.name).value,
      "NSAttributeType": .integer(attribute.type.number),
      "NSIsOptional": .boolean(attribute.isOptional),
      "NSIsTransient": .boolean(attribute.isTransient),
      "NSFlagsKey": .integer(flags),
      "NSAttributeValueClassName": text(attribute.valueClassName),
      "NSDefaultValue": DefaultValue.add(attribute, to: &writer),
      "NSRenamingIdentifier": text(attribute.renamingIdentifier ?? attribute.name),
      "NSVersionHashModifier": text(attribute.versionHashModifier),
    ]
    if let name = attribute.valueTransformerName {
      fields["NSValueTransformerName"] = text(name)
    }
    if !attribute.elements.isEmpty {
      let elements = attribute.elements.map { add($0) }
      fields["NSCompositeElements"] = writer.add(elements: elements, as: .array).value
    }
    if let enumeration = attribute.enumeration {
      var userInfo = [
        (key: writer.add(string: "EnumType"), value: writer.add(plain: .boolean(true)))
      ]
      if enumeration == .cases {
        let names = attribute.elements.map { writer.add(string: $0.name) }
        let list = writer.add(elements: names, as: .array)
        userInfo.append((key: writer.add(string: "enum"), value: list))
      }
      fields["NSUserInfo"] = writer.add(pairs: userInfo, as: .dictionary).value
    }
    let className =
      attribute.type == .composite
      ? "NSCompositeAttributeDescription"
      : attribute.isDerived ? PropertyKind.derivedClassName : "NSAttributeDescription"
    return writer.add(
      object: .init(className, "NSPropertyDescription", "NSObject"), fields: fields)
  }

  private mutating func text(_ text: String?) -> PropertyListValue {
    (text.map { writer.add(string: $0) } ?? KeyedArchiveWriter.null).value
  }
}

/// The default value of an attribute in a model's archive.
///
/// Values of classes that only the app has (a transformable attribute's) are ignored: their stored form is
/// unknown.
enum DefaultValue {
  /// Reads the default value in the form in which a store keeps values of the type.
  static func read(
    _ attribute: KeyedArchive.Object, type: AttributeType
  ) throws -> StoredValue? {
    guard let value = try attribute["NSDefaultValue"] else { return nil }
    switch type {
    case .integer16, .integer32, .integer64: return value.integer.map(StoredValue.integer)
    case .boolean:
      return (value.boolean ?? value.integer.map { $0 != 0 }).map { .integer($0 ? 1 : 0) }
    case .double, .float, .decimal: return value.real.map(StoredValue.real)
    case .string: return try attribute.string("NSDefaultValue").map(StoredValue.text)
    case .binaryData: return value.data.map(StoredValue.blob)
    case .date:
      let time = try attribute.object("NSDefaultValue")?["NS.time"]?.real
      return (value.date ?? time).map(StoredValue.real)
    case .uuid:
      let bytes = try attribute.object("NSDefaultValue")?["NS.uuidbytes"]?.data
      return bytes.flatMap { $0.count == 16 ? .blob($0) : nil }
    default: return nil
    }
  }

  /// Adds a default value to an archive; null where there is none.
  static func add(
    _ attribute: ManagedAttribute, to writer: inout KeyedArchiveWriter
  ) -> PropertyListValue {
    let reference: KeyedArchive.Reference
    switch (attribute.type, attribute.defaultValue) {
    case (.boolean, .integer(let value)): reference = writer.add(plain: .boolean(value != 0))
    case (.date, .real(let value)):
      reference = writer.add(
        object: .init("NSDate", "NSObject"), fields: ["NS.time": .real(value)])
    case (.uuid, .blob(let bytes)):
      reference = writer.add(
        object: .init("NSUUID", "NSObject"), fields: ["NS.uuidbytes": .data(bytes)])
    case (_, .integer(let value)): reference = writer.add(plain: .integer(value))
    case (_, .real(let value)): reference = writer.add(plain: .real(value))
    case (_, .text(let text)): reference = writer.add(string: text)
    case (_, .blob(let bytes)): reference = writer.add(plain: .data(bytes))
    default: return KeyedArchiveWriter.null.value
    }
    return reference.value
  }
}
