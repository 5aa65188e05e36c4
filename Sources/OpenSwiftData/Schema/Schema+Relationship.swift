extension Schema {
  /// The description of a relationship.
  public final class Relationship: SchemaProperty, Hashable, @unchecked Sendable {
    /// What happens to the targets when a model is deleted.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// The targets stay unchanged.
      case noAction
      /// The inverse relationships of the targets are cleared.
      case nullify
      /// The targets are deleted too.
      case cascade
      /// The model cannot be deleted as long as it has targets.
      case deny
    }

    /// An option of a relationship.
    public struct Option: Hashable, Sendable {
      /// No two models share a target.
      public static let unique = Option()
    }

    /// The name of the relationship.
    public let name: String
    /// The key path of the relationship, or `nil` if it is not of a model.
    public let keypath: AnyKeyPath?
    /// The former name of the relationship, or its name if it has none.
    public let originalName: String
    /// The options of the relationship.
    public let options: [Option]
    /// What happens to the targets when a model is deleted.
    public let deleteRule: DeleteRule
    /// The inverse relationship, if it was named.
    public let inverseKeyPath: AnyKeyPath?
    /// The minimum number of targets; not enforced.
    public let minimumModelCount: Int?
    /// The maximum number of targets, 0 for no limit; not enforced.
    public let maximumModelCount: Int?
    /// The text that makes its version differ from one with equal properties, or `nil`.
    public let hashModifier: String?
    /// The declared type.
    public let valueType: Any.Type
    /// The name of the target's entity.
    public let destination: String
    /// The name of the inverse relationship, or `nil`.
    public let inverseName: String?

    /// Creates a description, as in `@Relationship`.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      name = ""
      keypath = nil
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
      name: String, keypath: AnyKeyPath, valueType: Any.Type, destination: String,
      inverseName: String?, described: Relationship?
    ) {
      self.name = name
      self.keypath = keypath
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

    /// Always `false`.
    public var isAttribute: Bool { false }
    /// Always `true`.
    public var isRelationship: Bool { true }
    /// Always `false`.
    public var isTransient: Bool { false }
    /// Whether the relationship can be `nil`.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
    /// Whether no two models share a target.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the relationship has at most one target.
    public var isToOneRelationship: Bool { !(valueType is any RelationshipCollection.Type) }

    /// Returns whether two descriptions are equal.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.valueType == right.valueType
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.originalName == right.originalName
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }
}

extension Schema.Relationship: CustomDebugStringConvertible {
  /// The name, the type and the inverse relationship.
  public var debugDescription: String {
    "\(name): \(valueType)"
      + (inverseName.map { " (inverse \(destination).\($0), \(deleteRule))" } ?? " (\(deleteRule))")
  }
}
