/// An entity of a store: its number, table, and properties.
///
/// Unknown parts are `nil`: without a model only tables and columns are known, in an archive only the slots.
package struct EntityOutline: Sendable {
  package struct Column: Hashable, Sendable {
    package let name: String
    /// The type that it is declared with; empty where there is none.
    package let declaredType: String
  }

  /// A property, its own or an inherited one.
  package struct Property: Sendable {
    package enum Kind: String, Hashable, Sendable {
      case attribute
      case toOne
      case toMany
      /// A fetched property, or something that no model known to us has.
      case other
    }

    package let name: String
    package let kind: Kind
    /// The type of an attribute, or `nil` for other properties, and where it is not known.
    package let type: AttributeType?
    /// The definition in the model, or `nil` where only the slots are known.
    package let definition: ManagedProperty?
    /// The entity that adds it, which this one inherits from or is, or `nil` where that is not known.
    package let declaringEntityName: String?
    /// Its bits in a mask, ascending; none where the store keeps no value.
    package let slots: [Int]
    /// The numbers of its columns of tombstones; none where deleted objects do not preserve it.
    package let tombstoneSlots: [Int]
    /// Where the store keeps it; `nil` where that is not known, for a composite attribute, and for a property that the
    /// store does not keep.
    package let stored: StoredProperty?
    /// Whether the model asks for columns that are not there.
    package let lacksColumns: Bool
    /// The elements of a composite attribute.
    package let elements: [StoredProperty]
  }

  /// The name, or `nil` where the store does not name the number.
  package let name: String?
  /// The number in the store, or `nil` where the store has none.
  package let number: Int64?
  package let parentName: String?
  /// The entities that inherit from this one and no other below it.
  package let subentityNames: [String]
  /// Whether no object can be of exactly this entity, or `nil` without a model.
  package let isAbstract: Bool?
  /// Lists of properties whose values together no two objects may share.
  package let uniquenessConstraints: [[String]]
  /// The table of its objects, or `nil` if there is none.
  package let tableName: String?
  /// The columns of the table, in its order.
  package let columns: [Column]
  /// The properties in slot order, then those without a slot, or `nil` without a model.
  package let properties: [Property]?
  /// The preserved attributes, in the order of the columns of tombstones; an element of a composite attribute
  /// as `attribute.element`.
  package let tombstoneNames: [String]

  /// The name, or the number where there is no name.
  package var label: String { name ?? number.map { "#\($0)" } ?? "#?" }
}

extension EntityOutline {
  /// Creates an outline from slots alone.
  ///
  /// - Parameters:
  ///   - name: The entity's name, or `nil` where it has none.
  ///   - number: The entity's number.
  ///   - slots: The order of mask and tombstone columns, or `nil` without a model.
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
            stored: nil, lacksColumns: false, elements: [])
        }
      },
      tombstoneNames: slots?.tombstoneAttributes.map(\.name) ?? [])
  }
}

extension EntityOutline.Property.Kind {
  /// Creates the kind of a property that has such a slot.
  fileprivate init(_ role: EntitySlots.Role) {
    switch role {
    case .toOne, .entityKey, .orderKey: self = .toOne
    case .attribute: self = .attribute
    case .toMany, .manyToMany: self = .toMany
    }
  }
}
