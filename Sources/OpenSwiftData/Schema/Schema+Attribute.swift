extension Schema {
  /// A value as a schema describes it.
  open class Attribute: SchemaProperty, Hashable, @unchecked Sendable {
    /// What is special about an attribute.
    public struct Option: Hashable, Sendable {
      enum Kind: Hashable, Sendable {
        case unique, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral,
          codable
        case spotlight
        case transformable(TransformerReference)
      }

      let kind: Kind

      /// No two models may have the same value; saving a model whose value is there updates the one
      /// that has it.
      public static let unique = Option(kind: .unique)
      /// Large values stand in files beside the store.
      public static let externalStorage = Option(kind: .externalStorage)
      /// A mirror may encrypt the value; nothing follows from it here.
      public static let allowsCloudEncryption = Option(kind: .allowsCloudEncryption)
      /// A deleted model leaves the value behind in its tombstone.
      public static let preserveValueOnDeletion = Option(kind: .preserveValueOnDeletion)
      /// The value is not saved.
      public static let ephemeral = Option(kind: .ephemeral)
      /// The value is offered to a search engine; nothing follows from it here.
      public static let spotlight = Option(kind: .spotlight)
      /// The value is `Codable`; nothing follows from it here, where that is found out without it.
      public static let codable = Option(kind: .codable)

      /// A transformer makes data of the value, which is what the store keeps.
      ///
      /// - Parameter transformer: Its class. One that is registered under the name of the class is used,
      ///   or else a new one.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        Option(kind: .transformable(TransformerReference(transformer)))
      }

      /// A transformer makes data of the value, which is what the store keeps.
      ///
      /// - Parameter transformerName: The name that it is registered under.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(TransformerReference(name: transformerName)))
      }

      /// The transformer of a transformable attribute.
      var transformer: TransformerReference? {
        if case .transformable(let transformer) = kind { transformer } else { nil }
      }
    }

    /// The name.
    public let name: String
    /// The name that the attribute had before; the name itself where it never had another.
    public let originalName: String
    /// What is special about it.
    public let options: [Option]
    /// The type as the class declares it.
    public let valueType: Any.Type
    /// What a new model has at first; nil for nothing.
    public let defaultValue: Any?
    /// What a version's hash is to contain besides.
    public let hashModifier: String?

    /// A description of an attribute, as `@Attribute` makes it.
    public init(
      _ options: Option..., originalName: String? = nil, hashModifier: String? = nil
    ) {
      name = ""
      self.options = options
      self.originalName = originalName ?? ""
      self.hashModifier = hashModifier
      valueType = Never.self
      defaultValue = nil
    }

    init(name: String, valueType: Any.Type, described: Attribute?, defaultValue: Any? = nil) {
      self.name = name
      options = described?.options ?? []
      originalName = described.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 } ?? name
      hashModifier = described?.hashModifier
      self.valueType = valueType
      self.defaultValue = defaultValue
    }

    /// True.
    public var isAttribute: Bool { true }
    /// False.
    public var isRelationship: Bool { false }
    /// Whether the store does not keep it.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether it may be nil.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
    /// Whether no two models may have the same value.
    public var isUnique: Bool { options.contains(.unique) }

    /// Whether a transformer makes data of the values.
    public var isTransformable: Bool { options.contains { $0.transformer != nil } }

    /// Whether both say the same.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName
        && left.options == right.options && left.valueType == right.valueType
        && left.hashModifier == right.hashModifier
    }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
