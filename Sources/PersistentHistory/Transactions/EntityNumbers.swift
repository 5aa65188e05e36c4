/// Maps entities of an archive to the numbers of a timeline's schema.
struct EntityNumbers {
  /// More entities than any model has: a hostile archive may name new ones without end.
  private static let maxKnown = 10_000
  /// The first number for entities that the schema does not have, or that have no name and a number of
  /// another entity here.
  private static let firstForeign: Int64 = 1 << 41

  private let schema: HistorySchema
  private var known: [ObjectIdentifier: (entity: HistoryEntity, number: Int64)] = [:]
  private var last: (entity: HistoryEntity, number: Int64)?
  private var foreignNumbers: [HistoryEntity: Int64] = [:]
  private var foreignEntities: [Int64: HistoryEntity] = [:]

  init(schema: HistorySchema) { self.schema = schema }

  /// Returns the number of an entity, or `nil` for one without name and number, or beyond the limit.
  mutating func number(of entity: HistoryEntity) -> Int64? {
    if let last, last.entity === entity { return last.number }
    if let known = known[ObjectIdentifier(entity)] {
      last = known
      return known.number
    }
    guard let number = find(entity) else { return nil }
    last = (entity, number)
    // The decoder makes a new entity without a name for each change.
    if entity.name != nil, known.count < Self.maxKnown {
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
    guard foreignNumbers.count < Self.maxKnown else { return nil }
    let foreign = Self.firstForeign + Int64(foreignNumbers.count)
    foreignNumbers[entity] = foreign
    foreignEntities[foreign] = entity
    return foreign
  }

  /// Returns the entity with a number that this has assigned.
  func foreign(_ number: Int64) -> HistoryEntity? { foreignEntities[number] }
}
