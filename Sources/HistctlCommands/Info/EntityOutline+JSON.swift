import HistoryCoding
import StoreFormat

extension EntityOutline {
  /// Returns the entity as a record.
  ///
  /// - Parameters:
  ///   - path: The store or the archive that it comes from.
  ///   - store: The identifier of the store.
  func json(path: String, store: String?) -> JSONValue {
    .record(
      "entity",
      [
        "path": path, "store": store, "entity": name, "number": number, "parent": parentName,
        "subentities": subentityNames.isEmpty ? nil : subentityNames, "abstract": isAbstract,
        "table": tableName,
        "unique": uniquenessConstraints.isEmpty ? nil : uniquenessConstraints,
        "tombstone": properties == nil ? nil : tombstoneNames,
        "properties": properties?.map { $0.json(in: self) },
        "columns": properties == nil && tableName != nil
          ? columns.map { JSONValue.object(of: ["name": $0.name, "type": $0.declaredType]) } : nil,
      ])
  }
}

extension EntityOutline.Property {
  fileprivate func json(in entity: EntityOutline) -> JSONValue {
    .object(
      of: ["name": name, "kind": kind.rawValue, "type": type?.name],
      and: definitionMembers
        + JSONValue.list(of: [
          "inheritedFrom": declaringEntityName == entity.name ? nil : declaringEntityName,
          "slots": slots, "table": stored?.table,
          "columns": stored?.table == nil ? nil : stored?.allColumnNames,
          "tombstone": !tombstoneSlots.isEmpty,
          "tombstoneSlots": tombstoneSlots.isEmpty ? nil : tombstoneSlots,
          "elements": elements.isEmpty ? nil : elements.map(\.json),
        ]))
  }

  private var definitionMembers: [(String, JSONValue)] {
    switch definition {
    case .attribute(let attribute):
      JSONValue.list(of: [
        "class": attribute.valueClassName, "optional": attribute.isOptional,
        "transient": attribute.isTransient, "derived": attribute.isDerived,
        "externalStorage": attribute.allowsExternalStorage,
      ])
    case .relationship(let relationship):
      JSONValue.list(of: [
        "destination": relationship.destinationName, "inverse": relationship.inverseName,
        "optional": relationship.isOptional, "ordered": relationship.isOrdered,
        "transient": relationship.isTransient, "deleteRule": relationship.deleteRule.name,
      ])
    case .other(_, let isTransient): JSONValue.list(of: ["transient": isTransient])
    case nil: []
    }
  }
}

extension StoredProperty {
  fileprivate var json: JSONValue {
    .object(of: [
      "name": path, "type": attribute?.type.name, "optional": attribute?.isOptional,
      "slot": slots.first, "table": table, "columns": table == nil ? nil : allColumnNames,
      "tombstoneSlot": tombstoneSlot,
    ])
  }
}

extension ManagedRelationship.DeleteRule {
  /// The rule as Core Data names it.
  var name: String {
    switch self {
    case .noAction: "noAction"
    case .nullify: "nullify"
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}
