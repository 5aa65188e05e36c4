/// A property of a model's class.
struct PropertyLayout {
  let name: String
  /// The key path from the class.
  private(set) var keyPath: AnyKeyPath
  /// The key paths from the class, from the class that declares the property, and from those
  /// between.
  private(set) var keyPaths: [AnyKeyPath]
  let valueType: Any.Type
  let isOptional: Bool
  let defaultValue: Any?
  let described: (any SchemaProperty)?
  /// The form of its stored values; `nil` for a relationship and for a type that cannot be stored.
  let codec: AttributeCodec?
  /// Whether there is a blank value for what cannot be read.
  let hasBlankValue: Bool
  /// Whether a model cannot be read without a value, because there is no blank one.
  let needsValue: Bool
  let isTransient: Bool
  /// Whether its large values are in files beside the store.
  let keepsLargeValues: Bool
  /// Whether one column holds its values as they are.
  let isPlain: Bool
  /// The names of the store's attributes: its own, or one for each element.
  let columnPaths: [String]
  /// `nil` for an attribute.
  let relationship: RelationshipLayout?

  init(_ metadata: Schema.PropertyMetadata) {
    name = metadata.name
    keyPath = metadata.keypath
    keyPaths = [metadata.keypath]
    valueType = type(of: metadata.keypath).valueType
    described = metadata.metadata
    defaultValue = metadata.defaultValue
    isOptional = valueType is any OptionalValue.Type
    relationship = RelationshipLayout(
      valueType: valueType, described: metadata.metadata as? Schema.Relationship)
    let options = (described as? Schema.Attribute)?.options ?? []
    codec =
      relationship == nil
      ? AttributeCodec(
        valueType: valueType, attributeName: metadata.name,
        transformer: options.lazy.compactMap(\.transformer).first,
        isCodable: options.contains(.codable)) : nil
    isTransient = options.contains(.ephemeral)
    keepsLargeValues =
      options.contains(.externalStorage) && !isTransient && codec?.attributeType == .binaryData
    isPlain = if case .plain? = codec?.storage { true } else { false }
    columnPaths = codec?.paths(of: metadata.name) ?? []
    hasBlankValue =
      isOptional
      || codec.map { $0.transformed == nil && BlankValue.isMakeable($0.type) } ?? true
    needsValue = !hasBlankValue && !isTransient
  }

  /// Returns the property as inherited by a class, with the key path from that class.
  func inherited(as keyPath: AnyKeyPath) -> PropertyLayout {
    var copy = self
    copy.keyPath = keyPath
    copy.keyPaths.append(keyPath)
    return copy
  }

  var isToMany: Bool { relationship?.isToMany ?? false }
  var isToOne: Bool { relationship.map { !$0.isToMany } ?? false }
  var options: [Schema.Attribute.Option] { (described as? Schema.Attribute)?.options ?? [] }
  var originalName: String? {
    described.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 }
  }
  var hashModifier: String? {
    (described as? Schema.Attribute)?.hashModifier
      ?? (described as? Schema.Relationship)?.hashModifier
  }

  var attributeDescription: Schema.Attribute {
    let described = described as? Schema.Attribute
    if case .composite(let shape)? = codec?.storage {
      return Schema.CompositeAttribute(
        name: name, valueType: valueType, described: described, defaultValue: defaultValue,
        shape: shape)
    }
    return Schema.Attribute(
      name: name, valueType: valueType, described: described, defaultValue: defaultValue)
  }
}

/// A relationship of a model's class.
struct RelationshipLayout {
  let destination: any PersistentModel.Type
  let isToMany: Bool
  let deleteRule: Schema.Relationship.DeleteRule
  /// The inverse relationship, if the class names it.
  let inverseKeyPath: AnyKeyPath?

  init?(valueType: Any.Type, described: Schema.Relationship?) {
    let wrapped = (valueType as? any OptionalValue.Type)?.wrappedType ?? valueType
    if let model = wrapped as? any PersistentModel.Type {
      destination = model
      isToMany = false
    } else if let collection = valueType as? any RelationshipCollection.Type {
      destination = collection.elementType
      isToMany = true
    } else {
      return nil
    }
    deleteRule = described?.deleteRule ?? .nullify
    inverseKeyPath = described?.inverseKeyPath
  }

  /// Whether deleting a model changes or deletes the targets.
  var changesTargets: Bool { deleteRule == .nullify || deleteRule == .cascade }
  var destinationLayout: EntityLayout { EntityLayout.of(destination) }
}

extension RelationshipCollection {
  fileprivate static var elementType: any PersistentModel.Type { PersistentElement.self }
}
