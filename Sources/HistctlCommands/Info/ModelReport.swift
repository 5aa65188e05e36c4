import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Lists the model of a store, or the part of it that an archive has.
struct ModelReport: FieldPage {
  /// The number of properties without a column that are named.
  private static let maxNamed = 3

  let session: Session
  /// The names of the entities to list; empty for all.
  let entityNames: [String]

  // MARK: - Of a store

  func write(_ snapshot: StoreSnapshot) throws {
    let schema = try session.schema(of: snapshot)
    let reader = try snapshot.entityOutlines()
    let chosen = try self.chosen(
      among: reader.entities, schema: schema, name: \.name, number: \.number)
    let (path, store) = (snapshot.location.path, snapshot.metadata.storeIdentifier)
    if !isJSON {
      try field("store", path, style: .heading)
      try writeHeading(
        store: store, versions: snapshot.metadata.modelVersionIdentifiers,
        count: reader.entities.count)
    }
    var missing: [String] = []
    for entity in chosen {
      let outline = try reader.outline(of: entity)
      try write(outline, path: path, store: store)
      for property in outline.properties ?? []
      where property.lacksColumns
        && (property.declaringEntityName == outline.name || !entityNames.isEmpty)
      {
        missing.append("\(outline.label).\(property.name)")
      }
    }
    warn(ofMissing: missing)
  }

  private func warn(ofMissing missing: [String]) {
    guard !missing.isEmpty else { return }
    session.diagnostics.warn(
      "the tables have no column for \(missing.listed(Self.maxNamed))",
      kind: "missingColumns",
      hint: "the store was written with another model than the one it contains")
  }

  // MARK: - Of an archive

  /// Lists the model of the newest segment of each store.
  func write(_ archive: Archive) throws {
    let models = try archive.stores().compactMap { store in
      try store.entries.last.map { (store.identifier, try archive.manifest(of: $0).schema) }
    }
    let schema = HistorySchema(entities: models.flatMap { $0.1.entities.map(\.historyEntity) })
    let chosen = try models.map { _, model in
      try self.chosen(among: model.entities, schema: schema, name: \.name) { $0.number }
    }
    if !isJSON { try field("archive", archive.path, style: .heading) }
    for ((store, model), entities) in zip(models, chosen) {
      // The entity may exist in only one of the stores.
      if entities.isEmpty, !entityNames.isEmpty { continue }
      if !isJSON {
        try writeHeading(
          store: store, versions: model.versionIdentifiers, count: model.entities.count)
      }
      for entity in entities {
        try write(
          EntityOutline(name: entity.name, number: entity.number, slots: entity.entitySlots),
          path: archive.path, store: store)
      }
    }
  }

  // MARK: - Common parts

  private func writeHeading(store: String?, versions: [String], count: Int) throws {
    try field("identifier", store)
    let named = versions.filter { !$0.isEmpty }
    try field(
      "model",
      (named.isEmpty ? "" : "version \(named.joined(separator: ", ")), ")
        + (count == 1 ? "1 entity" : "\(count) entities"))
  }

  private func write(_ outline: EntityOutline, path: String, store: String?) throws {
    if isJSON {
      try writer.writeLine(outline.json(path: path, store: store))
    } else {
      try EntityOutlineText(session: session).write(outline)
    }
  }

  /// Returns the entities to list, in their order.
  ///
  /// - Throws: `HistoryError.unknownEntity`.
  private func chosen<Entity>(
    among entities: [Entity], schema: HistorySchema, name: (Entity) -> String?,
    number: (Entity) -> Int64?
  ) throws -> [Entity] {
    guard !entityNames.isEmpty else { return entities }
    let names = Set(entities.compactMap(name))
    var numbers: Set<Int64> = []
    for wanted in entityNames where !names.contains(wanted) {
      numbers.insert(try NameLookup(schema: schema).entityNumber(wanted))
    }
    return entities.filter { entity in
      name(entity).map(entityNames.contains) ?? number(entity).map(numbers.contains) ?? false
    }
  }
}

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
