import StoreEditing
import StoreFormat

/// Finds entities and attributes by name, and near names where there is none.
package struct NameLookup {
  let schema: HistorySchema

  /// Looks into a schema.
  package init(schema: HistorySchema) { self.schema = schema }

  /// The number of an entity, by its name or, for one without a name, by the number itself.
  package func entityNumber(_ name: String) throws(HistoryError) -> Int64 {
    if let number = schema.entity(named: name)?.number { return number }
    if let number = Int64(name), schema.entity(number: number).name == nil { return number }
    throw .unknownEntity(
      name: name, suggestions: NearNames.of(name, in: schema.entities.compactMap(\.name)))
  }

  /// The slots of some attributes in every candidate that has one of them.
  func slots(
    of attributes: [String], among candidates: [HistoryEntity]
  ) throws(HistoryError) -> [ChangeSelection.Slots] {
    var known = Set(candidates.flatMap { $0.slots?.slots.map(\.name) ?? [] })
    for candidate in candidates { known.formUnion(schema.formerProperties(of: candidate)) }
    if let missing = attributes.first(where: { !known.contains($0) }) {
      throw .unknownAttribute(
        name: missing, suggestions: NearNames.of(missing, in: known.sorted()))
    }
    return candidates.compactMap { entity in
      guard let number = entity.number, let slots = entity.slots else { return nil }
      let indices = attributes.flatMap(slots.indices(of:))
      guard !indices.isEmpty else { return nil }
      return ChangeSelection.Slots(
        entityNumber: number, slotCount: slots.slots.count, slots: indices)
    }
  }
}
