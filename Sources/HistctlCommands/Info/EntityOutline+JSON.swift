import HistoryCoding
import StoreFormat

extension EntityOutline {
  /// The entity as a JSON object.
  ///
  /// - Parameters:
  ///   - path: The store or the archive that it comes from.
  ///   - store: The identifier of the store.
  func json(path: String, store: String?) -> JSONValue {
    var members = JSONMembers(type: "entity", path: path, store: store)
    members.add("entity", name.map(JSONValue.string))
    members.add("number", number.map(JSONValue.integer))
    members.add("parent", parentName.map(JSONValue.string))
    if !subentityNames.isEmpty { members.add("subentities", .strings(subentityNames)) }
    members.add("abstract", isAbstract.map(JSONValue.boolean))
    members.add("table", tableName.map(JSONValue.string))
    if !uniquenessConstraints.isEmpty {
      members.add("unique", .array(uniquenessConstraints.map(JSONValue.strings)))
    }
    if let properties {
      members.add("tombstone", .strings(tombstoneNames))
      members.add("properties", .array(properties.map { $0.json(in: self) }))
    } else if tableName != nil {
      members.add(
        "columns",
        .array(
          columns.map { ["name": .string($0.name), "type": .string($0.declaredType)] }))
    }
    return members.json
  }
}

extension EntityOutline.Property {
  fileprivate func json(in entity: EntityOutline) -> JSONValue {
    var members = JSONMembers()
    members.add("name", .string(name))
    members.add("kind", .string(kind.rawValue))
    members.add("type", type.map { .string($0.name) })
    switch definition {
    case .attribute(let attribute):
      members.add("class", attribute.valueClassName.map(JSONValue.string))
      members.add("optional", .boolean(attribute.isOptional))
      members.add("transient", .boolean(attribute.isTransient))
      members.add("derived", .boolean(attribute.isDerived))
      members.add("externalStorage", .boolean(attribute.allowsExternalStorage))
    case .relationship(let relationship):
      members.add("destination", relationship.destinationName.map(JSONValue.string))
      members.add("inverse", relationship.inverseName.map(JSONValue.string))
      members.add("optional", .boolean(relationship.isOptional))
      members.add("ordered", .boolean(relationship.isOrdered))
      members.add("transient", .boolean(relationship.isTransient))
      members.add("deleteRule", .string(relationship.deleteRule.name))
    case .other(_, let isTransient): members.add("transient", .boolean(isTransient))
    case nil: break
    }
    if declaringEntityName != entity.name {
      members.add("inheritedFrom", declaringEntityName.map(JSONValue.string))
    }
    members.add("slots", .integers(slots))
    members.add(place)
    members.add("tombstone", .boolean(!tombstoneSlots.isEmpty))
    if !tombstoneSlots.isEmpty { members.add("tombstoneSlots", .integers(tombstoneSlots)) }
    if !elements.isEmpty { members.add("elements", .array(elements.map(\.json))) }
    return members.json
  }
}

extension EntityOutline.Element {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("name", .string(attribute.name))
    members.add("type", .string(attribute.type.name))
    members.add("optional", .boolean(attribute.isOptional))
    members.add("slot", slot.map { .integer(Int64($0)) })
    members.add(place)
    members.add("tombstoneSlot", tombstoneSlot.map { .integer(Int64($0)) })
    return members.json
  }
}

extension JSONMembers {
  fileprivate mutating func add(_ place: EntityOutline.Place?) {
    guard let place else { return }
    add("table", .string(place.table))
    add("columns", .strings(place.columns))
  }
}

extension JSONValue {
  fileprivate static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(string)) }

  fileprivate static func integers(_ numbers: [Int]) -> JSONValue {
    .array(numbers.map { .integer(Int64($0)) })
  }
}

extension ManagedRelationship.DeleteRule {
  /// The rule in a word, as Core Data has it.
  var name: String {
    switch self {
    case .noAction: "noAction"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}
