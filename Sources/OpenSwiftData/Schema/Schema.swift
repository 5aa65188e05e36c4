import Synchronization

/// The models of a store: their entities, what they have, and how they lead to each other.
///
/// Models that relationships lead to need not be named, nor those that a model inherits from; they
/// are found. Models that inherit from another one must be named, or nothing is known of them.
public final class Schema: Hashable, Sendable {
  /// The version of the schema.
  public let version: Version
  /// The entities, by name.
  public let entities: [Entity]
  let layouts: [String: EntityLayout]

  /// A schema of some models and all that they lead to.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - version: The version of the schema.
  public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    var layouts: [String: EntityLayout] = [:]
    var rest = types.map { EntityLayout.of(any: $0) }
    while let layout = rest.popLast() {
      guard layouts.updateValue(layout, forKey: layout.name) == nil else { continue }
      rest += layout.properties.compactMap { $0.relationship?.destinationLayout }
      if let superlayout = layout.superlayout { rest.append(superlayout) }
    }
    self.layouts = layouts
    self.version = version
    entities = layouts.values.sorted { $0.name < $1.name }.map { [layouts] in
      Entity($0, among: layouts)
    }
  }

  /// A schema of some models and all that they lead to.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// The schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The entities by name.
  public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of a model; nil where the schema does not have it.
  public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel {
    let name = Schema.entityName(for: type)
    return entities.first { $0.name == name }
  }

  /// The name of a model's entity, which is that of its class.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    String(describing: type)
  }

  /// Whether both have the same models.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.layouts == right.layouts
  }

  /// Feeds the version and the names of the entities into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities.map(\.name))
  }
}
