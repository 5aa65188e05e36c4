import StoreFormat

/// In what the model of a store differs from that of a schema, as far as rows depend on it.
enum ModelDifference {
  /// The first difference in words; nil for none.
  static func first(store: ManagedModel, schema: ManagedModel) -> String? {
    for name in schema.entities.keys.sorted() where store.entities[name] == nil {
      return "the store has no entity \(name)"
    }
    for (name, entity) in store.entities.sorted(by: { $0.key < $1.key }) {
      guard let wanted = schema.entities[name] else {
        return "the store has an entity \(name), and the schema has no such model"
      }
      if let difference = first(entity, wanted) { return difference }
    }
    return nil
  }

  private static func first(_ entity: ManagedEntity, _ wanted: ManagedEntity) -> String? {
    let (present, needed) = (properties(of: entity), properties(of: wanted))
    for name in needed.keys.sorted() where present[name] == nil {
      return "the store has no property \(entity.name).\(name)"
    }
    for (name, shape) in present.sorted(by: { $0.key < $1.key }) {
      guard let other = needed[name] else {
        return "the store has a property \(entity.name).\(name), and the model has none"
      }
      if shape != other {
        return "\(entity.name).\(name) is \(shape) in the store and \(other) in the model"
      }
    }
    if entity.superentityName != wanted.superentityName {
      return "\(entity.name) inherits from another entity in the store"
    }
    return nil
  }

  /// What the columns of an entity's table depend on, in words.
  private static func properties(of entity: ManagedEntity) -> [String: String] {
    var shapes: [String: String] = [:]
    for property in entity.properties where !property.isTransient {
      switch property {
      case .attribute(let attribute): shapes[attribute.name] = shape(of: attribute)
      case .relationship(let relationship):
        shapes[relationship.name] =
          "a \(relationship.isToMany ? "to-many" : "to-one") relationship to "
          + "\(relationship.destinationName ?? "nothing")"
          + (relationship.inverseName.map { " with the inverse \($0)" } ?? " without an inverse")
      case .other(let name, _): shapes[name] = "neither attribute nor relationship"
      }
    }
    return shapes
  }

  private static func shape(of attribute: ManagedAttribute) -> String {
    let elements = attribute.elements.map { "\($0.name): \(shape(of: $0))" }.sorted()
    return (attribute.isOptional ? "an optional " : "") + attribute.type.name
      + (elements.isEmpty ? "" : " of " + elements.joined(separator: ", "))
  }
}
