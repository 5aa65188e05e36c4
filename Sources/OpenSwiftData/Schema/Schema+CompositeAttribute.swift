extension Schema {
  /// A value whose parts stand in columns of their own, as a schema describes it.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The parts.
    public let properties: [any SchemaProperty]

    init(
      name: String, valueType: Any.Type, described: Attribute?, defaultValue: Any?,
      shape: CompositeShape
    ) {
      properties = shape.elements.map {
        Attribute(name: $0.name, valueType: $0.valueType, described: nil)
      }
      super.init(
        name: name, valueType: valueType, described: described, defaultValue: defaultValue)
    }
  }
}
