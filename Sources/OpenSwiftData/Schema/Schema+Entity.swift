extension Schema {
  /// A model as a schema describes it.
  public struct Entity: Hashable, Sendable {
    let layout: EntityLayout
    private let schema: [String: EntityLayout]

    init(_ layout: EntityLayout, among schema: [String: EntityLayout]) {
      self.layout = layout
      self.schema = schema
    }

    /// The name, which is that of the class.
    public var name: String { layout.name }

    /// Whether both are of the same class.
    public static func == (left: Entity, right: Entity) -> Bool { left.layout == right.layout }

    /// Feeds the class into a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(layout) }

    // MARK: - Inheritance

    /// The name of the entity that this one inherits from; nil where it inherits from none.
    public var superentityName: String? { layout.superlayout?.name }
    /// The entity that this one inherits from; nil where it inherits from none.
    public var superentity: Entity? { layout.superlayout.map { Entity($0, among: schema) } }
    /// The entities of the schema that inherit from this one directly.
    public var subentities: Set<Entity> {
      Set(
        schema.values.filter { $0.superlayout === layout }.map { Entity($0, among: schema) })
    }

    // MARK: - Properties

    /// The attributes, with those that are inherited.
    public var attributes: Set<Attribute> {
      Set(layout.properties.filter { $0.relationship == nil }.map(\.attributeDescription))
    }
    /// The relationships, with those that are inherited.
    public var relationships: Set<Relationship> {
      Set(layout.properties.indices.compactMap { layout.relationshipDescription(at: $0) })
    }
    /// The attributes by name.
    public var attributesByName: [String: Attribute] {
      Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// The relationships by name.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// All properties, those that are inherited first, in the order in which the classes declare them.
    public var properties: [any SchemaProperty] { described(layout.properties.indices) }
    /// The properties that the class inherits from other models.
    public var inheritedProperties: [any SchemaProperty] {
      described(0..<layout.inheritedCount)
    }
    /// The properties that the class declares itself.
    public var storedProperties: [any SchemaProperty] {
      described(layout.inheritedCount..<layout.properties.count)
    }
    /// All properties by name.
    public var propertiesByName: [String: any SchemaProperty] { Self.byName(properties) }
    /// The properties that the class inherits, by name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Self.byName(inheritedProperties)
    }
    /// The properties that the class declares itself, by name.
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
      Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Constraints

    /// Lists of properties whose values together no two models may share, as the class declares them.
    public var uniquenessConstraints: [[String]] { layout.uniquenessConstraints }
    /// Lists of properties that the store has an index for, as the class declares them.
    public var indices: [[String]] { layout.indices }
  }
}
