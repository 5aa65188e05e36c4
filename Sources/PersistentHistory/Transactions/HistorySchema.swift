import StoreEditing
import StoreFormat

/// The entities of a store's history, by number and by name.
///
/// A migration renumbers the history it keeps, so the store's present model is the right one for
/// every mask in the file.
public struct HistorySchema: Sendable {
  /// The entities that have a number, in ascending order, and of each number the first.
  private let byNumber: [(number: Int64, entity: HistoryEntity)]
  private let byName: [String: HistoryEntity]
  /// Properties that entities had in former models, by the entities' names.
  private var formerProperties: [String: Set<String>] = [:]

  /// A schema of the given entities.
  package init(entities: [HistoryEntity]) {
    var numbered: [(number: Int64, entity: HistoryEntity)] = []
    // Of equal numbers the first counts.
    let sorted = entities.enumerated().compactMap { place, entity in
      entity.number.map { (number: $0, place: place, entity: entity) }
    }.sorted { ($0.number, $0.place) < ($1.number, $1.place) }
    for entry in sorted where numbered.last?.number != entry.number {
      numbered.append((entry.number, entry.entity))
    }
    byNumber = numbered
    byName = Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The first of the numbers of entities that a store does not know; none of its own is as high.
  private static let firstForeignNumber: Int64 = 1 << 40

  /// The entities of a store with those that only an archive of its history still knows.
  ///
  /// These get numbers that no row of the store has. Without a store, the newest entities of the
  /// archive keep theirs.
  ///
  /// - Parameters:
  ///   - store: The entities of the store; nil where there is none.
  ///   - archived: The entities of the archive, those of the newest model first.
  init(_ store: HistorySchema?, and archived: [HistoryEntity]) {
    var entities = store?.byNumber.map(\.entity) ?? []
    var known = store?.byName ?? [:]
    var numbers = Set(entities.compactMap(\.number))
    var former: [String: Set<String>] = [:]
    var next = Self.firstForeignNumber
    for entity in archived {
      guard let name = entity.name else { continue }
      if known[name] != nil {
        former[name, default: []].formUnion(entity.slots?.slots.map(\.name) ?? [])
        continue
      }
      if store == nil, let number = entity.number, numbers.insert(number).inserted {
        known[name] = entity
      } else {
        known[name] = HistoryEntity(name: name, number: next, slots: entity.slots)
        next += 1
      }
      if let entity = known[name] { entities.append(entity) }
    }
    self.init(entities: entities)
    formerProperties = former
  }

  /// The entities that a store names, without their slots: masks and tombstones stay numbers.
  ///
  /// The model is not read, which for a large one takes longer than the last few transactions.
  package init(namesOf entities: EntityNumbering) {
    self.init(
      entities: entities.modelEntries.map { entry in
        HistoryEntity(name: entities.name(of: entry.number), number: entry.number)
      })
  }

  /// The schema of a store, as much of it as the store tells.
  public init(_ snapshot: StoreSnapshot) throws {
    let slots = try snapshot.modelCache().model.map(LazySlots.init)
    self.init(
      entities: snapshot.entities.modelEntries.map { entry in
        guard let name = snapshot.entities.name(of: entry.number), let slots else {
          return HistoryEntity(name: snapshot.entities.name(of: entry.number), number: entry.number)
        }
        return HistoryEntity(name: name, number: entry.number, source: slots)
      })
  }

  /// The entities that have a name, by name.
  package var entities: [HistoryEntity] {
    byName.values.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }

  /// The entity with a number; one without a name where the store does not know it.
  package func entity(number: Int64) -> HistoryEntity {
    let place = Self.place(of: number, in: byNumber)
    guard place < byNumber.count, byNumber[place].number == number else {
      return HistoryEntity(name: nil, number: number)
    }
    return byNumber[place].entity
  }

  /// How many of the entities have a lower number.
  private static func place(
    of number: Int64, in entities: [(number: Int64, entity: HistoryEntity)]
  ) -> Int {
    var range = 0..<entities.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        entities[middle].number < number
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// The names of properties that an entity had in models before.
  func formerProperties(of entity: HistoryEntity) -> Set<String> {
    formerProperties.isEmpty ? [] : entity.name.flatMap { formerProperties[$0] } ?? []
  }

  /// The entity with a name.
  package func entity(named name: String) -> HistoryEntity? { byName[name] }
}
