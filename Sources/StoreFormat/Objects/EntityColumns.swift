import Synchronization

/// The properties of one entity, and which columns and slots hold each: the one plan by which objects are read,
/// written, compared and described.
///
/// A plan follows from the model by the frameworks' rules. Before writing, ``ObjectSchema/check(_:)`` makes sure that
/// the store has the columns with the types of the model. Reading uses only columns that are there
/// (``present(in:)``, ``ObjectSchema/has(_:)``), and reports the others.
package struct EntityColumns: Sendable {
  /// Whether the names are those of a model. Otherwise they are those of the table's columns.
  package let isNamedByModel: Bool
  /// The own and inherited properties that a store keeps, those of a superentity first and then by name. A composite
  /// attribute is replaced by its elements.
  package let properties: [StoredProperty]
  package let relationships: [StoredProperty]
  /// Attributes and to-one relationships, whose values are in the rows of the objects themselves, by path.
  package let values: [StoredProperty]
  private let places: [String: Int]

  /// Plans an entity; returns `nil` if the model does not have it.
  ///
  /// - Parameters:
  ///   - tables: The tables of the model; `nil` if they are not known, and no property has columns.
  ///   - slots: The order of the entity's slots; `nil` if it is not known, or not needed.
  package init?(
    of entityName: String, _ model: ManagedModel, _ tables: EntityTables?,
    slots: EntitySlots? = nil
  ) {
    guard let lineage = model.lineage(of: entityName) else { return nil }
    let places = slots.map(SlotPlaces.init)
    self.init(
      lineage.flatMap { entity in
        entity.storedProperties.flatMap {
          Self.properties($0, of: entity.name, model, tables, places)
        }
      })
  }

  /// Plans a table of which no model is known.
  init(columns: [String], of table: String) {
    self.init(
      columns.map { StoredProperty(column: $0, of: table) }, isNamedByModel: false)
  }

  private init(_ properties: [StoredProperty], isNamedByModel: Bool = true) {
    self.isNamedByModel = isNamedByModel
    self.properties = properties
    relationships = properties.filter { $0.relationship != nil }
    values = properties.filter { !$0.isToMany && $0.storage != nil }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    places = Dictionary(keepingFirst: properties.enumerated().map { ($1.path, $0) })
  }

  private static func properties(
    _ property: ManagedProperty, of entityName: String, _ model: ManagedModel,
    _ tables: EntityTables?, _ places: SlotPlaces?
  ) -> [StoredProperty] {
    let slots = places?.slots(of: property.name) ?? []
    let tombstones = places?.tombstoneSlots(of: property.name) ?? []
    switch property {
    case .relationship(let relationship):
      return [StoredProperty(relationship, of: entityName, model, tables, slots: slots)]
    case .attribute(let attribute) where attribute.elements.isEmpty:
      return [
        StoredProperty(
          attribute, attribute.name, of: entityName, tables, slots: slots,
          tombstoneSlot: tombstones.first)
      ]
    case .attribute(let attribute):
      return attribute.elementsByPath.enumerated().map { index, element in
        StoredProperty(
          element.attribute, element.path, of: entityName, tables,
          slots: slots.indices.contains(index) ? [slots[index]] : [],
          tombstoneSlot: tombstones.indices.contains(index) ? tombstones[index] : nil)
      }
    case .other: return []
    }
  }

  /// The property with a path.
  package subscript(path: String) -> StoredProperty? { places[path].map { properties[$0] } }

  /// Returns the plan for tables that may lack columns: properties without theirs have no storage.
  ///
  /// - Parameter columns: Returns the columns of a table; none for one that is missing.
  func present(in columns: (_ table: String) throws -> Set<String>) rethrows -> EntityColumns {
    EntityColumns(try properties.map { try $0.present(in: columns) })
  }
}

extension EntityTables.Table {
  /// Returns properties in the order of their columns.
  package func sorted(_ properties: [StoredProperty]) -> [StoredProperty] {
    let places = Dictionary(keepingFirst: columns.enumerated().map { ($1.name, $0) })
    return properties.sorted { places[$0.columnName] ?? 0 < places[$1.columnName] ?? 0 }
  }
}

extension ManagedModel {
  /// Returns the attribute, or the element of a composite one, whose values a column holds; `nil` for any other column.
  package func attribute(of column: EntityTables.Column) -> ManagedAttribute? {
    guard column.role == .attribute, let entity = entities[column.entityName] else { return nil }
    if let attribute = entity.propertiesByName[column.path]?.attribute { return attribute }
    let name = ManagedAttribute.propertyName(ofPath: column.path)
    return entity.propertiesByName[name]?.attribute?.elementsByPath
      .first { $0.path == column.path }?.attribute
  }
}

extension ManagedAttribute {
  /// The elements of a composite attribute that have columns, with their paths.
  var elementsByPath: [(path: String, attribute: ManagedAttribute)] {
    elements.flatMap { element in
      element.elements.isEmpty
        ? [(name + "." + element.name, element)]
        : element.elementsByPath.map { (name + "." + $0.path, $0.attribute) }
    }
  }
}

/// The plans of a model's entities, each computed when it is first needed.
final class LazyColumns: Sendable {
  private let known = Mutex<[String: EntityColumns]>([:])

  func columns(
    of entityName: String, _ make: () -> EntityColumns?
  ) -> EntityColumns? {
    if let plan = known.withLock({ $0[entityName] }) { return plan }
    let plan = make()
    if let plan { known.withLock { $0[entityName] = plan } }
    return plan
  }
}
