/// What is known of a relationship of a model's class.
struct RelationshipLayout {
  let destination: any PersistentModel.Type
  let isToMany: Bool
  let deleteRule: Schema.Relationship.DeleteRule
  /// The relationship that leads back, where the class names it.
  let inverseKeyPath: AnyKeyPath?

  /// - Returns: Nil where the type is that of an attribute.
  init?(valueType: Any.Type, described: Schema.Relationship?) {
    let wrapped = (valueType as? any OptionalValue.Type)?.wrappedType ?? valueType
    if let model = wrapped as? any PersistentModel.Type {
      destination = model
      isToMany = false
    } else if let collection = valueType as? any RelationshipCollection.Type {
      destination = collection.elementType
      isToMany = true
    } else {
      return nil
    }
    deleteRule = described?.deleteRule ?? .nullify
    inverseKeyPath = described?.inverseKeyPath
  }

  var destinationLayout: EntityLayout { EntityLayout.of(any: destination) }
}

extension RelationshipCollection {
  /// The class of the models in it.
  fileprivate static var elementType: any PersistentModel.Type { PersistentElement.self }
}
