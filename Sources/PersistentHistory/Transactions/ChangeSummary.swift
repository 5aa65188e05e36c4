import StoreFormat

/// How many objects of each entity a transaction inserted, updated and deleted.
///
/// Its size depends on the number of entities, not of changes.
package struct ChangeSummary: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// The entity, or `nil` for changes whose row names none.
    package let entity: HistoryEntity?
    package var inserts = 0
    package var updates = 0
    package var deletes = 0
    /// How many changes are of a kind that no framework writes.
    package var others = 0
  }

  /// The counts, in the order in which the entities first appear.
  package private(set) var entries: [Entry] = []
  package private(set) var count = 0

  package init() {}

  /// More entities than any model has; changes of further ones are counted without their entity.
  private static let mostEntries = 1000
  /// The number of entities that are found by a linear search.
  private static let fewEntries = 32

  /// The indices of the entities after the first few.
  private var indices: [HistoryEntity?: Int] = [:]

  package mutating func add(_ change: HistoryChange) { add(change.kind, of: change.entity) }

  /// Counts changes of one kind to objects of one entity.
  mutating func add(_ kind: ChangeKind?, of entity: HistoryEntity?, count: Int = 1) {
    guard count > 0 else { return }
    self.count += count
    let index = index(of: entity)
    switch kind {
    case .insert: entries[index].inserts += count
    case .update: entries[index].updates += count
    case .delete: entries[index].deletes += count
    case nil: entries[index].others += count
    }
  }

  private mutating func index(of entity: HistoryEntity?) -> Int {
    // A linear search is faster than hashing names while there are few.
    for index in entries.indices.prefix(Self.fewEntries) where entries[index].entity == entity {
      return index
    }
    if entries.count > Self.fewEntries, let index = indices[entity] { return index }
    guard entity == nil || entries.count < Self.mostEntries else { return self.index(of: nil) }
    entries.append(Entry(entity: entity))
    if entries.count > Self.fewEntries { indices[entity] = entries.count - 1 }
    return entries.count - 1
  }
}
