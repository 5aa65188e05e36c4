/// The tables that the frameworks keep the objects of a model in.
///
/// A store does not record which column holds which property. The names follow from the model by
/// the rules here, with which the known stores were made.
package struct EntityTables: Hashable, Sendable {
  /// The table of one root entity and all that inherit from it.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rootName: String
    /// The entities whose objects are in the table, the root first, by number.
    package let memberNames: [String]
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`.
    package let columns: [Column]
  }

  /// An attribute, an element of a composite one, or a relationship.
  ///
  /// Entities that inherit from the same one may have properties of the same name, each in a column
  /// of its own.
  package struct Property: Hashable, Sendable {
    package let entityName: String
    /// The name; an element of a composite attribute is named `attribute.element`.
    package let path: String

    package init(entityName: String, path: String) {
      self.entityName = entityName
      self.path = path
    }
  }

  /// A column after `Z_PK`, `Z_ENT` and `Z_OPT`, which holds a part of a property as a slot of a mask does.
  package struct Column: Hashable, Sendable {
    package let name: String
    package let declaredType: String
    /// The entity that adds the property.
    package let entityName: String
    /// The property; for an element of a composite attribute `attribute.element`.
    package let path: String
    /// Which part it holds. A column for a to-many relationship is in the rows of its destinations, and holds the
    /// key of the object that leads there.
    package let role: EntitySlots.Role

    package var property: Property { Property(entityName: entityName, path: path) }
    /// Whether it holds the key of another object.
    package var isKey: Bool { role == .toOne || role == .toMany }
    /// Whether it holds a value of a property, not an order in a relationship or the like.
    package var isProperty: Bool { role == .attribute || role == .toOne }
  }

  /// The tables of entities, by the root's number.
  package let tables: [Table]
  /// The tables of many-to-many relationships, in the order in which they are created.
  package let joinTables: [JoinTable]
  private let tablesByEntity: [String: Int]
  /// The columns of each property that an entity adds, by its name or that of an element.
  private let columns: [Property: [Column]]
  private let joinsByRelationship: [JoinTable.End: Int]

  /// Works out the tables of a model, its entities numbered as given.
  ///
  /// - Parameter presentColumns: Returns the columns of a table of an existing store.
  /// - Throws: ``StoreError/invalidModel(detail:)`` where the model has an entity without a
  ///   number, a hierarchy that does not end, or an attribute without a column type, and errors of `presentColumns`.
  package init(
    model: ManagedModel, numbering: EntityNumbering,
    presentColumns: (_ table: String) throws -> [String] = { _ in [] }
  ) throws {
    let hierarchy = try EntityHierarchy(model: model, numbering: numbering)
    var tables: [Table] = []
    for root in hierarchy.roots {
      var builder = TableBuilder(hierarchy: hierarchy)
      for member in hierarchy.members(of: root) { try builder.add(member) }
      tables.append(
        Table(
          name: "Z" + root.uppercased(), rootName: root,
          memberNames: hierarchy.members(of: root), columns: builder.columns))
    }
    self.tables = tables
    joinTables = try JoinTable.tables(of: hierarchy).map {
      try $0.matching(presentColumns($0.name))
    }

    var tablesByEntity: [String: Int] = [:]
    var columns: [Property: [Column]] = [:]
    for (index, table) in tables.enumerated() {
      for member in table.memberNames { tablesByEntity[member] = index }
      for column in table.columns { columns[column.property, default: []].append(column) }
    }
    self.tablesByEntity = tablesByEntity
    self.columns = columns
    var joins: [JoinTable.End: Int] = [:]
    for (index, join) in joinTables.enumerated() {
      joins[join.first] = index
      joins[join.second] = index
    }
    joinsByRelationship = joins
  }

  /// The table that holds the objects of an entity.
  package func table(of entityName: String) -> Table? {
    tablesByEntity[entityName].map { tables[$0] }
  }

  /// The column of an attribute, or of an element of a composite one.
  package func attributeColumn(_ path: String, declaredIn entityName: String) -> Column? {
    columns(of: path, entityName).first { $0.role == .attribute }
  }

  package func toOneColumns(
    _ name: String, declaredIn entityName: String
  ) -> (key: Column, entityKey: Column?, orderKey: Column?)? {
    let columns = columns(of: name, entityName)
    return columns.first { $0.role == .toOne }.map { key in
      (
        key, columns.first { $0.role == .entityKey }, columns.first { $0.role == .orderKey }
      )
    }
  }

  /// The column in a destination's table that a to-many relationship without an inverse uses.
  package func hiddenColumn(of name: String, declaredIn entityName: String) -> Column? {
    columns(of: name, entityName).first { $0.role == .toMany }
  }

  private func columns(of path: String, _ entityName: String) -> [Column] {
    columns[Property(entityName: entityName, path: path)] ?? []
  }

  package func joinTable(_ name: String, declaredIn entityName: String) -> JoinTable? {
    joinsByRelationship[JoinTable.End(entityName: entityName, relationshipName: name)]
      .map { joinTables[$0] }
  }
}

/// Collects the columns of one table.
private struct TableBuilder {
  let hierarchy: EntityHierarchy
  private var groups: [ColumnType: [EntityTables.Column]] = [:]
  private var orderKeys: [EntityTables.Column] = []
  private var names = UnusedNames(taken: ["Z_PK", "Z_ENT", "Z_OPT"])

  init(hierarchy: EntityHierarchy) { self.hierarchy = hierarchy }

  /// The columns so far: by type, order keys after all other integers.
  var columns: [EntityTables.Column] {
    groups.keys.sorted().flatMap { type in
      (groups[type] ?? []) + (type == .integer ? orderKeys : [])
    } + (groups[.integer] == nil ? orderKeys : [])
  }

  mutating func add(_ entityName: String) throws {
    let properties = hierarchy.storedProperties(of: entityName)
    for attribute in properties.compactMap({ $0.attribute }) {
      try add(attribute, path: attribute.name, entityName: entityName)
    }
    for relationship in properties.compactMap({ $0.relationship }) where !relationship.isToMany {
      add(relationship, entityName: entityName)
    }
    for hidden in hierarchy.hiddenRelationships(to: entityName) {
      append(
        names.take("Z\(hidden.ownerNumber)\(hidden.name.uppercased())"),
        entityName: hidden.ownerName,
        path: hidden.name, role: .toMany)
    }
  }

  private mutating func add(
    _ attribute: ManagedAttribute, path: String, entityName: String
  ) throws {
    if attribute.type == .composite || !attribute.elements.isEmpty {
      for element in attribute.elements {
        try add(element, path: path + "." + element.name, entityName: entityName)
      }
      return
    }
    guard let type = ColumnType(attribute.type),
      let declared = attribute.type.declaredColumnType
    else {
      throw StoreError.invalidModel(
        detail: "\(entityName).\(path) has the type \(attribute.type.name), "
          + "for which no column is known")
    }
    groups[type, default: []].append(
      EntityTables.Column(
        name: names.take("Z" + attribute.name.uppercased()), declaredType: declared,
        entityName: entityName, path: path, role: .attribute))
  }

  private mutating func add(_ relationship: ManagedRelationship, entityName: String) {
    let name = relationship.name
    let key = names.take("Z" + name.uppercased())
    let entityKey = hierarchy.entityKeyNumber(of: relationship).map {
      names.take("Z\($0)_\(name.uppercased())")
    }
    append(key, entityName: entityName, path: name, role: .toOne)
    if let entityKey {
      append(entityKey, entityName: entityName, path: name, role: .entityKey)
    }
    if hierarchy.inverse(of: relationship)?.isOrdered ?? false {
      orderKeys.append(
        EntityTables.Column(
          name: names.take("Z_FOK_" + name.uppercased()), declaredType: "INTEGER",
          entityName: entityName, path: name, role: .orderKey))
    }
  }

  private mutating func append(
    _ name: String, entityName: String, path: String, role: EntitySlots.Role
  ) {
    groups[.integer, default: []].append(
      EntityTables.Column(
        name: name, declaredType: "INTEGER", entityName: entityName, path: path, role: role))
  }
}

/// Issues each name once: a name that is taken gets the lowest number that makes it unique.
///
/// As in SQLite, names that differ by case only are the same.
struct UnusedNames {
  private var taken: Set<String>
  /// The last number of each name, so that many equal names take linear time.
  private var lastNumbers: [String: Int] = [:]

  init(taken: Set<String> = []) { self.taken = Set(taken.map { $0.uppercased() }) }

  /// Returns the name, or the name with a number after it.
  mutating func take(_ name: String) -> String {
    let key = name.uppercased()
    if taken.insert(key).inserted { return name }
    var number = lastNumbers[key] ?? 0
    repeat { number += 1 } while !taken.insert(key + String(number)).inserted
    lastNumbers[key] = number
    return name + String(number)
  }
}
