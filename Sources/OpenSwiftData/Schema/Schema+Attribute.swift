extension Schema {
  /// The description of an attribute.
  open class Attribute: SchemaProperty, Hashable, @unchecked Sendable {
    /// An option of an attribute.
    public struct Option: Hashable, Sendable {
      enum Kind: Hashable, Sendable {
        case unique, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral,
          codable
        case spotlight
        case transformable(TransformerReference)
      }

      let kind: Kind

      /// No two models share a value; saving a new model with an existing value updates the model
      /// that has it.
      public static let unique = Option(kind: .unique)
      /// Large values are stored in files beside the store.
      public static let externalStorage = Option(kind: .externalStorage)
      /// A CloudKit mirror may encrypt the value; not used here.
      public static let allowsCloudEncryption = Option(kind: .allowsCloudEncryption)
      /// The tombstone of a deleted model keeps the value.
      public static let preserveValueOnDeletion = Option(kind: .preserveValueOnDeletion)
      /// The value is not saved.
      public static let ephemeral = Option(kind: .ephemeral)
      /// The value is available to search; not used here.
      public static let spotlight = Option(kind: .spotlight)
      /// The value is stored in its `Codable` form, which only changes enumerations without raw
      /// values here: they are stored as JSON.
      public static let codable = Option(kind: .codable)

      /// A transformer turns the value into data, which is stored.
      ///
      /// - Parameter transformer: The class of the transformer. If one is registered under the name
      ///   of the class, it is used, else a new one.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        Option(kind: .transformable(TransformerReference(transformer)))
      }

      /// A transformer turns the value into data, which is stored.
      ///
      /// - Parameter transformerName: The name that the transformer is registered under.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(TransformerReference(name: transformerName)))
      }

      var transformer: TransformerReference? {
        if case .transformable(let transformer) = kind { transformer } else { nil }
      }
    }

    /// The name of the attribute.
    public let name: String
    /// The former name of the attribute, or its name if it has none.
    public let originalName: String
    /// The options of the attribute.
    public let options: [Option]
    /// The declared type.
    public let valueType: Any.Type
    /// The value of a new model, or `nil`.
    public let defaultValue: Any?
    /// The text that makes its version differ from one with equal properties, or `nil`.
    public let hashModifier: String?

    /// Creates a description, as in `@Attribute`.
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

    /// Creates a description of a named attribute.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.options = options
      self.originalName = originalName ?? name
      self.hashModifier = hashModifier
      self.valueType = valueType
      self.defaultValue = defaultValue
    }

    init(name: String, valueType: Any.Type, described: Attribute?, defaultValue: Any? = nil) {
      self.name = name
      options = described?.options ?? []
      originalName = described.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 } ?? name
      hashModifier = described?.hashModifier
      self.valueType = valueType
      self.defaultValue = defaultValue
    }

    /// Always `true`.
    public var isAttribute: Bool { true }
    /// Always `false`.
    public var isRelationship: Bool { false }
    /// Whether the value is not saved.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the value can be `nil`.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
    /// Whether no two models share a value.
    public var isUnique: Bool { options.contains(.unique) }

    /// Whether the attribute is marked with ``Option/codable``.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether a transformer turns the value into data.
    public var isTransformable: Bool { options.contains { $0.transformer != nil } }

    /// Returns whether two descriptions are equal.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName
        && left.options == right.options && left.valueType == right.valueType
        && left.hashModifier == right.hashModifier
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema {
  /// The description of an attribute whose elements have columns of their own.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The elements.
    public let properties: [Attribute]

    /// Creates a description of a named attribute with an attribute for each element of its type.
    public override init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      let codec = AttributeCodec(
        valueType: valueType, attributeName: name,
        transformer: options.lazy.compactMap(\.transformer).first)
      properties = if case .composite(let shape)? = codec?.storage { shape.attributes } else { [] }
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
    }

    init(
      name: String, valueType: Any.Type, described: Attribute?, defaultValue: Any?,
      shape: CompositeShape
    ) {
      properties = shape.attributes
      super.init(
        name: name, valueType: valueType, described: described, defaultValue: defaultValue)
    }
  }
}

extension CompositeShape {
  fileprivate var attributes: [Schema.Attribute] {
    elements.map { Schema.Attribute(name: $0.name, valueType: $0.valueType) }
  }
}

extension Schema.Attribute: CustomDebugStringConvertible {
  /// The name and the type, and what else was declared.
  public var debugDescription: String {
    let notes = [
      originalName == name ? nil : "originally \(originalName)", isUnique ? "unique" : nil,
      hashModifier.map { "hash modifier \($0)" },
    ].compactMap { $0 }
    return "\(name): \(valueType)" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
  }
}

extension Schema.Attribute.Option: CustomDebugStringConvertible {
  /// The name of the option, and that of its transformer.
  public var debugDescription: String {
    transformer.map { "transformable(by: \($0.name))" } ?? "\(kind)"
  }
}
