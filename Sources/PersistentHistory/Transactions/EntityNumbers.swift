import StoreEditing

/// Finds the numbers that entities of an archive have in the schema of a timeline.
struct EntityNumbers {
  /// More entities than models have; an archive may name ever new ones.
  private static let mostKnown = 10_000
  /// The first of the numbers for entities that the schema does not know, or that have no name and a
  /// number that means another one here.
  private static let firstForeign: Int64 = 1 << 41

  private let schema: HistorySchema
  private var known: [ObjectIdentifier: (entity: HistoryEntity, number: Int64)] = [:]
  private var last: (entity: HistoryEntity, number: Int64)?
  private var foreignNumbers: [HistoryEntity: Int64] = [:]
  private var foreignEntities: [Int64: HistoryEntity] = [:]

  init(schema: HistorySchema) { self.schema = schema }

  /// The number of an entity; nil for one that has neither name nor number, or is one too many.
  mutating func number(of entity: HistoryEntity) -> Int64? {
    if let last, last.entity === entity { return last.number }
    if let known = known[ObjectIdentifier(entity)] {
      last = known
      return known.number
    }
    guard let number = find(entity) else { return nil }
    last = (entity, number)
    // The decoder makes an entity without a name anew for each change.
    if entity.name != nil, known.count < Self.mostKnown {
      known[ObjectIdentifier(entity)] = (entity, number)
    }
    return number
  }

  private mutating func find(_ entity: HistoryEntity) -> Int64? {
    if let name = entity.name, let number = schema.entity(named: name)?.number { return number }
    if entity.name == nil {
      guard let number = entity.number else { return nil }
      if schema.entity(number: number).name == nil { return number }
    }
    if let known = foreignNumbers[entity] { return known }
    guard foreignNumbers.count < Self.mostKnown else { return nil }
    let foreign = Self.firstForeign + Int64(foreignNumbers.count)
    foreignNumbers[entity] = foreign
    foreignEntities[foreign] = entity
    return foreign
  }

  /// The entity to which this has given a number.
  func foreign(_ number: Int64) -> HistoryEntity? { foreignEntities[number] }
}
