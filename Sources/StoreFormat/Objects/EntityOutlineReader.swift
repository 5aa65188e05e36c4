/// Describes a store's entities by its model and its tables.
///
/// The columns of properties follow from the model by the frameworks' rules; columns that the table does not
/// have are never named.
package final class EntityOutlineReader {
  /// An entity that the store or its model names.
  package struct Entity: Hashable, Sendable {
    /// The name, or `nil` where the store does not name the number.
    package let name: String?
    /// The number, or `nil` for an entity of the model that the store has no number for.
    package let number: Int64?
  }

  /// The entities by number, then those that only the model has, by name.
  package let entities: [Entity]
  private let tables: ObjectTables
  private let slots: LazySlots?
  private let parents: [Entity: String]
  private let children: [String: [String]]

  init(_ snapshot: StoreSnapshot) throws {
    let tables = try ObjectTables(snapshot)
    self.tables = tables
    slots = try snapshot.slots()
    let numbering = snapshot.entities
    var entities: [Entity] = []
    var parents: [Entity: String] = [:]
    for entry in numbering.modelEntries where entities.last?.number != entry.number {
      let entity = Entity(name: numbering.name(of: entry.number), number: entry.number)
      entities.append(entity)
      parents[entity] = numbering.name(of: entry.superNumber)
    }
    let named = Set(entities.compactMap(\.name))
    for name in (tables.model?.entities.keys.sorted() ?? []) where !named.contains(name) {
      entities.append(Entity(name: name, number: nil))
    }
    for entity in entities {
      guard let defined = entity.name.flatMap({ tables.model?.entities[$0] }) else { continue }
      parents[entity] = defined.superentityName
    }
    self.entities = entities
    self.parents = parents
    var children: [String: [String]] = [:]
    for entity in entities {
      guard let name = entity.name, let parent = parents[entity] else { continue }
      children[parent, default: []].append(name)
    }
    self.children = children
  }

  /// Describes one of ``entities``.
  package func outline(of entity: Entity) throws -> EntityOutline {
    let table = try entity.number.flatMap { try tables.table(ofEntity: $0) }
    let model = tables.model
    let defined = entity.name.flatMap { model?.entities[$0] }
    let slots = entity.name.flatMap { self.slots?.slots(of: $0) }
    return EntityOutline(
      name: entity.name, number: entity.number, parentName: parents[entity],
      subentityNames: entity.name.flatMap { children[$0] } ?? [],
      isAbstract: defined?.isAbstract, uniquenessConstraints: defined?.uniquenessConstraints ?? [],
      tableName: table?.name,
      columns: try table.map { try tables.declaredColumns(of: $0.name) } ?? [],
      properties: try defined.flatMap { try properties(of: $0, slots, table) },
      tombstoneNames: slots?.tombstoneAttributes.map(\.name) ?? [])
  }

  // MARK: - Properties

  /// The properties of an entity, those with slots first, or `nil` if the model does not contain all that it
  /// inherits.
  private func properties(
    of defined: ManagedEntity, _ slots: EntitySlots?, _ table: ObjectTables.Table?
  ) throws -> [EntityOutline.Property]? {
    guard let model = tables.model, let lineage = model.lineage(of: defined.name) else {
      return nil
    }
    let modelTables = tables.modelTables(of: defined.name, table)
    let plan = try tables.plan(of: defined.name, modelTables, slots: slots)
    var properties: [EntityOutline.Property] = []
    for entity in lineage {
      for property in entity.properties.sortedByName() {
        properties.append(
          outline(of: property, of: entity.name, plan, hasTables: modelTables != nil))
      }
    }
    // The order among those without a slot stays as it is.
    let last = slots?.slots.count ?? 0
    return properties.enumerated().sorted {
      ($0.element.slots.first ?? last, $0.offset) < ($1.element.slots.first ?? last, $1.offset)
    }.map(\.element)
  }

  private func outline(
    of property: ManagedProperty, of declaring: String, _ plan: EntityColumns?, hasTables: Bool
  ) -> EntityOutline.Property {
    let name = property.name
    let kind: EntityOutline.Property.Kind =
      switch property {
      case .attribute: .attribute
      case .relationship(let relationship): relationship.isToMany ? .toMany : .toOne
      case .other: .other
      }
    var elements: [StoredProperty] = []
    if let attribute = property.attribute, !attribute.elements.isEmpty {
      elements = attribute.elementsByPath.map { element in
        (property.isTransient ? nil : plan?[element.path])
          ?? StoredProperty(
            element.attribute, element.path, of: declaring, nil, slots: [], tombstoneSlot: nil)
      }
    }
    let isKept = !property.isTransient && kind != .other
    let stored = isKept && elements.isEmpty ? plan?[name] : nil
    let parts = stored.map { [$0] } ?? elements
    return EntityOutline.Property(
      name: name, kind: kind, type: property.attribute?.type, definition: property,
      declaringEntityName: declaring, slots: parts.flatMap(\.slots),
      tombstoneSlots: parts.compactMap(\.tombstoneSlot), stored: stored,
      lacksColumns: hasTables && isKept && parts.contains { $0.storage == nil },
      elements: elements)
  }
}

extension StoreSnapshot {
  /// Returns a reader of the store's entities.
  package func entityOutlines() throws -> EntityOutlineReader { try EntityOutlineReader(self) }
}
