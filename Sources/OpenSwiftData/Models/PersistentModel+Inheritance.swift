extension PersistentModel {
  /// That of a class that inherits from no model.
  public static var schemaInheritance: Schema.Inheritance { Schema.Inheritance(Self.self) }

  /// Joins what the initialiser of a class has set with what that of its superclass has; `@Model`
  /// calls it.
  ///
  /// - Parameters:
  ///   - own: The backing data of the class, which have values for its own properties only.
  ///   - inherited: The backing data of its superclass.
  public static func completeBackingData<Own, Inherited>(
    _ own: any BackingData<Own>, with inherited: any BackingData<Inherited>
  ) -> any BackingData<Inherited> where Own: PersistentModel, Inherited: PersistentModel {
    guard let own = own as? StatefulBackingData, let data = inherited as? StatefulBackingData else {
      return inherited
    }
    own.state.inherit(data.state)
    return ModelBackingData<Inherited>(own.state)
  }
}
