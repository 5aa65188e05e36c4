import StoreFormat

extension Schema {
  /// The description of a model.
  public struct Entity: Hashable, Sendable {
    private enum Origin: Sendable {
      case model(EntityLayout, among: [String: EntityLayout])
      case description(Description)
    }

    private struct Description: Sendable {
      let name: String
      let properties: [any SchemaProperty]
      /// The superentity, or none.
      var superentity: [Entity] = []
      let subentities: [Entity]
    }

    private let origin: Origin

    init(_ layout: EntityLayout, among schema: [String: EntityLayout]) {
      origin = .model(layout, among: schema)
    }

    /// Creates an entity without properties.
    ///
    /// No class has the properties of an entity that is created so. It describes a model, for
    /// example to tools, and a container refuses a schema with it.
    public init(_ name: String) { self.init(name, subentities: [], properties: []) }

    /// Creates an entity with properties; see ``init(_:)``.
    public init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, subentities: [], properties: properties)
    }

    /// Creates an entity whose subentities inherit its properties; see ``init(_:)``.
    public init(
      _ name: String, subentities: Entity..., properties: any SchemaProperty...
    ) {
      self.init(name, subentities: subentities, properties: properties)
    }

    private init(_ name: String, subentities: [Entity], properties: [any SchemaProperty]) {
      origin = .description(
        Description(name: name, properties: properties, subentities: subentities))
    }

    /// The layout of the class, or `nil` for an entity that describes no class.
    var layout: EntityLayout? {
      if case .model(let layout, _) = origin { layout } else { nil }
    }

    /// The name of the entity, which is the name of the class.
    public var name: String {
      switch origin {
      case .model(let layout, _): layout.name
      case .description(let description): description.name
      }
    }

    /// Returns whether two entities have the same class, or descriptions with the same names and
    /// properties.
    public static func == (left: Entity, right: Entity) -> Bool {
      switch (left.origin, right.origin) {
      case (.model(let one, _), .model(let other, _)): one == other
      case (.description(let one), .description(let other)):
        one.name == other.name && left.superentityName == right.superentityName
          && Self.hashable(one.properties) == Self.hashable(other.properties)
          && one.subentities.map(\.name) == other.subentities.map(\.name)
      default: false
      }
    }

    private static func hashable(_ properties: [any SchemaProperty]) -> [AnyHashable?] {
      properties.map { ($0 as? any Hashable).map { AnyHashable($0) } }
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    // MARK: - Inheritance

    /// The name of the entity's superentity, or `nil`.
    public var superentityName: String? { superentity?.name }
    /// The superentity, or `nil`.
    public var superentity: Entity? {
      switch origin {
      case .model(let layout, let schema): layout.superlayout.map { Entity($0, among: schema) }
      case .description(let description): description.superentity.first
      }
    }
    /// The direct subentities in the schema.
    public var subentities: Set<Entity> {
      switch origin {
      case .model(let layout, let schema):
        Set(schema.values.filter { $0.superlayout === layout }.map { Entity($0, among: schema) })
      case .description(let description):
        Set(description.subentities.map { $0.inheriting(from: self) })
      }
    }

    private init(_ origin: Origin) { self.origin = origin }

    private func inheriting(from superentity: Entity) -> Entity {
      guard case .description(var description) = origin else { return self }
      description.superentity = [superentity]
      return Entity(.description(description))
    }

    // MARK: - Properties

    /// The attributes, inherited ones included.
    public var attributes: Set<Attribute> { Set(properties.compactMap { $0 as? Attribute }) }
    /// The relationships, inherited ones included.
    public var relationships: Set<Relationship> {
      Set(properties.compactMap { $0 as? Relationship })
    }
    /// The attributes by name, inherited ones included.
    public var attributesByName: [String: Attribute] {
      Dictionary(keepingFirst: attributes.map { ($0.name, $0) })
    }
    /// The relationships by name, inherited ones included.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(keepingFirst: relationships.map { ($0.name, $0) })
    }
    /// All properties in the order of declaration, inherited ones first.
    public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
    /// The inherited properties.
    public var inheritedProperties: [any SchemaProperty] {
      switch origin {
      case .model(let layout, _): layout.descriptions(0..<layout.inheritedCount)
      case .description: superentity?.properties ?? []
      }
    }
    /// The properties that the class itself declares.
    public var storedProperties: [any SchemaProperty] {
      switch origin {
      case .model(let layout, _):
        layout.descriptions(layout.inheritedCount..<layout.properties.count)
      case .description(let description): description.properties
      }
    }
    /// All properties by name.
    public var propertiesByName: [String: any SchemaProperty] { Self.byName(properties) }
    /// The inherited properties by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Self.byName(inheritedProperties)
    }
    /// The properties that the class itself declares, by name.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Self.byName(storedProperties)
    }

    private static func byName(
      _ properties: [any SchemaProperty]
    ) -> [String: any SchemaProperty] {
      Dictionary(keepingFirst: properties.map { ($0.name, $0) })
    }

    // MARK: - Constraints

    /// The names of properties whose values no two models may share, as the class declares them.
    public var uniquenessConstraints: [[String]] {
      layout?.uniquenessConstraints ?? storedProperties.filter(\.isUnique).map { [$0.name] }
    }
    /// The names of indexed properties, as the class declares them.
    public var indices: [[String]] { layout?.indices ?? [] }
  }
}

extension EntityLayout {
  fileprivate func descriptions(_ places: Range<Int>) -> [any SchemaProperty] {
    places.map { place -> any SchemaProperty in
      relationshipDescription(at: place) ?? properties[place].attributeDescription
    }
  }
}

extension Schema.Entity: CustomDebugStringConvertible {
  /// The name and the properties.
  public var debugDescription: String {
    let list = properties.map { String(reflecting: $0) }.joined(separator: ", ")
    return name + (superentityName.map { " (\($0))" } ?? "") + ": " + list
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and the entities.
  public var debugDescription: String {
    (["Schema \(version)"] + entities.map { "  " + $0.debugDescription }).joined(separator: "\n")
  }
}
