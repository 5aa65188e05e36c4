import StoreFormat

/// Counts of changes by the number of their entity, for the few entities that one save touches.
///
/// Looking at each entry is sooner done than hashing, and the names are only needed at the end.
struct EntityTally {
  struct Entry {
    let number: Int64?
    var inserts = 0
    var updates = 0
    var deletes = 0
    var others = 0
  }

  /// More entities than a save touches; looking through many more would be slow.
  private static let mostEntries = 64

  /// The counts, in the order in which the entities first appear.
  private(set) var entries: [Entry] = []

  /// Counts a change; false where it is one entity too many.
  mutating func add(_ kind: ChangeKind?, of number: Int64?) -> Bool {
    var index = 0
    while index < entries.count, entries[index].number != number { index += 1 }
    if index == entries.count {
      guard index < Self.mostEntries else { return false }
      entries.append(Entry(number: number))
    }
    switch kind {
    case .insert: entries[index].inserts += 1
    case .update: entries[index].updates += 1
    case .delete: entries[index].deletes += 1
    case nil: entries[index].others += 1
    }
    return true
  }
}
