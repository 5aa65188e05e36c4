import StoreFormat
import Synchronization

/// The models of a store: entities, properties and relationships.
///
/// The targets of relationships and the superclasses of models are included automatically;
/// subclasses must be named.
public final class Schema: Hashable, Sendable {
  /// The version of the schema.
  public let version: Version
  /// The entities, sorted by name.
  public let entities: [Entity]
  let layouts: [String: EntityLayout]

  /// Creates a schema of models, and those they are related to.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - version: The version of the schema.
  public convenience init(
    _ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)
  ) {
    self.init(types, described: [], version: version)
  }

  private init(
    _ types: [any PersistentModel.Type], described: [Entity], version: Version
  ) {
    var layouts: [String: EntityLayout] = [:]
    var rest = types.map { EntityLayout.of($0) }
    while let layout = rest.popLast() {
      guard layouts.updateValue(layout, forKey: layout.name) == nil else { continue }
      rest += layout.properties.compactMap { $0.relationship?.destinationLayout }
      if let superlayout = layout.superlayout { rest.append(superlayout) }
    }
    self.layouts = layouts
    self.version = version
    let models = layouts.values.map { [layouts] in Entity($0, among: layouts) }
    entities = (models + described).sorted { $0.name < $1.name }
  }

  /// Creates a schema without models.
  public convenience init() { self.init([], described: [], version: Version(1, 0, 0)) }

  /// Creates a schema of entities.
  ///
  /// An entity of another schema represents its model, and includes those that the model is related to.
  /// A container cannot open a store for one that was described by hand.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(
      entities.compactMap { $0.layout?.type }, described: entities.filter { $0.layout == nil },
      version: version)
  }

  /// Creates a schema of models, and those they are related to.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The entities by name.
  public var entitiesByName: [String: Entity] {
    Dictionary(keepingFirst: entities.map { ($0.name, $0) })
  }

  /// Returns the entity of a model, or `nil` if the schema does not have it.
  public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
    let name = Schema.entityName(for: type)
    return entities.first { $0.name == name }
  }

  /// Returns the name of a model's entity, which is the name of its class.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    String(describing: type)
  }

  /// Returns whether two schemas have the same version and models.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  /// Hashes the version and the names of the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities.map(\.name))
  }
}

extension Schema {
  /// The version of a schema.
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The major number.
    public let major: Int
    /// The minor number.
    public let minor: Int
    /// The patch number.
    public let patch: Int

    /// Creates a version.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// Compares two versions.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// The numbers, separated by dots.
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}

/// A version of an app's models.
public protocol VersionedSchema {
  /// The models of the version.
  static var models: [any PersistentModel.Type] { get }
  /// The number of the version.
  static var versionIdentifier: Schema.Version { get }
}

extension Schema {
  /// The metadata of a property.
  public struct PropertyMetadata {
    /// The name of the property.
    public let name: String
    /// The key path of the property.
    public let keypath: AnyKeyPath
    /// The value of a new model, or `nil`.
    public let defaultValue: Any?
    /// The description from `@Attribute` or `@Relationship`.
    public let metadata: (any SchemaProperty)?

    /// Creates metadata.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}

extension Schema {
  /// The superclasses of a model and their properties; generated by `@Model` (not in SwiftData).
  public struct Inheritance {
    /// The classes from the root of the hierarchy to the class itself.
    public let classes: [any PersistentModel.Type]
    /// The inherited properties, those of the root first, with key paths from the class itself.
    public let properties: [PropertyMetadata]

    /// Creates the inheritance of a class without a model as superclass.
    ///
    /// - Parameter type: The class.
    public init(_ type: any PersistentModel.Type) {
      self.init(classes: [type], properties: [])
    }

    private init(classes: [any PersistentModel.Type], properties: [PropertyMetadata]) {
      self.classes = classes
      self.properties = properties
    }

    /// Returns the inheritance of a direct subclass.
    ///
    /// - Parameters:
    ///   - type: The subclass.
    ///   - properties: All properties that it inherits, with key paths from the subclass.
    public func extended(
      to type: any PersistentModel.Type, properties: [PropertyMetadata]
    ) -> Inheritance {
      Inheritance(classes: classes + [type], properties: properties)
    }
  }
}

/// A property of a schema.
public protocol SchemaProperty: Sendable {
  /// The name of the property.
  var name: String { get }
  /// The former name of the property, or its name if it has none.
  var originalName: String { get }
  /// The declared type.
  var valueType: Any.Type { get }
  /// Whether the property is an attribute.
  var isAttribute: Bool { get }
  /// Whether the property is a relationship.
  var isRelationship: Bool { get }
  /// Whether the property is not stored.
  var isTransient: Bool { get }
  /// Whether the property can be `nil`.
  var isOptional: Bool { get }
  /// Whether no two models share a value.
  var isUnique: Bool { get }
}

extension Schema {
  /// Properties whose values no two models may share; created by `#Unique`.
  public final class Unique<T>: SchemaConstraint, @unchecked Sendable
  where T: PersistentModel {
    /// The constraints, each a list of properties.
    public let constraints: [[PartialKeyPath<T>]]

    /// Creates constraints.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// Always `true`.
    public var isUniqueness: Bool { true }
    /// The constraints, each a list of properties.
    public var keyPaths: [[AnyKeyPath]] { constraints }
  }

  /// The indexes of a store; created by `#Index`.
  public final class Index<T>: SchemaConstraint, @unchecked Sendable
  where T: PersistentModel {
    /// The kind and the properties of an index.
    public enum Types<Model>: @unchecked Sendable where Model: PersistentModel {
      /// An index for finding and sorting values.
      case binary([PartialKeyPath<Model>])
      /// An index for ranges in several dimensions, which is stored as a `binary` one.
      case rtree([PartialKeyPath<Model>])
    }

    /// The indexes.
    public let indices: [Types<T>]

    /// Creates indexes.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map(Types.binary) }

    /// Creates indexes of given kinds.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// Always `false`.
    public var isUniqueness: Bool { false }
    /// The indexes, each a list of properties.
    public var keyPaths: [[AnyKeyPath]] {
      indices.map { index in
        switch index {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }
  }
}

/// The metadata that `#Unique` and `#Index` add to a model.
public protocol SchemaConstraint: SchemaProperty {
  /// Whether the values must be unique.
  var isUniqueness: Bool { get }
  /// The lists of properties.
  var keyPaths: [[AnyKeyPath]] { get }
}

extension SchemaConstraint {
  /// Always empty.
  public var name: String { "" }
  /// Always empty.
  public var originalName: String { "" }
  /// Always `Never`.
  public var valueType: Any.Type { Never.self }
  /// Always `false`.
  public var isAttribute: Bool { false }
  /// Always `false`.
  public var isRelationship: Bool { false }
  /// Always `true`, because a constraint is not stored.
  public var isTransient: Bool { true }
  /// Always `false`.
  public var isOptional: Bool { false }
  /// Always `false`.
  public var isUnique: Bool { false }
}
