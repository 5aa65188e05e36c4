/// The number of objects of each entity that were inserted, updated, deleted and replaced.
///
/// Its size depends on the number of entities, not of objects.
package struct NetChangeSummary: Hashable, Sendable {
  /// The number of objects for each kind of net change.
  package struct Counts: Hashable, Sendable {
    package var inserts = 0
    package var updates = 0
    package var deletes = 0
    package var replaces = 0

    package init() {}

    package var total: Int { inserts + updates + deletes + replaces }

    /// Returns the number of objects of one kind.
    package func count(_ kind: NetChangeKind) -> Int {
      switch kind {
      case .insert: inserts
      case .update: updates
      case .delete: deletes
      case .replace: replaces
      }
    }

    /// Adds the counts of another history.
    package static func += (left: inout Counts, right: Counts) {
      left.inserts += right.inserts
      left.updates += right.updates
      left.deletes += right.deletes
      left.replaces += right.replaces
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
    /// The entity; `nil` for all entities beyond the limit.
    package let entity: HistoryEntity?
    package fileprivate(set) var counts = Counts()
  }

  /// The counts by entity, in the order in which the entities first appear.
  package private(set) var entries: [Entry] = []
  /// The counts of all entities together.
  package private(set) var total = Counts()

  /// The maximum number of entities that are counted each; no model has more.
  private static let maxEntries = 1000

  private var indices: [HistoryEntity?: Int] = [:]
  /// Objects of one entity follow each other.
  private var lastIndex: Int?

  package init() {}

  /// Counts an object with a net effect.
  package mutating func add(_ change: NetChange) {
    if let kind = change.kind { add(kind, of: change.entity) }
  }

  /// Counts an object of an entity.
  package mutating func add(_ kind: NetChangeKind, of entity: HistoryEntity) {
    total.add(kind)
    let index: Int
    if let lastIndex, entries[lastIndex].entity === entity {
      index = lastIndex
    } else {
      index = self.index(of: entity)
      lastIndex = index
    }
    entries[index].counts.add(kind)
  }

  private mutating func index(of entity: HistoryEntity?) -> Int {
    if let index = indices[entity] { return index }
    guard entity == nil || entries.count < Self.maxEntries else { return self.index(of: nil) }
    entries.append(Entry(entity: entity))
    indices[entity] = entries.count - 1
    return entries.count - 1
  }
}
