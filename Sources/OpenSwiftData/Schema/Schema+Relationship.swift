extension Schema {
  /// A link between models as a schema describes it.
  public final class Relationship: SchemaProperty, Hashable, @unchecked Sendable {
    /// What becomes of the models at the other end when a model is deleted.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// They stay as they are.
      case noAction
      /// They no longer lead back.
      case nullify
      /// They are deleted as well.
      case cascade
      /// As long as there are any, the model cannot be deleted.
      case deny
    }

    /// What is special about a relationship.
    public struct Option: Hashable, Sendable {
      /// No two models may lead to the same one.
      public static let unique = Option()
    }

    /// The name.
    public let name: String
    /// The name that the relationship had before; the name itself where it never had another.
    public let originalName: String
    /// What is special about it.
    public let options: [Option]
    /// What becomes of the models at its other end when this one is deleted.
    public let deleteRule: DeleteRule
    /// The relationship that leads back, where it was named.
    public let inverseKeyPath: AnyKeyPath?
    /// The least number of models at the other end; nothing enforces it.
    public let minimumModelCount: Int?
    /// The greatest number of models at the other end, 0 for any; nothing enforces it.
    public let maximumModelCount: Int?
    /// What a version's hash is to contain besides.
    public let hashModifier: String?
    /// The type as the class declares it.
    public let valueType: Any.Type
    /// The name of the entity at the other end.
    public let destination: String
    /// The name of the relationship that leads back; nil for none.
    public let inverseName: String?

    /// A description of a relationship, as `@Relationship` makes it.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      name = ""
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.originalName = originalName ?? ""
      inverseKeyPath = inverse
      self.hashModifier = hashModifier
      valueType = Never.self
      destination = ""
      inverseName = nil
    }

    init(
      name: String, valueType: Any.Type, destination: String, inverseName: String?,
      described: Relationship?
    ) {
      self.name = name
      self.valueType = valueType
      self.destination = destination
      self.inverseName = inverseName
      options = described?.options ?? []
      deleteRule = described?.deleteRule ?? .nullify
      minimumModelCount = described?.minimumModelCount
      maximumModelCount = described?.maximumModelCount
      originalName = described.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 } ?? name
      inverseKeyPath = described?.inverseKeyPath
      hashModifier = described?.hashModifier
    }

    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }
    /// False.
    public var isTransient: Bool { false }
    /// Whether it may be nil.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
    /// Whether no two models may lead to the same one.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether it leads to one model at most.
    public var isToOneRelationship: Bool { !(valueType is any RelationshipCollection.Type) }

    /// Whether both say the same.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.valueType == right.valueType
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.originalName == right.originalName
    }

    /// Feeds the name into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}
