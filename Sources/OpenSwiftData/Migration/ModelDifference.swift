import StoreFormat

/// In what the model of a store differs from that of a schema, as far as the store depends on it.
///
/// Default values and names of classes are the program's business: the frameworks' own stores have
/// defaults that were another value at every start of the app.
enum ModelDifference {
  /// The first difference in words; nil for none.
  ///
  /// - Parameter ignoringRules: Whether delete rules do not count, which matter for deleting only.
  static func first(
    store: ManagedModel, schema: ManagedModel, ignoringRules: Bool = false
  ) -> String? {
    for name in schema.entities.keys.sorted() where store.entities[name] == nil {
      return "the store has no entity \(name)"
    }
    for (name, entity) in store.entities.sorted(by: { $0.key < $1.key }) {
      guard let wanted = schema.entities[name] else {
        return "the store has an entity \(name), and the schema has no such model"
      }
      if let difference = first(entity, wanted, ignoringRules) { return difference }
    }
    return nil
  }

  private static func first(
    _ entity: ManagedEntity, _ wanted: ManagedEntity, _ ignoringRules: Bool
  ) -> String? {
    let present = properties(of: entity, ignoringRules)
    let needed = properties(of: wanted, ignoringRules)
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
    if Set(entity.uniquenessConstraints) != Set(wanted.uniquenessConstraints) {
      return "\(entity.name) has other unique values in the store"
    }
    if Set(entity.indexes) != Set(wanted.indexes) {
      return "\(entity.name) has other indexes in the store"
    }
    return nil
  }

  /// What the store depends on in each property, in words.
  private static func properties(
    of entity: ManagedEntity, _ ignoringRules: Bool
  ) -> [String: String] {
    var shapes: [String: String] = [:]
    for property in entity.properties where !property.isTransient {
      switch property {
      case .attribute(let attribute):
        shapes[attribute.name] =
          shape(of: attribute) + (attribute.preservesValueOnDeletion ? ", preserved" : "")
          + (attribute.allowsExternalStorage ? ", in files of its own" : "")
          + modified(attribute.versionHashModifier)
      case .relationship(let relationship):
        shapes[relationship.name] =
          shape(of: relationship) + modified(relationship.versionHashModifier)
          + (ignoringRules ? "" : ", with the delete rule \(relationship.deleteRule)")
      case .other(let name, _): shapes[name] = "neither attribute nor relationship"
      }
    }
    return shapes
  }

  private static func modified(_ modifier: String?) -> String {
    modifier.map { ", with the hash modifier \($0)" } ?? ""
  }

  private static func shape(of relationship: ManagedRelationship) -> String {
    // Of a list, empty and missing are the same.
    (relationship.isToMany ? "a to-many" : relationship.isOptional ? "an optional" : "a to-one")
      + " relationship to \(relationship.destinationName ?? "nothing")"
      + (relationship.inverseName.map { " with the inverse \($0)" } ?? " without an inverse")
  }

  private static func shape(of attribute: ManagedAttribute) -> String {
    let elements = attribute.elements.map { "\($0.name): \(shape(of: $0))" }.sorted()
    return (attribute.isOptional ? "an optional " : "") + attribute.type.name
      + (elements.isEmpty ? "" : " of " + elements.joined(separator: ", "))
  }
}
