import StoreFormat

/// The entities of a store's history, by number and by name.
///
/// A migration renumbers the history that it keeps, so the store's current model applies to every mask in
/// the file.
public struct HistorySchema: Sendable {
  /// The entities with a number, ascending, each number once.
  private let byNumber: [(number: Int64, entity: HistoryEntity)]
  private let byName: [String: HistoryEntity]
  /// Properties that entities had in former models, by the entities' names.
  private var formerProperties: [String: Set<String>] = [:]

  package init(entities: [HistoryEntity]) {
    var numbered: [(number: Int64, entity: HistoryEntity)] = []
    // The first entity with a number counts.
    let sorted = entities.enumerated().compactMap { place, entity in
      entity.number.map { (number: $0, place: place, entity: entity) }
    }.sorted { ($0.number, $0.place) < ($1.number, $1.place) }
    for entry in sorted where numbered.last?.number != entry.number {
      numbered.append((entry.number, entry.entity))
    }
    byNumber = numbered
    byName = Dictionary(
      keepingFirst: entities.compactMap { entity in entity.name.map { ($0, entity) } })
  }

  /// The first number for entities that the store does not have; higher than any of its own.
  private static let firstForeignNumber: Int64 = 1 << 40

  /// Creates a schema of a store's entities and those that only an archive of its history has.
  ///
  /// The latter get numbers that no row of the store has. Without a store, the archive's newest entities
  /// keep their numbers.
  ///
  /// - Parameters:
  ///   - store: The entities of the store, or `nil` where there is none.
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

  /// Creates a schema of names without slots: columns in masks and tombstones stay numbers.
  ///
  /// This does not read the model, which takes longer than reading the last few transactions.
  package init(namesOf entities: EntityNumbering) {
    self.init(
      entities: entities.modelEntries.map { entry in
        HistoryEntity(name: entities.name(of: entry.number), number: entry.number)
      })
  }

  /// Reads the schema of a store, as far as the store has a model.
  public init(_ snapshot: StoreSnapshot) throws {
    let slots = try snapshot.slots()
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

  /// Returns the entity with a number, or one without a name where the store does not have it.
  package func entity(number: Int64) -> HistoryEntity {
    let place = byNumber.partitioningIndex { $0.number >= number }
    guard place < byNumber.count, byNumber[place].number == number else {
      return HistoryEntity(name: nil, number: number)
    }
    return byNumber[place].entity
  }

  /// Returns the names of properties that an entity had in former models.
  func formerProperties(of entity: HistoryEntity) -> Set<String> {
    formerProperties.isEmpty ? [] : entity.name.flatMap { formerProperties[$0] } ?? []
  }

  package func entity(named name: String) -> HistoryEntity? { byName[name] }
}
