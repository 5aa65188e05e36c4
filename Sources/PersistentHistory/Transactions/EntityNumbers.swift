/// Finds the numbers that entities of an archive have in the schema of a timeline.
struct EntityNumbers {
  /// More entities than models have; an archive may name ever new ones.
  private static let mostKnown = 10_000
  /// The first of the numbers for entities without a name whose own number means another one here.
  private static let firstNameless: Int64 = 1 << 41

  private let schema: HistorySchema
  private var known: [ObjectIdentifier: (entity: HistoryEntity, number: Int64)] = [:]
  private var last: (entity: HistoryEntity, number: Int64)?
  private var namelessNumbers: [Int64: Int64] = [:]
  private var namelessEntities: [Int64: HistoryEntity] = [:]

  init(schema: HistorySchema) { self.schema = schema }

  /// The number of an entity; nil for one that has neither name nor number.
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
    guard let number = entity.number else { return nil }
    guard entity.name != nil || schema.entity(number: number).name != nil else { return number }
    if let known = namelessNumbers[number] { return known }
    let foreign = Self.firstNameless + Int64(namelessNumbers.count)
    namelessNumbers[number] = foreign
    namelessEntities[foreign] = entity
    return foreign
  }

  /// The entity of a number that this has given to one without a name.
  func nameless(_ number: Int64) -> HistoryEntity? { namelessEntities[number] }
}
