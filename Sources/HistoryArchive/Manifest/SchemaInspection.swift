import PersistentHistory
import StoreFormat

/// Finds what contradicts itself in the schema of a manifest.
///
/// A schema whose digests are right may still have been changed. What the lines do not show, such as a name that
/// none of them uses, is compared with the rules by which the frameworks lay out tables, masks and tombstones.
struct SchemaInspection {
  /// The contradictions, in words.
  private(set) var problems: [String] = []

  /// The columns that the history tables of every framework have.
  private static let columns = (
    transaction: ["Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP", "ZQUERYGEN"]
      + StringRole.allCases.map(\.plainColumn),
    change: [
      "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]
  )
  /// The maximum number of problems.
  private static let limit = 10

  init(_ schema: SegmentSchema) {
    inspect(schema.transactionColumns, "transactionColumns", Self.columns.transaction)
    inspect(schema.changeColumns, "changeColumns", Self.columns.change)
    // Frameworks since 2018 intern all four texts, and those before none.
    let interned = StringRole.allCases.map(\.identifierColumn)
    let present = interned.filter(schema.transactionColumns.contains)
    if let one = present.first, let missing = interned.first(where: { !present.contains($0) }) {
      add("transactionColumns has \(one) and no \(missing)")
    }
    let slots = schema.changeColumns.compactMap(TombstoneColumn.number)
    if let missing = (0..<slots.count).first(where: { !slots.contains($0) }) {
      add("changeColumns has \(slots.count) columns of tombstones, and no ZTOMBSTONE\(missing)")
    }
    var names: Set<String> = []
    for entity in schema.entities {
      if let name = entity.name, !names.insert(name).inserted {
        add("two entities are named \(name)")
      }
      inspect(entity)
    }
  }

  private mutating func add(_ problem: String) {
    if problems.count < Self.limit { problems.append(problem) }
  }

  private mutating func inspect(_ columns: [String], _ key: String, _ required: [String]) {
    for column in required where !columns.contains(column) {
      add("\(key) has no \(column), which every history table has")
    }
    var known: Set<String> = []
    for column in columns where !known.insert(column.uppercased()).inserted {
      add("\(key) has \(column) twice")
    }
  }

  private mutating func inspect(_ entity: SegmentSchema.Entity) {
    let label = entity.name ?? "#\(entity.number)"
    guard let slots = entity.slots, let tombstone = entity.tombstone else {
      if entity.slots != nil || entity.tombstone != nil {
        add("\(label) has only one of slots and tombstone")
      }
      return
    }
    let order: [EntitySlots.Role] = [
      .toOne, .entityKey, .orderKey, .attribute, .toMany, .manyToMany,
    ]
    let places = slots.map { order.firstIndex(of: $0.role) ?? 0 }
    if zip(places, places.dropFirst()).contains(where: { $0 > $1 }) {
      add("the slots of \(label) are not in the order of their kinds")
    }
    let keys = Set(slots.lazy.filter { $0.role == .toOne }.map(\.name))
    for slot in slots where slot.role == .entityKey || slot.role == .orderKey {
      if !keys.contains(slot.name) {
        add("\(label).\(slot.name) has a slot of the kind \(slot.role.rawValue), and no key")
      }
    }
    // Attributes are preserved in the order of their slots.
    let attributes = slots.filter { $0.role == .attribute }.map(\.name)
    var rest = attributes[...]
    for attribute in tombstone {
      let property =
        attributes.contains(attribute.name)
        ? attribute.name : ManagedAttribute.propertyName(ofPath: attribute.name)
      guard let place = rest.firstIndex(of: property) else {
        add(
          "the tombstone of \(label) has \(attribute.name), which is not an attribute in its slots there"
        )
        return
      }
      rest = rest[place...]
    }
  }
}
