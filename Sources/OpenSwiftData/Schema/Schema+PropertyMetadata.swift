extension Schema {
  /// What a model's class says of one of its properties.
  public struct PropertyMetadata {
    /// The property's name.
    public let name: String
    /// The property.
    public let keypath: AnyKeyPath
    /// What a new model has there; nil for nothing.
    public let defaultValue: Any?
    /// What `@Attribute` or `@Relationship` say of it.
    public let metadata: (any SchemaProperty)?

    /// A property.
    ///
    /// - Parameters:
    ///   - name: The property's name.
    ///   - keypath: The property.
    ///   - defaultValue: What a new model has there; nil for nothing.
    ///   - metadata: What `@Attribute` or `@Relationship` say of it.
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
