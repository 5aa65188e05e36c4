/// An entity as its store has it: number, table, and what the model says of its properties.
///
/// What is not known is nil: a store without a model tells tables and columns only, an archive of its
/// history only the slots.
package struct EntityOutline: Hashable, Sendable {
  /// A column of a table.
  package struct Column: Hashable, Sendable {
    /// The column's name.
    package let name: String
    /// The type that it is declared with; empty where there is none.
    package let declaredType: String
  }

  /// Where a property stands: columns of the entity's own table, of the one at the other end of a
  /// relationship, or of a table of pairs.
  package struct Place: Hashable, Sendable {
    /// The table.
    package let table: String
    /// The columns: those of a to-one relationship in the order of its slots, those of a pair with the
    /// one first that holds the object's own key.
    package let columns: [String]
  }

  /// An element of a composite attribute.
  package struct Element: Hashable, Sendable {
    /// The element, named `attribute.element`.
    package let attribute: ManagedAttribute
    /// Its bit in a mask; nil where the order of slots is not known, or the store keeps no value.
    package let slot: Int?
    /// The number of its column of tombstones; nil where a deleted object leaves nothing behind.
    package let tombstoneSlot: Int?
    /// Where it stands; nil where that is not known or not there.
    package let place: Place?
  }

  /// A property, its own or an inherited one.
  package struct Property: Hashable, Sendable {
    /// What a property is.
    package enum Kind: String, Hashable, Sendable {
      /// A value.
      case attribute
      /// A link to one object.
      case toOne
      /// A link to any number of objects.
      case toMany
      /// A fetched property, or something that no model known to us has.
      case other
    }

    /// The name.
    package let name: String
    /// What it is.
    package let kind: Kind
    /// The type of an attribute; nil for other properties, and where it is not known.
    package let type: AttributeType?
    /// What the model says; nil where only the slots are known.
    package let definition: ManagedProperty?
    /// The entity that adds it, which this one inherits from or is; nil where that is not known.
    package let declaringEntityName: String?
    /// Its bits in a mask, ascending; none where the store keeps no value.
    package let slots: [Int]
    /// The numbers of its columns of tombstones; none where a deleted object leaves nothing behind.
    package let tombstoneSlots: [Int]
    /// Where it stands; nil where that is not known or not there.
    package let place: Place?
    /// Whether the model asks for columns that are not there.
    package let lacksColumns: Bool
    /// The elements of a composite attribute.
    package let elements: [Element]
  }

  /// The name; nil where the store does not name the number.
  package let name: String?
  /// The number in the store; nil where the store has none.
  package let number: Int64?
  /// The entity that this one inherits from.
  package let parentName: String?
  /// The entities that inherit from this one and no other below it.
  package let subentityNames: [String]
  /// Whether no object can be of exactly this entity; nil where no model tells.
  package let isAbstract: Bool?
  /// Lists of properties whose values together no two objects may share.
  package let uniquenessConstraints: [[String]]
  /// The table that its objects stand in; nil where there is none.
  package let tableName: String?
  /// The columns of the table, in its order.
  package let columns: [Column]
  /// The properties, in the order of their slots and those without one behind; nil where no model tells.
  package let properties: [Property]?
  /// What a deleted object leaves behind, in the order of the columns of tombstones; an element of a
  /// composite attribute as `attribute.element`.
  package let tombstoneNames: [String]

  /// The name, or the number where there is no name.
  package var label: String { name ?? number.map { "#\($0)" } ?? "#?" }
}

extension EntityOutline {
  /// What slots alone tell of an entity.
  ///
  /// - Parameters:
  ///   - name: The entity's name; nil where it has none.
  ///   - number: The entity's number.
  ///   - slots: The order of mask and tombstone columns; nil where no model told.
  package init(name: String?, number: Int64, slots: EntitySlots?) {
    self.init(
      name: name, number: number, parentName: nil, subentityNames: [], isAbstract: nil,
      uniquenessConstraints: [], tableName: nil, columns: [],
      properties: slots.map { slots in
        let places = SlotPlaces(slots)
        return places.names.map { name in
          let own = places.slots(of: name)
          let tombstones = places.tombstoneSlots(of: name)
          let kind = own.first.map { Property.Kind(slots.slots[$0].role) } ?? .attribute
          return Property(
            name: name, kind: kind,
            type: kind == .attribute && own.count == 1
              ? tombstones.first.map { slots.tombstoneAttributes[$0].type } : nil,
            definition: nil, declaringEntityName: nil, slots: own, tombstoneSlots: tombstones,
            place: nil, lacksColumns: false, elements: [])
        }
      },
      tombstoneNames: slots?.tombstoneAttributes.map(\.name) ?? [])
  }
}

extension EntityOutline.Property.Kind {
  /// What a property with such a slot is.
  fileprivate init(_ role: EntitySlots.Role) {
    switch role {
    case .toOne, .entityKey, .orderKey: self = .toOne
    case .attribute: self = .attribute
    case .toMany, .manyToMany: self = .toMany
    }
  }
}
