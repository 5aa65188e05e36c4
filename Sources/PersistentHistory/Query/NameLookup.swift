import StoreFormat

/// Finds entities and attributes by name, and suggests similar names for unknown ones.
package struct NameLookup {
  let schema: HistorySchema

  package init(schema: HistorySchema) { self.schema = schema }

  /// Returns the number of an entity, by its name or, for one without a name, by the number itself.
  package func entityNumber(_ name: String) throws(HistoryError) -> Int64 {
    if let number = schema.entity(named: name)?.number { return number }
    if let number = Int64(name), schema.entity(number: number).name == nil { return number }
    throw .unknownEntity(
      name: name, suggestions: NearNames.of(name, in: schema.entities.compactMap(\.name)))
  }

  /// Returns the slots of some attributes in every candidate that has one of them.
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

/// Suggests similar names for an unknown one.
package enum NearNames {
  private static let maxSuggestions = 3

  /// Returns the names that a mistyped one may have meant, the nearest first.
  package static func of(_ name: String, in names: [String]) -> [String] {
    let wanted = name.lowercased().prefix(64)
    return
      names
      .filter { $0.utf8.count <= 256 }
      .map { (name: $0, distance: distance(wanted, $0.lowercased().prefix(64))) }
      .filter { $0.distance <= max(1, wanted.count / 3) || $0.name.lowercased().hasPrefix(wanted) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(maxSuggestions).map(\.name)
  }

  /// Returns how many characters must be inserted, deleted, replaced or, of two neighbours, swapped.
  private static func distance(_ left: Substring, _ right: Substring) -> Int {
    let (left, right) = (Array(left), Array(right))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
