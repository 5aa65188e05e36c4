import PersistentHistory

/// Counts the changes of each entity within a transaction.
///
/// Its size depends on the number of entities, not of changes, and has a bound.
struct CollectionOrder: Sendable {
  /// More entities than models have; those beyond are not counted.
  private static let mostEntities = 10_000
  /// Few entities are told apart sooner by looking at each than by hashing their names.
  private static let fewEntities = 8

  private var counts: [(entity: HistoryEntity?, count: Int64)] = []
  private var indices: [HistoryEntity?: Int] = [:]

  /// Forgets all counts.
  mutating func removeAll() {
    counts.removeAll(keepingCapacity: true)
    if !indices.isEmpty { indices.removeAll(keepingCapacity: true) }
  }

  /// Counts a change, and gives its place among those of its entity, from 1; nil where the
  /// transaction has more entities than are counted.
  ///
  /// Changes of entities without a name are counted together.
  mutating func next(of entity: HistoryEntity?) -> Int64? {
    let entity = entity?.name == nil ? nil : entity
    for index in counts.indices.prefix(Self.fewEntities) where counts[index].entity == entity {
      counts[index].count += 1
      return counts[index].count
    }
    if counts.count >= Self.fewEntities, let index = indices[entity] {
      counts[index].count += 1
      return counts[index].count
    }
    guard counts.count < Self.mostEntities else { return nil }
    counts.append((entity, 1))
    if counts.count > Self.fewEntities { indices[entity] = counts.count - 1 }
    return 1
  }
}
