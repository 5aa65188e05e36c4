import HistoryCoding
import PersistentHistory
import StoreFormat

/// The model and the history tables of a store when a segment was sealed.
///
/// An app's model changes, and a migration renumbers entities. With its schema an old segment still
/// decodes, and its changes can be restored by name.
package struct SegmentSchema: Hashable, Sendable {
  /// An attribute whose value a deleted object leaves behind.
  struct PreservedAttribute: Hashable, Sendable {
    let name: String
    let type: AttributeType
  }

  package struct Entity: Hashable, Sendable {
    /// The name; `nil` if the store has several entities of that name.
    package internal(set) var name: String?
    package internal(set) var number: Int64 = 0
    /// The properties that the bits of a mask stand for, or `nil` without a model.
    var slots: [EntitySlots.Slot]?
    /// The attributes of the tombstone columns, or `nil` without a model.
    var tombstone: [PreservedAttribute]?

    package var historyEntity: HistoryEntity {
      HistoryEntity(name: name, number: number, slots: entitySlots)
    }

    package var entitySlots: EntitySlots? {
      guard let slots, let tombstone else { return nil }
      return EntitySlots(
        slots: slots,
        tombstoneAttributes: tombstone.map {
          ManagedAttribute(name: $0.name, type: $0.type, preservesValueOnDeletion: true)
        })
    }
  }

  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  package internal(set) var versionIdentifiers: [String] = []
  /// The columns of `ATRANSACTION`, in table order.
  var transactionColumns: [String] = []
  /// The columns of `ACHANGE`, in table order.
  var changeColumns: [String] = []
  /// The entities, by number.
  package internal(set) var entities: [Entity] = []

  /// The number of slots and tombstone attributes of all entities.
  var propertyCount: Int {
    entities.reduce(0) { $0 + ($1.slots?.count ?? 0) + ($1.tombstone?.count ?? 0) }
  }
}

extension SegmentSchema {
  /// Reads the schema that a store has now.
  package init(_ snapshot: StoreSnapshot) throws {
    let tables = try snapshot.historyTables()
    let schema = try HistorySchema(snapshot)
    var entities: [Entity] = []
    for entry in snapshot.entities.modelEntries where entities.last?.number != entry.number {
      let entity = schema.entity(number: entry.number)
      let slots = entity.slots
      entities.append(
        Entity(
          name: entity.name, number: entry.number, slots: slots?.slots,
          tombstone: slots?.tombstoneAttributes.map {
            PreservedAttribute(name: $0.name, type: $0.type)
          }))
    }
    self.init(
      versionIdentifiers: snapshot.metadata.modelVersionIdentifiers,
      transactionColumns: tables.transactionColumns, changeColumns: tables.changeColumns,
      entities: entities)
  }
}
