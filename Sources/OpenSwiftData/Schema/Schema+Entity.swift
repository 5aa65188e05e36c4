import StoreFormat

extension Schema {
  /// The description of a model.
  public struct Entity: Hashable, Sendable {
    let layout: EntityLayout
    private let schema: [String: EntityLayout]

    init(_ layout: EntityLayout, among schema: [String: EntityLayout]) {
      self.layout = layout
      self.schema = schema
    }

    /// The name of the entity, which is the name of the class.
    public var name: String { layout.name }

    /// Returns whether two entities have the same class.
    public static func == (left: Entity, right: Entity) -> Bool { left.layout == right.layout }

    /// Hashes the class.
    public func hash(into hasher: inout Hasher) { hasher.combine(layout) }

    // MARK: - Inheritance

    /// The name of the entity's superentity, or `nil`.
    public var superentityName: String? { layout.superlayout?.name }
    /// The superentity, or `nil`.
    public var superentity: Entity? { layout.superlayout.map { Entity($0, among: schema) } }
    /// The direct subentities in the schema.
    public var subentities: Set<Entity> {
      Set(
        schema.values.filter { $0.superlayout === layout }.map { Entity($0, among: schema) })
    }

    // MARK: - Properties

    /// The attributes, inherited ones included.
    public var attributes: Set<Attribute> {
      Set(layout.properties.filter { $0.relationship == nil }.map(\.attributeDescription))
    }
    /// The relationships, inherited ones included.
    public var relationships: Set<Relationship> {
      Set(layout.properties.indices.compactMap { layout.relationshipDescription(at: $0) })
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
    public var properties: [any SchemaProperty] { described(layout.properties.indices) }
    /// The inherited properties.
    public var inheritedProperties: [any SchemaProperty] {
      described(0..<layout.inheritedCount)
    }
    /// The properties that the class itself declares.
    public var storedProperties: [any SchemaProperty] {
      described(layout.inheritedCount..<layout.properties.count)
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

    private func described(_ indices: Range<Int>) -> [any SchemaProperty] {
      indices.map { index -> any SchemaProperty in
        if let relationship = layout.relationshipDescription(at: index) { return relationship }
        return layout.properties[index].attributeDescription
      }
    }

    private static func byName(
      _ properties: [any SchemaProperty]
    ) -> [String: any SchemaProperty] {
      Dictionary(keepingFirst: properties.map { ($0.name, $0) })
    }

    // MARK: - Constraints

    /// The names of properties whose values no two models may share, as the class declares them.
    public var uniquenessConstraints: [[String]] { layout.uniquenessConstraints }
    /// The names of indexed properties, as the class declares them.
    public var indices: [[String]] { layout.indices }
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
