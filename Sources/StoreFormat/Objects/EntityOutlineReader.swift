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
  private var knownColumns: [String: Set<String>] = [:]
  /// The maximum number of cached tables; a hostile file can name any number.
  private static let maxTables = 512

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

  private func columns(of table: String) throws -> Set<String> {
    if let known = knownColumns[table] { return known }
    let columns = Set(try tables.declaredColumns(of: table).map(\.name))
    if knownColumns.count >= Self.maxTables { knownColumns.removeAll() }
    knownColumns[table] = columns
    return columns
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
    // A table by another name than the model asks for is not the model's.
    let modelTables = tables.modelTables.flatMap { tables in
      tables.table(of: defined.name)?.name == table?.name ? tables : nil
    }
    let places = slots.map(SlotPlaces.init)
    var properties: [EntityOutline.Property] = []
    for entity in lineage {
      for property in entity.properties.sortedByName() {
        properties.append(
          try self.property(property, of: entity.name, places, modelTables, model))
      }
    }
    // The order among those without a slot stays as it is.
    let last = slots?.slots.count ?? 0
    return properties.enumerated().sorted {
      ($0.element.slots.first ?? last, $0.offset) < ($1.element.slots.first ?? last, $1.offset)
    }.map(\.element)
  }

  private func property(
    _ property: ManagedProperty, of declaring: String, _ places: SlotPlaces?,
    _ modelTables: EntityTables?, _ model: ManagedModel
  ) throws -> EntityOutline.Property {
    let slots = property.isTransient ? [] : places?.slots(of: property.name) ?? []
    let tombstones = property.isTransient ? [] : places?.tombstoneSlots(of: property.name) ?? []
    var place: EntityOutline.Place?
    var lacksColumns = false
    var elements: [EntityOutline.Element] = []
    let kind: EntityOutline.Property.Kind
    switch property {
    case .attribute(let attribute):
      kind = .attribute
      if attribute.elements.isEmpty {
        (place, lacksColumns) = try self.place(
          of: attribute, path: attribute.name, declaring, modelTables)
      } else {
        for (index, element) in attribute.storedElements.enumerated() {
          let (own, lacks) =
            try attribute.isTransient
            ? (nil, false) : self.place(of: element, path: element.name, declaring, modelTables)
          lacksColumns = lacksColumns || lacks
          elements.append(
            EntityOutline.Element(
              attribute: element, slot: slots.indices.contains(index) ? slots[index] : nil,
              tombstoneSlot: tombstones.indices.contains(index) ? tombstones[index] : nil,
              place: own))
        }
      }
    case .relationship(let relationship):
      kind = relationship.isToMany ? .toMany : .toOne
      if let modelTables, !relationship.isTransient {
        place = try self.place(
          of: Relationship(
            relationship, declaring: declaring, model: model, tables: modelTables),
          declaring, modelTables)
        lacksColumns = place == nil
      }
    case .other: kind = .other
    }
    return EntityOutline.Property(
      name: property.name, kind: kind, type: property.attribute?.type, definition: property,
      declaringEntityName: declaring, slots: slots, tombstoneSlots: tombstones, place: place,
      lacksColumns: lacksColumns, elements: elements)
  }

  /// Returns the column of an attribute or an element, and whether it is missing.
  private func place(
    of attribute: ManagedAttribute, path: String, _ declaring: String, _ modelTables: EntityTables?
  ) throws -> (EntityOutline.Place?, lacksColumns: Bool) {
    guard let modelTables, !attribute.isTransient else { return (nil, false) }
    guard let column = modelTables.attributeColumn(path, declaredIn: declaring),
      let place = try present([column.name], of: modelTables.table(of: declaring)?.name)
    else { return (nil, true) }
    return (place, false)
  }

  private func place(
    of relationship: Relationship, _ declaring: String, _ modelTables: EntityTables
  ) throws -> EntityOutline.Place? {
    switch relationship.storage {
    case .columns(let key, let entityKey, let orderKey):
      return try present(
        [key.name, entityKey?.name, orderKey?.name], of: modelTables.table(of: declaring)?.name)
    case .inverseColumns(let key, _, let orderKey):
      return try present(
        [key.name, relationship.isOrdered ? orderKey?.name : nil],
        of: modelTables.table(of: relationship.destinationName)?.name)
    case .hidden(let key):
      return try present(
        [key.name], of: modelTables.table(of: relationship.destinationName)?.name)
    case .join(let join, let end):
      let columns = join.columns(from: end)
      return try present([columns.owner, columns.member, columns.order], of: join.name)
    case nil: return nil
    }
  }

  /// Returns those columns that a table has, or `nil` if it lacks the first.
  private func present(_ names: [String?], of table: String?) throws -> EntityOutline.Place? {
    guard let table else { return nil }
    let columns = try self.columns(of: table)
    let present = names.compactMap { $0 }.filter(columns.contains)
    guard let first = names.first, present.first == first else { return nil }
    return EntityOutline.Place(table: table, columns: present)
  }
}

extension StoreSnapshot {
  /// Returns a reader of the store's entities.
  package func entityOutlines() throws -> EntityOutlineReader { try EntityOutlineReader(self) }
}
