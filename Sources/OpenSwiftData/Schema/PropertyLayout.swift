/// What is known of a property of a model's class.
struct PropertyLayout {
  let name: String
  /// The key path that starts at the class.
  private(set) var keyPath: AnyKeyPath
  /// The key paths that lead to the property: those that start at the class, at the one that declares
  /// it and at those between.
  private(set) var keyPaths: [AnyKeyPath]
  let valueType: Any.Type
  let isOptional: Bool
  let defaultValue: Any?
  let described: (any SchemaProperty)?
  /// How its values are stored; nil for a relationship, and for a type that no store can keep.
  let codec: AttributeCodec?
  /// Whether a value can be made where nothing is to be had.
  let hasBlankValue: Bool
  /// Whether a model without a value of it could not be read: it must have one, and none can be made
  /// of its type.
  let needsValue: Bool
  /// Whether the store does not keep it.
  let isTransient: Bool
  /// Whether large values of it stand in files beside the store.
  let keepsLargeValues: Bool
  /// Whether one column holds its values as they are.
  let isPlain: Bool
  /// The names of the attributes that its columns have in the store: its own, or one for each element.
  let columnPaths: [String]
  /// What it leads to; nil for an attribute.
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
        transformer: options.lazy.compactMap(\.transformer).first) : nil
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

  /// The property as a class has it that inherits it.
  ///
  /// - Parameter keyPath: The key path that starts at that class.
  func inherited(as keyPath: AnyKeyPath) -> PropertyLayout {
    var copy = self
    copy.keyPath = keyPath
    copy.keyPaths.append(keyPath)
    return copy
  }

  /// What `@Attribute` says of it.
  var options: [Schema.Attribute.Option] { (described as? Schema.Attribute)?.options ?? [] }
  /// The name that it had before; nil where none is given.
  var originalName: String? {
    described.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 }
  }
  /// What a version's hash is to contain besides.
  var hashModifier: String? {
    (described as? Schema.Attribute)?.hashModifier
      ?? (described as? Schema.Relationship)?.hashModifier
  }

  /// The property as an attribute of a schema.
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
