extension SwiftDataError {
  /// That of a model which the container does not have.
  static func unknownModel(_ name: String) -> SwiftDataError {
    SwiftDataError(
      .unknownSchema, "the container has no model \(name); name it when the container is made")
  }

  /// That of a class which is no model of its own, only what it inherits from is.
  static func unmarkedModel(_ name: String) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "\(name) inherits from a model, but is not marked with @Model itself; mark it, and name it "
        + "when the container is made")
  }
}
