import HistoryCoding
import StoreFormat

extension JSONWriter {
  /// Writes the members of a schema, without the brackets of an object around them; an entity a line.
  mutating func append(_ schema: SegmentSchema) {
    appendRaw("\"modelVersions\":")
    append(.array(schema.versionIdentifiers.map(JSONValue.string)))
    appendRaw(",\n\"transactionColumns\":")
    append(.array(schema.transactionColumns.map(JSONValue.string)))
    appendRaw(",\n\"changeColumns\":")
    append(.array(schema.changeColumns.map(JSONValue.string)))
    appendRaw(",\n\"entities\":[")
    for (index, entity) in schema.entities.enumerated() {
      appendRaw(index == 0 ? "\n" : ",\n")
      append(.object(entity.json))
    }
    appendRaw("]")
  }
}

extension SegmentSchema.Entity {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    if let name { object["entity"] = .string(name) }
    object["number"] = .integer(number)
    if let slots {
      object["slots"] = .array(
        slots.map { .array([.string($0.name), .string($0.role.rawValue)]) })
    }
    if let tombstone {
      object["tombstone"] = .array(
        tombstone.map { .array([.string($0.name), .integer($0.type.number)]) })
    }
    return object
  }
}

extension ManifestReader {
  /// Reads the members of a schema.
  func schema() throws(ArchiveError) -> SegmentSchema {
    var entities: [SegmentSchema.Entity] = []
    for json in try array("entities") {
      let entity = try ManifestReader(json, "entities", path: path)
      let number = try entity.integer("number")
      if let last = entities.last, last.number >= number {
        throw damaged("entities", "their numbers do not ascend")
      }
      entities.append(
        SegmentSchema.Entity(
          name: try entity.optionalString("entity"), number: number,
          slots: try slots(entity.pairs("slots")),
          tombstone: try preserved(entity.pairs("tombstone"))))
    }
    return SegmentSchema(
      versionIdentifiers: try strings("modelVersions"),
      transactionColumns: try strings("transactionColumns"),
      changeColumns: try strings("changeColumns"), entities: entities)
  }

  private func slots(
    _ pairs: [(String, JSONValue)]?
  ) throws(ArchiveError) -> [EntitySlots.Slot]? {
    guard let pairs else { return nil }
    guard pairs.count <= ArchiveFormat.mostProperties else {
      throw damaged("entities.slots", "there are more than \(ArchiveFormat.mostProperties)")
    }
    var slots: [EntitySlots.Slot] = []
    for (name, value) in pairs {
      guard case .string(let text) = value, let role = EntitySlots.Role(rawValue: text) else {
        throw damaged("entities.slots", "one has an unknown role")
      }
      slots.append(EntitySlots.Slot(name: name, role: role))
    }
    return slots
  }

  private func preserved(
    _ pairs: [(String, JSONValue)]?
  ) throws(ArchiveError) -> [SegmentSchema.PreservedAttribute]? {
    guard let pairs else { return nil }
    guard pairs.count <= ArchiveFormat.mostProperties else {
      throw damaged("entities.tombstone", "there are more than \(ArchiveFormat.mostProperties)")
    }
    var attributes: [SegmentSchema.PreservedAttribute] = []
    for (name, value) in pairs {
      guard case .integer(let number) = value else {
        throw damaged("entities.tombstone", "one has no type")
      }
      attributes.append(
        SegmentSchema.PreservedAttribute(name: name, type: AttributeType(number: number)))
    }
    return attributes
  }
}
