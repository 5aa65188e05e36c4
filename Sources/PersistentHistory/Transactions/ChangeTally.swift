import StoreFormat

/// Numbers of changes by kind.
package struct ChangeCounts: Hashable, Sendable {
  package var inserts: Int64 = 0
  package var updates: Int64 = 0
  package var deletes: Int64 = 0
  /// Changes of a kind that no framework writes.
  package var others: Int64 = 0

  package init() {}

  package var total: Int64 { inserts &+ updates &+ deletes &+ others }

  mutating func add(_ kind: ChangeKind?, _ count: Int64 = 1) {
    switch kind {
    case .insert: inserts &+= count
    case .update: updates &+= count
    case .delete: deletes &+= count
    case nil: others &+= count
    }
  }

  package mutating func add(_ other: ChangeCounts) {
    inserts &+= other.inserts
    updates &+= other.updates
    deletes &+= other.deletes
    others &+= other.others
  }
}

/// Counts changes by the number of their entity.
package struct ChangeTally: Sendable {
  package struct Entry: Hashable, Sendable {
    /// The number of the entity; `nil` for changes without one.
    package let number: Int64?
    package var counts = ChangeCounts()
  }

  /// More entities than any model has. Changes of further ones are counted without an entity.
  package static let maxEntities = 1000
  /// Comparing this many numbers is faster than hashing.
  private static let fewEntries = 16

  /// The counts, in the order in which the entities first appear.
  package private(set) var entries: [Entry] = []
  private var places: [Int64?: Int] = [:]
  private var last = 0

  package init() {}

  package mutating func add(_ kind: ChangeKind?, of number: Int64?) {
    // Changes of one entity tend to follow each other.
    if last >= entries.count || entries[last].number != number { last = place(of: number) }
    entries[last].counts.add(kind)
  }

  package mutating func add(_ other: ChangeTally) {
    for entry in other.entries { entries[place(of: entry.number)].counts.add(entry.counts) }
  }

  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !places.isEmpty { places.removeAll(keepingCapacity: true) }
    last = 0
  }

  private mutating func place(of number: Int64?) -> Int {
    for index in entries.indices.prefix(Self.fewEntries) where entries[index].number == number {
      return index
    }
    if let place = places[number] { return place }
    if number != nil, entries.count >= Self.maxEntities { return place(of: nil) }
    entries.append(Entry(number: number))
    if entries.count > Self.fewEntries { places[number] = entries.count - 1 }
    return entries.count - 1
  }
}
