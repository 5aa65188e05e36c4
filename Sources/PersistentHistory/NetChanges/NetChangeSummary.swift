/// How many objects of each entity were inserted, updated, deleted and replaced in the end.
///
/// Its size depends on the number of entities, not of objects.
package struct NetChangeSummary: Hashable, Sendable {
  /// How many objects there are of each kind of net change.
  package struct Counts: Hashable, Sendable {
    /// How many are new.
    package var inserts = 0
    /// How many were updated.
    package var updates = 0
    /// How many are gone.
    package var deletes = 0
    /// How many have another object in their place.
    package var replaces = 0

    /// How many objects in all.
    package var total: Int { inserts + updates + deletes + replaces }

    /// How many objects there are of one kind.
    package func count(_ kind: NetChangeKind) -> Int {
      switch kind {
      case .insert: inserts
      case .update: updates
      case .delete: deletes
      case .replace: replaces
      }
    }

    mutating func add(_ kind: NetChangeKind) {
      switch kind {
      case .insert: inserts += 1
      case .update: updates += 1
      case .delete: deletes += 1
      case .replace: replaces += 1
      }
    }
  }

  /// The counts of one entity.
  package struct Entry: Hashable, Sendable {
    /// The entity; nil for those of which there are too many to be told apart.
    package let entity: HistoryEntity?
    /// Its counts.
    package fileprivate(set) var counts = Counts()
  }

  /// The counts by entity, in the order in which the entities first appear.
  package private(set) var entries: [Entry] = []
  /// The counts of all entities together.
  package private(set) var total = Counts()

  /// More entities than any model has; those beyond are counted together.
  private static let mostEntries = 1000

  private var indices: [HistoryEntity?: Int] = [:]
  /// Objects of one entity stand together.
  private var lastIndex: Int?

  /// A summary of nothing.
  package init() {}

  /// Counts an object; one to which nothing happened in the end does not count.
  package mutating func add(_ change: NetChange) {
    guard let kind = change.kind else { return }
    total.add(kind)
    let index: Int
    if let lastIndex, entries[lastIndex].entity === change.entity {
      index = lastIndex
    } else {
      index = self.index(of: change.entity)
      lastIndex = index
    }
    entries[index].counts.add(kind)
  }

  private mutating func index(of entity: HistoryEntity?) -> Int {
    if let index = indices[entity] { return index }
    guard entity == nil || entries.count < Self.mostEntries else { return self.index(of: nil) }
    entries.append(Entry(entity: entity))
    indices[entity] = entries.count - 1
    return entries.count - 1
  }
}
