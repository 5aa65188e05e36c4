import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

/// The model and the tables of a store as they were when a segment was sealed.
///
/// An app's model moves on, and a migration renumbers entities; with this an old segment still
/// decodes, and can be put back by name.
package struct SegmentSchema: Hashable, Sendable {
  /// An attribute that a deleted object leaves behind.
  package struct PreservedAttribute: Hashable, Sendable {
    /// The attribute's name.
    package let name: String
    /// Its type.
    package let type: AttributeType

    /// An attribute.
    package init(name: String, type: AttributeType) {
      self.name = name
      self.type = type
    }
  }

  /// One entity.
  package struct Entity: Hashable, Sendable {
    /// The name; nil where the store gave one name to several numbers.
    package let name: String?
    /// The number in the store.
    package let number: Int64
    /// What the bits of a mask stand for, in order; nil where no model told.
    package let slots: [EntitySlots.Slot]?
    /// What a deleted object leaves behind, in the order of the tombstone columns; nil where no model
    /// told.
    package let tombstone: [PreservedAttribute]?

    /// An entity.
    package init(
      name: String?, number: Int64, slots: [EntitySlots.Slot]?, tombstone: [PreservedAttribute]?
    ) {
      self.name = name
      self.number = number
      self.slots = slots
      self.tombstone = tombstone
    }

    /// The entity as history has it.
    package var historyEntity: HistoryEntity {
      HistoryEntity(name: name, number: number, slots: entitySlots)
    }

    /// The order of mask and tombstone columns; nil where no model told.
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
  package let versionIdentifiers: [String]
  /// The columns of `ATRANSACTION`, in table order.
  package let transactionColumns: [String]
  /// The columns of `ACHANGE`, in table order.
  package let changeColumns: [String]
  /// The entities, by number.
  package let entities: [Entity]

  /// A schema.
  package init(
    versionIdentifiers: [String], transactionColumns: [String], changeColumns: [String],
    entities: [Entity]
  ) {
    self.versionIdentifiers = versionIdentifiers
    self.transactionColumns = transactionColumns
    self.changeColumns = changeColumns
    self.entities = entities
  }

  /// The schema of a store as it is now.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
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

  /// The entities as readers of lines need them.
  package func historySchema() -> HistorySchema {
    HistorySchema(entities: entities.map(\.historyEntity))
  }

  /// The entity with a name.
  package func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

  /// A digest of it all: where two are the same, rows can be put back as they were.
  package var digest: ArchiveDigest {
    var writer = JSONWriter()
    writer.append(self)
    return writer.withUnsafeBytes { ArchiveDigest(of: $0) }
  }
}
