extension Schema {
  /// A model as a schema describes it.
  public struct Entity: Hashable, Sendable {
    let layout: EntityLayout

    init(_ layout: EntityLayout) { self.layout = layout }

    /// The name, which is that of the class.
    public var name: String { layout.name }
    /// The attributes.
    public var attributes: Set<Attribute> {
      Set(layout.properties.filter { $0.relationship == nil }.map(\.attributeDescription))
    }
    /// The relationships.
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
    /// All properties, in the order in which the class declares them.
    public var properties: [any SchemaProperty] {
      layout.properties.indices.map { index -> any SchemaProperty in
        if let relationship = layout.relationshipDescription(at: index) { return relationship }
        return layout.properties[index].attributeDescription
      }
    }
    /// Lists of properties whose values together no two models may share.
    public var uniquenessConstraints: [[String]] { layout.uniquenessConstraints }
    /// Lists of properties that the store has an index for.
    public var indices: [[String]] { layout.indices }
  }
}
