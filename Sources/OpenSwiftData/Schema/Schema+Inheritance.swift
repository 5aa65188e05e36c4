extension Schema {
  /// What a model's class inherits from other models; `@Model` makes it.
  public struct Inheritance {
    /// The classes, the one that inherits from no model first, and the class itself last.
    public let classes: [any PersistentModel.Type]
    /// The properties that the class inherits, those of the first class first, with key paths that
    /// start at the class itself.
    public let properties: [PropertyMetadata]

    /// That of a class that inherits from no model.
    ///
    /// - Parameter type: The class.
    public init(_ type: any PersistentModel.Type) {
      self.init(classes: [type], properties: [])
    }

    private init(classes: [any PersistentModel.Type], properties: [PropertyMetadata]) {
      self.classes = classes
      self.properties = properties
    }

    /// That of a class which inherits from the one that this is of.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - properties: All that it inherits, with key paths that start at the class.
    public func extended(
      to type: any PersistentModel.Type, properties: [PropertyMetadata]
    ) -> Inheritance {
      Inheritance(classes: classes + [type], properties: properties)
    }
  }
}
