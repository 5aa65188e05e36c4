import HistoryCoding
import PersistentHistory
import StoreFormat

/// The model and the tables of a store as they were when a segment was sealed.
///
/// An app's model moves on, and a migration renumbers entities; with this an old segment still
/// decodes, and can be put back by name.
public struct SegmentSchema: Hashable, Sendable {
  /// An attribute that a deleted object leaves behind.
  public struct PreservedAttribute: Hashable, Sendable {
    /// The attribute's name.
    public let name: String
    /// Its type.
    public let type: AttributeType

    /// An attribute.
    public init(name: String, type: AttributeType) {
      self.name = name
      self.type = type
    }
  }

  /// One entity.
  public struct Entity: Hashable, Sendable {
    /// The name; nil where the store gave one name to several numbers.
    public let name: String?
    /// The number in the store.
    public let number: Int64
    /// What the bits of a mask stand for, in order; nil where no model told.
    public let slots: [EntitySlots.Slot]?
    /// What a deleted object leaves behind, in the order of the tombstone columns; nil where no model
    /// told.
    public let tombstone: [PreservedAttribute]?

    /// An entity.
    public init(
      name: String?, number: Int64, slots: [EntitySlots.Slot]?, tombstone: [PreservedAttribute]?
    ) {
      self.name = name
      self.number = number
      self.slots = slots
      self.tombstone = tombstone
    }

    /// The entity as history has it.
    public var historyEntity: HistoryEntity {
      HistoryEntity(name: name, number: number, slots: entitySlots)
    }

    /// The order of mask and tombstone columns; nil where no model told.
    public var entitySlots: EntitySlots? {
      guard let slots, let tombstone else { return nil }
      return EntitySlots(
        slots: slots,
        tombstoneAttributes: tombstone.map {
          ManagedAttribute(name: $0.name, type: $0.type, preservesValueOnDeletion: true)
        })
    }
  }

  /// The identifiers of the model's version, such as `1.0.0` for a SwiftData schema.
  public let versionIdentifiers: [String]
  /// The columns of `ATRANSACTION`, in table order.
  public let transactionColumns: [String]
  /// The columns of `ACHANGE`, in table order.
  public let changeColumns: [String]
  /// The entities, by number.
  public let entities: [Entity]

  /// A schema.
  public init(
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
  public init(_ snapshot: StoreSnapshot) throws {
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
  public func historySchema() -> HistorySchema {
    HistorySchema(entities: entities.map(\.historyEntity))
  }

  /// The entity with a name.
  public func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

  /// A digest of it all: where two are the same, rows can be put back as they were.
  public var digest: ArchiveDigest {
    var writer = JSONWriter()
    writer.append(self)
    return writer.withUnsafeBytes { ArchiveDigest(of: $0) }
  }
}
