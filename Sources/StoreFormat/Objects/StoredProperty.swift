/// A property that a store keeps of the objects of an entity: what the model says of it, the columns that hold it, and
/// its slots.
///
/// An element of a composite attribute is a property of its own.
package final class StoredProperty: Sendable {
  /// The columns that hold a property.
  package enum Storage: Hashable, Sendable {
    /// A value, in a column of the object.
    case value(EntityTables.Column)
    /// A to-one relationship, in columns of the object.
    case columns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// A to-many relationship, in the columns of its inverse in the objects at the other end.
    case inverseColumns(
      key: EntityTables.Column, entityKey: EntityTables.Column?, orderKey: EntityTables.Column?)
    /// A to-many relationship, in a column of the objects at the other end, which have no relationship for it.
    case hidden(EntityTables.Column)
    /// A to-many relationship, in a table of pairs.
    case join(JoinTable, JoinTable.End)
  }

  /// The entity that adds it.
  package let entityName: String
  /// The name; an element of a composite attribute is named `attribute.element`.
  package let path: String
  /// The attribute, or the element of a composite one; `nil` for a relationship.
  package let attribute: ManagedAttribute?
  /// The relationship; `nil` for an attribute.
  package let relationship: ManagedRelationship?
  /// The inverse of a relationship.
  package let inverse: ManagedRelationship?
  /// Where it is kept; `nil` if there are no columns for it.
  package let storage: Storage?
  /// The table that has the columns.
  package let table: String?
  /// Its bits in a mask, ascending; none where the order of slots is not known.
  package let slots: [Int]
  /// The number of its column of tombstones; `nil` where deleted objects do not preserve it.
  package let tombstoneSlot: Int?

  package let isToMany: Bool
  /// The entity at the other end of a relationship; empty for an attribute.
  package let destinationName: String
  /// The kind of its values.
  package let kind: RecordedValue.Kind
  /// Whether values may be in files of their own.
  package let keepsLargeValues: Bool

  /// The column of its value or key in the object's own row; empty if there is none.
  package let columnName: String

  private init(
    _ entityName: String, _ path: String, _ definition: ManagedProperty,
    inverse: ManagedRelationship?, _ storage: Storage?, in table: String?,
    slots: [Int], tombstoneSlot: Int?
  ) {
    self.entityName = entityName
    self.path = path
    switch storage {
    case .value(let column), .columns(let column, _, _): columnName = column.name
    case .inverseColumns, .hidden, .join, nil: columnName = ""
    }
    attribute = definition.attribute
    relationship = definition.relationship
    self.inverse = inverse
    self.storage = storage
    self.table = storage == nil ? nil : table
    self.slots = slots
    self.tombstoneSlot = tombstoneSlot
    isToMany = relationship?.isToMany ?? false
    destinationName = relationship?.destinationName ?? ""
    kind = attribute.map { RecordedValue.Kind($0.type) } ?? (isToMany ? .other : .object)
    keepsLargeValues = attribute?.keepsLargeValues ?? false
  }

  /// A column of a table of which no model is known.
  convenience init(column name: String, of table: String) {
    let column = EntityTables.Column(
      name: name, declaredType: "", entityName: "", path: name, role: .attribute)
    self.init(
      "", name, .attribute(ManagedAttribute(name: name, type: .undefined)), inverse: nil,
      .value(column), in: table, slots: [], tombstoneSlot: nil)
  }

  /// An attribute, or an element of a composite one.
  convenience init(
    _ attribute: ManagedAttribute, _ path: String, of entityName: String, _ tables: EntityTables?,
    slots: [Int], tombstoneSlot: Int?
  ) {
    self.init(
      entityName, path, .attribute(attribute), inverse: nil,
      tables?.attributeColumn(path, declaredIn: entityName).map(Storage.value),
      in: tables?.table(of: entityName)?.name, slots: slots, tombstoneSlot: tombstoneSlot)
  }

  package convenience init(
    _ relationship: ManagedRelationship, of entityName: String, _ model: ManagedModel,
    _ tables: EntityTables?, slots: [Int] = []
  ) {
    let name = relationship.name
    let destination = relationship.destinationName ?? ""
    let back = relationship.inverseName.flatMap { model.declaringEntity(of: $0, in: destination) }
    let inverse = relationship.inverseName.flatMap { back?.propertiesByName[$0]?.relationship }
    let storage: Storage?
    if !relationship.isToMany {
      storage = tables?.toOneColumns(name, declaredIn: entityName)
        .map { .columns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else if let inverse, let back {
      storage =
        inverse.isToMany
        ? tables?.joinTable(name, declaredIn: entityName).map {
          .join($0, JoinTable.End(entityName: entityName, relationshipName: name))
        }
        : tables?.toOneColumns(inverse.name, declaredIn: back.name)
          .map { .inverseColumns(key: $0.key, entityKey: $0.entityKey, orderKey: $0.orderKey) }
    } else {
      storage = tables?.hiddenColumn(of: name, declaredIn: entityName).map(Storage.hidden)
    }
    let table: String? =
      if case .join(let join, _)? = storage {
        join.name
      } else {
        tables?.table(of: relationship.isToMany ? destination : entityName)?.name
      }
    self.init(
      entityName, name, .relationship(relationship), inverse: inverse, storage, in: table,
      slots: slots, tombstoneSlot: nil)
  }

  /// Returns the property as tables have it that may lack columns of the model.
  ///
  /// - Parameter columns: Returns the columns of a table.
  func present(in columns: (_ table: String) throws -> Set<String>) rethrows -> StoredProperty {
    guard let storage, let table else { return self }
    let present = try columns(table)
    func kept(_ column: EntityTables.Column?) -> EntityTables.Column? {
      column.flatMap { present.contains($0.name) ? $0 : nil }
    }
    let found: Storage? =
      switch storage {
      case .value(let column): kept(column).map(Storage.value)
      case .columns(let key, let entityKey, let orderKey):
        kept(key).map {
          .columns(key: $0, entityKey: kept(entityKey), orderKey: kept(orderKey))
        }
      case .inverseColumns(let key, let entityKey, let orderKey):
        kept(key).map {
          .inverseColumns(key: $0, entityKey: kept(entityKey), orderKey: kept(orderKey))
        }
      case .hidden(let column): kept(column).map(Storage.hidden)
      case .join(let join, let end): join.present(in: present).map { .join($0, end) }
      }
    guard found != storage else { return self }
    return StoredProperty(
      entityName, path, definition, inverse: inverse, found, in: table, slots: slots,
      tombstoneSlot: tombstoneSlot)
  }

  private var definition: ManagedProperty {
    attribute.map(ManagedProperty.attribute) ?? relationship.map(ManagedProperty.relationship)
      ?? .other(name: path, isTransient: false)
  }
}

extension StoredProperty {
  /// The name of the attribute or relationship: of an element that of the whole.
  package var name: String { attribute == nil ? path : ManagedAttribute.propertyName(ofPath: path) }

  package var property: EntityTables.Property {
    EntityTables.Property(entityName: entityName, path: path)
  }

  package var isOptional: Bool { attribute?.isOptional ?? relationship?.isOptional ?? true }
  package var isOrdered: Bool { relationship?.isOrdered ?? false }
  package var deleteRule: ManagedRelationship.DeleteRule { relationship?.deleteRule ?? .noAction }

  /// Whether the attribute refuses `NULL`. Elements of a composite attribute are present or missing as a whole.
  package var isRequired: Bool { attribute.map { !$0.isOptional && !isElement } ?? false }

  /// Whether it is an element of a composite attribute.
  package var isElement: Bool { attribute != nil && path.contains(".") }

  /// The columns of the object's own row that make up the value: one, and for a to-one relationship perhaps that of
  /// the number of the destination's entity.
  package var columns: [EntityTables.Column] {
    switch storage {
    case .value(let column): [column]
    case .columns(let key, let entityKey, _): [key] + [entityKey].compactMap { $0 }
    case .inverseColumns, .hidden, .join, nil: []
    }
  }

  /// All columns that hold it: those of a to-one relationship in the order of its slots, those of a pair with the one
  /// first that has the object's own key.
  package var allColumnNames: [String] {
    switch storage {
    case .value(let column), .hidden(let column): return [column.name]
    case .columns(let key, let entityKey, let orderKey):
      return [key, entityKey, orderKey].compactMap { $0?.name }
    case .inverseColumns(let key, _, let orderKey):
      return [key, isOrdered ? orderKey : nil].compactMap { $0?.name }
    case .join(let join, let end):
      let columns = join.columns(from: end)
      return [columns.owner, columns.member, columns.order].compactMap { $0 }
    case nil: return []
    }
  }

  /// Interprets the values of ``columns``; `nil` where they neither are a value nor name a file.
  package func content(
    _ value: StoredValue, _ entityNumber: StoredValue?, _ numbering: EntityNumbering
  ) -> ColumnContent? {
    guard let attribute else {
      return .object(destination(value.integerIfAny, entityNumber?.integerIfAny, numbering))
    }
    // A column may keep a date of whole seconds as an integer.
    guard keepsLargeValues, case .blob(let bytes) = value else {
      return .value(attribute.type.restoring(value))
    }
    return switch try? LargeValueColumn(bytes) {
    case .inline(let bytes): .value(.blob(bytes))
    case .file(let name): .file(name)
    case nil: nil
    }
  }
}

extension StoredProperty {
  /// Returns the object that a to-one relationship leads to; `nil` if it leads nowhere.
  ///
  /// - Parameters:
  ///   - key: Its primary key.
  ///   - entityNumber: The number of its entity, if there is a column for it.
  func destination(
    _ key: Int64?, _ entityNumber: Int64?, _ numbering: EntityNumbering
  ) -> StoreObject? {
    key.map {
      StoreObject(
        entityName: entityNumber.flatMap(numbering.name) ?? destinationName, primaryKey: $0)
    }
  }
}

extension StoredValue {
  fileprivate var integerIfAny: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }
}

/// What the columns of a property hold.
package enum ColumnContent {
  case value(StoredValue)
  /// A large value in a file of its own.
  case file(LargeValueName)
  /// The destination of a to-one relationship; `nil` if it leads nowhere.
  case object(StoreObject?)

  /// Returns the content as it is recorded; `nil` if it is in a file that cannot be read.
  ///
  /// - Parameter file: Reads a file of a large value.
  package func recorded(file: (LargeValueName) -> [UInt8]?) -> RecordedContent? {
    switch self {
    case .value(let value): RecordedContent(value)
    case .file(let name): file(name).map { RecordedContent(.blob($0)) }
    case .object(let object):
      .value(object.map { .text("\($0.entityName)/p\($0.primaryKey ?? 0)") } ?? .null)
    }
  }
}
